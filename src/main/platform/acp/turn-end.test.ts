import { expect, test } from 'vitest'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { turnOutcome } from './turn-end.ts'

const waits = { status: 'waiting', failure: null, reachedLimit: null } as AgentState
const failure = { type: 'auth', message: 'The key is wrong.' }

test.each([
  ['end_turn', waits, 'end_turn', false],
  ['max_tokens', waits, 'max_tokens', false],
  ['refusal', waits, 'refusal', false],
  ['end_turn', { ...waits, reachedLimit: 'turns' }, 'max_turn_requests', false],
  ['end_turn', { ...waits, reachedLimit: 'money' }, 'max_turn_requests', false],
  ['end_turn', { ...waits, status: 'failed', failure }, 'cancelled', true],
  ['tool_use', { ...waits, status: 'stopped' }, 'cancelled', false],
] as const)('%s, %j: %s', (lastStop, state, reason, isCancelled) => {
  expect(turnOutcome({ state, lastStop, isCancelled })).toEqual({ ok: true, value: reason })
})

test('a failure is an error with its own words', () => {
  const state: AgentState = { ...waits, status: 'failed', failure }
  expect(turnOutcome({ state, lastStop: null, isCancelled: false })).toEqual({ ok: false, failure })
})
