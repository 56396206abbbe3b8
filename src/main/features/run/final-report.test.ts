import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { FinalReports } from './run-outcome.ts'

type Step = readonly [
  kind: 'user' | 'runtime' | 'agent' | 'end_turn' | 'tool_use' | 'max_tokens' | 'pause_turn',
  text: string,
]

function reportOf(...steps: readonly Step[]): string {
  const reports = new FinalReports()
  steps.forEach(([kind, text], seq) => {
    const content = [{ type: 'text', text }]
    const isMessage = kind === 'user' || kind === 'runtime' || kind === 'agent'
    const event = isMessage
      ? { type: 'user-message', from: kind, messageId: `${seq}`, sender: null, content }
      : { type: 'assistant-message', stopReason: kind, content }
    reports.take({ agentId: 'main', seq, order: seq, at: 0, v: 2, ...event } as unknown as AgentEvent)
  })
  return reports.of('main')
}

test('an answer to a notice follows the report instead of replacing it', () => {
  expect(
    reportOf(
      ['user', 'Go'],
      ['end_turn', 'The report.'],
      ['runtime', 'ended'],
      ['end_turn', 'Nothing to add.'],
    ),
  ).toBe('The report.\n\nNothing to add.')
})

test('a message from the user begins a new report', () => {
  expect(reportOf(['user', 'Go'], ['end_turn', 'Old.'], ['user', 'And?'], ['end_turn', 'New.'])).toBe('New.')
})

test('remarks beside tool calls are not part of the report, unless there is nothing else', () => {
  expect(reportOf(['user', 'Go'], ['tool_use', 'I look.'], ['end_turn', 'Done.'])).toBe('Done.')
  expect(reportOf(['user', 'Go'], ['tool_use', 'I look.'], ['end_turn', ''])).toBe('I look.')
})

test('an empty answer removes nothing', () => {
  expect(reportOf(['user', 'Go'], ['end_turn', 'Done.'], ['agent', 'hi'], ['end_turn', ' '])).toBe('Done.')
})

test('an answer that was cut off is put together', () => {
  expect(
    reportOf(
      ['user', 'Go'],
      ['max_tokens', 'One, '],
      ['runtime', 'go on'],
      ['pause_turn', 'two, '],
      ['end_turn', 'three.'],
    ),
  ).toBe('One, two, three.')
  expect(reportOf(['user', 'Go'], ['max_tokens', 'One'])).toBe('One')
})
