import { expect, test } from 'vitest'
import type { AgentEvent } from './agent-event.ts'
import { rowText, TranscriptRows } from './transcript-rows.ts'

const event = (seq: number, more: object): AgentEvent =>
  ({ v: 1, agentId: 'a-1', seq, order: seq, at: seq, ...more }) as AgentEvent

test('an Agent call that fails leaves its reason in the card of its message, the others are left alone', () => {
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

test('the text of a message to another agent is whom it is for and its words', () => {
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
