import { expect, test } from 'vitest'
import type { AgentState } from '../events/agent-event.ts'
import { sampleDefinition } from '../testing/sample-events.ts'
import { sampleAgent } from '../testing/sample-log.ts'
import { FAN_OUT, fanOutOf } from './fan-out.ts'

function agent(id: string, more: Partial<AgentState> & { tokens?: number; type?: string } = {}): AgentState {
  const { tokens = 0, type = 'Explore', ...state } = more
  const spawned = sampleAgent({ agentId: id, parentId: 'main', definition: sampleDefinition({ name: type }) })
  return { ...spawned, countedTokens: tokens, ...state }
}

const main = agent('main', { parentId: null, tokens: 1000, costUsd: 0.01, status: 'running' })
const live = (count: number, more: Parameters<typeof agent>[1] = {}) =>
  Array.from({ length: count }, (_, index) => agent(`a${index}`, { status: 'queued', ...more }))
const ended = (id: string, tokens: number, costUsd: number, more: Parameters<typeof agent>[1] = {}) =>
  agent(id, { status: 'completed', tokens, costUsd, ...more })

test('few agents need no estimate', () => {
  expect(fanOutOf([main, ...live(FAN_OUT)])).toBeNull()
  expect(fanOutOf([main, ...live(FAN_OUT), ended('x', 1, 1)])).toBeNull()
})

test('before any has ended, the usual figures of each type count, at the price so far', () => {
  expect(fanOutOf([main, ...live(12)])).toEqual({
    agents: 12,
    tokens: 12 * 40_000,
    usd: expect.closeTo(12 * 40_000 * 0.00001) as number,
    isMeasured: false,
  })
  expect(fanOutOf([main, ...live(12, { type: 'mine' })])?.tokens).toBe(12 * 80_000)
})

test('the average of ended agents of the type counts, without what was spent already', () => {
  const states = [
    main,
    ended('x', 1000, 0.1),
    ended('y', 3000, 0.3),
    ...live(20, { tokens: 500, costUsd: 0.05 }),
  ]
  expect(fanOutOf(states)).toEqual({
    agents: 20,
    tokens: 20 * 1500,
    usd: expect.closeTo(20 * 0.15) as number,
    isMeasured: true,
  })
  // Another type counts where none of the own has ended; failed agents do not.
  const others = [main, ended('x', 1000, 0.1, { type: 'Plan' }), ...live(11)]
  expect(fanOutOf([...others, ended('z', 9e9, 9, { status: 'failed' })])?.tokens).toBe(11_000)
})

test('an agent that spent more than the average adds nothing, and an unknown cost is no $0', () => {
  expect(fanOutOf([main, ended('x', 100, 0.1), ...live(11, { tokens: 500 })])?.tokens).toBe(0)
  expect(fanOutOf([main, ended('x', 100, 0, { priced: false }), ...live(11)])?.usd).toBeNull()
})
