import { expect, test } from 'vitest'
import type { AgentEvent } from '../events/agent-event.ts'
import { rowForName } from '../tools/row-for-name.ts'
import { rowText, TranscriptRows } from './transcript-rows.ts'

const event = (seq: number, more: object): AgentEvent =>
  ({ v: 2, agentId: 'a-1', seq, order: seq, at: seq, ...more }) as AgentEvent

test('a failed call to start an agent shows its error in the card of its message', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Agent', input: {} })
  const ended = { toolName: 'Agent', note: '', display: null, outputFile: null, durationMs: 1 }
  const rows = TranscriptRows.from([
    event(1, { type: 'assistant-message', content: [call('one'), call('two')] }),
    event(2, { type: 'tool-ended', toolUseId: 'one', isError: false, content: 'A report.', ...ended }),
    event(3, {
      type: 'tool-ended',
      toolUseId: 'two',
      isError: true,
      content: 'There is no such agent.',
      ...ended,
    }),
  ]).rows
  expect(rows).toMatchObject([{ kind: 'agents', failures: { two: 'There is no such agent.' } }])
  expect(rows.map(rowText)).toEqual(['There is no such agent.'])
})

test('the row of a command says what it changed in files that git does not ignore', () => {
  const call = { type: 'tool_use', id: 'one', name: 'Bash', input: { command: 'sed -i s/a/b/ a.txt' } }
  const file = (path: string, kept: string) => ({ path, kept, added: 2, removed: 1 })
  const changedBy = (cause: string, files: readonly object[]) =>
    TranscriptRows.from([
      event(1, { type: 'assistant-message', content: [call] }),
      event(2, { type: 'files-changed', toolUseId: 'one', cause, files }),
    ]).rows
  expect(
    changedBy('command', [file('/w/out', 'ignored'), file('/w/a', 'yes'), file('/w/b', 'too-large')]),
  ).toMatchObject([{ kind: 'tool', changed: { files: 2, added: 4, removed: 2, path: '/w/a' } }])
  for (const rows of [
    changedBy('command', [file('/w/out', 'ignored')]),
    changedBy('user', [file('/w/a', 'yes')]),
  ])
    expect(rows).toEqual([expect.not.objectContaining({ changed: expect.anything() })])
})

test('the text of a message to another agent names the receiver and repeats the message', () => {
  const input = { to: 'ada', message: 'Look at b.\n\nAnd at c.' }
  const call = { type: 'tool_use', id: 'one', name: 'SendMessage', input }
  const display = { kind: 'message', messageId: 'm-1', to: 'ada', how: 'mailbox' }
  const ended = { isError: false, content: 'It is kept.', note: '', outputFile: null, durationMs: 1, display }
  const rows = TranscriptRows.from([
    event(1, { type: 'assistant-message', content: [call] }),
    event(2, { type: 'tool-ended', toolUseId: 'one', ...ended }),
  ]).rows
  expect(rows.map(rowText)).toEqual(['To ada: Look at b.\n\nAnd at c.'])
})

test('a message of the program shows its note first, and the text that the model received below', () => {
  const message = { type: 'user-message', messageId: 'm-1', sender: null }
  const content = [{ type: 'text', text: 'You have 3 turns left.' }]
  const rows = TranscriptRows.from([
    event(1, { ...message, from: 'runtime', content, note: '3 turns left.' }),
    event(2, { ...message, from: 'runtime', content }),
  ]).rows
  expect(rows).toMatchObject([
    { kind: 'notice', level: 'info', text: '3 turns left.\n\nThe agent received: You have 3 turns left.' },
    { kind: 'user', from: 'runtime', text: 'You have 3 turns left.' },
  ])
})

test('a failed attempt is a row only if another attempt follows: the end of the run has the failure', () => {
  const failure = { type: 'auth', message: 'The key was refused.' }
  const rows = TranscriptRows.from([
    event(1, { type: 'request-failed', turn: 1, attempt: 1, failure, retryAt: 5 }),
    event(2, { type: 'request-failed', turn: 1, attempt: 2, failure, retryAt: null }),
    event(3, { type: 'agent-ended', status: 'failed', failure, reachedLimit: null, limitOf: null }),
  ]).rows
  expect(rows).toMatchObject([
    { kind: 'retry', attempt: 1 },
    { kind: 'ended', failure },
  ])
})

test('a tool known only from its event is shown from the event', () => {
  const row = { kind: 'other', icon: 'globe', label: 'weather forecast' } as const
  const call = { type: 'tool_use', id: 'one', name: 'forecast', input: {} }
  const asked = event(1, { type: 'assistant-message', content: [call] })
  const started = event(2, { type: 'tool-started', toolUseId: 'one', name: 'forecast', summary: 'Bern', row })
  expect(TranscriptRows.from([asked]).rows).toMatchObject([{ call: { icon: 'tool', label: 'forecast' } }])
  expect(TranscriptRows.from([asked, started]).rows).toMatchObject([{ call: row, summary: 'Bern' }])
})

test('a call that has not started is shown by its tool’s name', () => {
  expect(rowForName('Bash')).toEqual({ kind: 'command', icon: 'terminal', label: 'Bash' })
  expect(rowForName('mcp__github__create_issue')).toEqual({
    kind: 'other',
    icon: 'plug',
    label: 'github create_issue',
  })
  expect(rowForName('constructor')).toEqual({ kind: 'other', icon: 'tool', label: 'constructor' })
})
