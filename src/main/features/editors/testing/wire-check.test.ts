import { expect, test } from 'vitest'
import { wireCheck } from './wire-check.ts'

const start = [
  { id: 0, method: 'initialize', params: { protocolVersion: 1 } },
  { id: 1, method: 'session/new', params: { cwd: '/p', mcpServers: [] } },
]
const update = (fields: object, sessionId = 's') => ({
  method: 'session/update',
  params: { sessionId, update: fields },
})
const call = (fields: object = {}) =>
  update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read a.txt', ...fields })
const callUpdate = (fields: object) =>
  update({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields })
const chunk = (messageId: string) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' }, messageId })
const permission = (fields: object = {}) => ({
  id: 'q',
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    toolCall: { toolCallId: 't', title: 'Read a.txt' },
    options: [{ optionId: 'a', name: 'Allow', kind: 'allow_once' }],
    ...fields,
  },
})
const ended = { id: 2, result: { stopReason: 'end_turn' } }

/** What is wrong with these messages of Troupe, in a session whose prompt was sent. */
function complaints(messages: readonly object[], capabilities = {}): readonly string[] {
  const { sent, received, complaints: all } = wireCheck()
  const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
  sent(
    line({ id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: capabilities } }),
  )
  for (const message of start.slice(1)) sent(line(message))
  received(line({ id: 1, result: { sessionId: 's' } }))
  sent(line({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [] } }))
  // In pieces, as they come.
  for (const message of messages)
    for (const piece of line(message).match(/.{1,40}|\n/g) ?? []) received(piece)
  return all().map((complaint) => complaint.split('\n')[0] ?? '')
}

test('a whole story has nothing wrong', () => {
  expect(
    complaints([
      chunk('m-1'),
      chunk('m-1'),
      call({
        status: 'pending',
        kind: 'read',
        locations: [{ path: '/p/a.txt' }],
        rawInput: { any: ['thing'] },
      }),
      permission(),
      { method: '$/cancel_request', params: { requestId: 'q' } },
      callUpdate({ status: 'in_progress' }),
      callUpdate({ status: 'completed', content: [{ type: 'diff', path: '/p/a.txt', newText: 'x' }] }),
      chunk('m-2'),
      ended,
    ]),
  ).toEqual([])
})

test.each([
  ['a misspelled field', call({ state: 'pending' }), 'SessionNotification.update.state: no such field'],
  [
    'a field of a part',
    call({ locations: [{ path: '/p', row: 1 }] }),
    'SessionNotification.update.locations[0].row: no such field',
  ],
  ['a wrong kind', call({ kind: 'reads' }), /update.kind/],
  [
    'a missing title',
    update({ sessionUpdate: 'tool_call', toolCallId: 't' }),
    'SessionNotification.update.title: is missing',
  ],
  ['an unknown update', update({ sessionUpdate: 'tool_calls' }), /sessionUpdate/],
  [
    'a part of the protocol that the editor does not know',
    update({ sessionUpdate: 'subagent_update', sessionId: 'c', cwd: '/p' }),
    /update/,
  ],
  ['a relative path', call({ locations: [{ path: 'a.txt' }] }), 'the path a.txt is not absolute'],
  ['a title of two lines', call({ title: 'a\nb' }), 'the title "a\\nb" is not one line'],
  [
    'an unknown session',
    update({ sessionUpdate: 'plan', entries: [] }, 'other'),
    'nothing is known of the session other',
  ],
  ['an update of no call', callUpdate({ status: 'completed' }), 'the call t has not begun'],
  ['a question about no call', permission(), 'the call t asks, and has not begun'],
  [
    'a form of no call',
    {
      id: 'f',
      method: 'elicitation/create',
      params: {
        sessionId: 's',
        toolCallId: 't',
        mode: 'form',
        message: 'Tea?',
        requestedSchema: { type: 'object', properties: {} },
      },
    },
    'the form is of the call t, which has not begun',
  ],
  ['an answer to nothing', { id: 7, result: {} }, 'an answer to 7, which was not asked'],
  ['a wrong answer', { id: 2, result: { stopReason: 'over' } }, /PromptResponse.stopReason/],
  ['an unknown method', { method: 'session/updates', params: {} }, 'session/updates is no notification'],
])('%s is wrong', (_, message, complaint) => {
  expect(complaints([message])).toContainEqual(
    typeof complaint === 'string' ? complaint : expect.stringMatching(complaint),
  )
})

test.each([
  ['a call that begins twice', [call(), call()], 'the call t begins twice'],
  [
    'a call that goes back',
    [call({ status: 'failed' }), callUpdate({ status: 'in_progress' })],
    'the call t was failed and is in_progress',
  ],
  ['a call without an end', [call(), ended], 'session/prompt is over, and the call t of s is pending'],
  [
    'an open question',
    [call({ status: 'completed' }), permission(), ended],
    'session/prompt is over, and a question of s is open',
  ],
  ['a message in two parts', [chunk('a'), chunk('b'), chunk('a')], 'the message a goes on after another one'],
])('%s is wrong', (_, messages, complaint) => {
  expect(complaints(messages)).toEqual([complaint])
})

test('the parts that are not stable are right for an editor that knows them', () => {
  const announced = update({
    sessionUpdate: 'subagent_update',
    sessionId: 'c',
    title: 'x',
    cwd: '/p',
    state: { state: 'running' },
  })
  expect(
    complaints([announced, update({ sessionUpdate: 'plan', entries: [] }, 'c')], { subagents: {} }),
  ).toEqual([])
})
