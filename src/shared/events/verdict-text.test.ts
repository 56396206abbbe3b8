import { expect, test } from 'vitest'
import { noticeText } from '../transcript/notice-text.ts'
import type { EventOf } from './agent-event.ts'

test('a verdict that stopped the agent is a warning with its reason', () => {
  const verdict: EventOf<'interceptor-verdict'> = {
    v: 2,
    type: 'interceptor-verdict',
    agentId: 'a',
    seq: 0,
    order: 0,
    at: 0,
    point: 'tool-result',
    source: 'hook budget.sh',
    toolUseId: 'call-1',
    verdict: 'stopped',
    reason: 'The budget is spent.',
    durationMs: 3,
  }
  expect(noticeText(verdict)).toEqual({
    level: 'warning',
    text: 'hook budget.sh stopped this agent: The budget is spent.',
  })
})
