import { describe, expect, test } from 'vitest'
import { type AgentState, noLimits, type SpendLimits } from '../events/agent-event.ts'
import { countTokens } from '../events/model-requests.ts'
import { sampleAgent } from '../testing/sample-log.ts'
import { foldAgent } from './agent-state.ts'
import {
  describeLimit,
  firstReached,
  formatAmount,
  limitsAbove,
  mostSpent,
  shareOf,
  spentBy,
  spentIn,
} from './spending.ts'

const NOW = 10_000_000

function agent(id: string, parentId: string | null, own: Partial<AgentState> = {}): AgentState {
  const state = sampleAgent({ agentId: id, parentId, at: 0 })
  const { usage = tokens(10) } = own
  return { ...state, usage, countedTokens: countTokens(usage), costUsd: 1, ...own }
}

const tokens = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 })
const limits = (some: Partial<SpendLimits>): SpendLimits => ({ ...noLimits, ...some })

/** main → a → b, and main → c. */
const FAMILY = [
  agent('b', 'a', { usage: { input: 1, output: 2, cacheRead: 20, cacheWrite: 4 }, costUsd: 0.5 }),
  agent('main', null, { runStartedAt: NOW - 60_000 }),
  agent('c', 'main', { usage: tokens(700), costUsd: 7 }),
  agent('a', 'main', { usage: tokens(100), costUsd: 2, runStartedAt: NOW - 5000 }),
]

const plain = ({ totalMs: _, ...spent }: ReturnType<typeof spentBy>) => ({ ...spent, ms: spent.ms(NOW) })

describe('spending', () => {
  test('an agent’s spending includes its descendants, and cached tokens by their price; its time is its own', () => {
    expect(plain(spentBy('b', FAMILY))).toEqual({ tokens: 10, usd: 0.5, priced: true, spawns: 0, ms: 0 })
    expect(plain(spentBy('a', FAMILY))).toEqual({ tokens: 110, usd: 2.5, priced: true, spawns: 1, ms: 5000 })
    expect(plain(spentBy('main', FAMILY))).toEqual({
      tokens: 820,
      usd: 10.5,
      priced: true,
      spawns: 2,
      ms: 60_000,
    })
    expect(plain(spentBy('nobody', FAMILY))).toEqual({ tokens: 0, usd: 0, priced: true, spawns: 0, ms: 0 })
  })

  test('a conversation’s spending includes all agents, also those with an unknown parent', () => {
    const states = new Map([...FAMILY, agent('lost', 'gone')].map((state) => [state.id, state]))
    expect(plain(spentIn(states.values()))).toEqual({
      tokens: 830,
      usd: 11.5,
      priced: true,
      spawns: 4,
      ms: 60_000,
    })
  })

  test('an unknown cost makes the cost of all ancestors unknown', () => {
    const states = [agent('d', 'b', { priced: false }), ...FAMILY]
    expect(['b', 'a', 'main', 'c'].map((id) => spentBy(id, states).priced)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  test('negative counts and costs of a log lower nothing', () => {
    const before = agent('a', null)
    const after = foldAgent(before, {
      v: 2,
      agentId: 'a',
      seq: 1,
      order: 1,
      at: 1,
      type: 'assistant-message',
      turn: 1,
      messageId: 'm',
      model: 'm',
      content: [],
      stopReason: 'end_turn',
      usage: { input: -1e9, output: 5, cacheRead: -1e9, cacheWrite: -1e9 },
      costUsd: -1000,
      durationMs: 1,
      pace: [],
    })
    expect(after).toMatchObject({ usage: { ...before.usage, output: 5 }, costUsd: before.costUsd })
  })

  test('a clock that moves backwards never makes the time negative', () => {
    expect(spentBy('a', FAMILY).ms(0)).toBe(0)
  })
})

describe('limits', () => {
  test('are listed in order: the agent’s, its ancestors’, the conversation’s', () => {
    const above = limitsAbove({ agentId: 'b', states: FAMILY, conversationLimits: limits({ usd: 20 }) })
    expect(above.map(({ of, agentId, spent }) => [of, agentId, spent.tokens])).toEqual([
      ['agent', 'b', 10],
      ['parent', 'a', 110],
      ['parent', 'main', 820],
      ['conversation', null, 820],
    ])
    expect(above.at(-1)?.limits.usd).toBe(20)
  })

  const reached = (states: readonly AgentState[], conversationLimits = noLimits, agentId = 'b') =>
    firstReached({ agentId, states, conversationLimits, now: NOW })
  const withLimits = (id: string, some: Partial<SpendLimits>) =>
    FAMILY.map((state) => (state.id === id ? { ...state, limits: limits(some) } : state))

  test('are reached when spending equals the amount, not before', () => {
    expect(reached(withLimits('b', { tokens: 11 }))).toBeNull()
    expect(reached(withLimits('b', { tokens: 10 }))).toEqual({
      limit: 'tokens',
      of: 'agent',
      agentId: 'b',
      most: 10,
      spent: 10,
      counted: true,
    })
    expect(reached(withLimits('a', { usd: 2.5 }))).toMatchObject({ limit: 'money', of: 'parent', spent: 2.5 })
    expect(reached(withLimits('a', { ms: 5000 }))).toMatchObject({ limit: 'time', of: 'parent', spent: 5000 })
    expect(reached(withLimits('c', { usd: 1 }))).toBeNull()
    expect(reached(FAMILY, limits({ ms: 60_000 }))).toMatchObject({ limit: 'time', of: 'conversation' })
    expect(reached(FAMILY, limits({ tokens: 820, usd: 1 }))).toMatchObject({ limit: 'tokens', most: 820 })
  })

  test('a money limit counts the known costs, and tells that others are unknown', () => {
    const unpriced = (costUsd: number) => [agent('main', null, { costUsd, priced: false })]
    expect(reached(unpriced(0), limits({ usd: 20 }), 'main')).toBeNull()
    expect(reached(unpriced(20), limits({ usd: 20 }), 'main')).toMatchObject({
      limit: 'money',
      counted: false,
    })
  })

  test('the closest limit is the one with the largest share spent', () => {
    const conversationLimits = limits({ tokens: 8200, usd: 21, ms: 600_000 })
    const most = mostSpent({ agentId: 'b', states: FAMILY, conversationLimits, now: NOW })
    expect(most).toMatchObject({ limit: 'money', of: 'conversation', most: 21, spent: 10.5 })
    expect(most && shareOf(most)).toBe(0.5)
    expect(mostSpent({ agentId: 'b', states: FAMILY, conversationLimits: noLimits, now: NOW })).toBeNull()
  })

  test('a cycle of parents does not cause an endless search', () => {
    const knot = [agent('x', 'y'), agent('y', 'x')]
    expect(spentBy('x', knot).tokens).toBe(20)
    expect(spentIn(knot).tokens).toBe(20)
  })

  test('take linear time in the number of agents', () => {
    const line = (length: number) => {
      let looks = 0
      const states = Array.from({ length }, (_, index) => {
        const state = agent(`a${index}`, index === 0 ? null : `a${index - 1}`)
        return new Proxy(state, {
          get(target, key) {
            looks += 1
            return Reflect.get(target, key)
          },
        })
      })
      const spent = firstReached({
        agentId: `a${length - 1}`,
        states: states.reverse(),
        conversationLimits: limits({ tokens: length * 10 }),
        now: NOW,
      })
      expect(spent).toMatchObject({ of: 'conversation', spent: length * 10 })
      return looks
    }
    expect(line(150) - line(100)).toBe(line(100) - line(50))
  })

  test('a long chain of agents is walked only once', () => {
    const states = Array.from({ length: 100 }, (_, index) =>
      agent(`a${index}`, index === 0 ? null : `a${index - 1}`),
    )
    let looks = 0
    const watched = states.map(
      (state) =>
        new Proxy(state, {
          get(target, key) {
            if (key === 'parentId') looks += 1
            return Reflect.get(target, key)
          },
        }),
    )
    expect(spentBy('a0', watched.reverse()).tokens).toBe(1000)
    expect(looks).toBeLessThan(600)
  })
})

test('the text of a limit names its amount and unit', () => {
  const reached = [
    { limit: 'tokens', of: 'agent', most: 5_000_000 },
    { limit: 'money', of: 'conversation', most: 20 },
    { limit: 'money', of: 'parent', most: 0.5 },
    { limit: 'time', of: 'agent', most: 60 * 60_000 },
    { limit: 'turns', of: 'agent', most: 1 },
  ] as const
  expect(reached.map(describeLimit)).toEqual([
    "the agent's limit of 5,000,000 tokens",
    "the conversation's limit of $20",
    'the limit of $0.50 that an agent above it has',
    "the agent's limit of 60 minutes",
    "the agent's limit of 1 turn",
  ])
  expect([60_000, 30_000, 90_000, 750_000, 500].map((ms) => formatAmount('time', ms))).toEqual([
    '1 minute',
    '30 seconds',
    '90 seconds',
    '12.5 minutes',
    '0.5 seconds',
  ])
  expect([0.0042, 12_000, 1.5, 2.34567].map((usd) => formatAmount('money', usd))).toEqual([
    '$0.0042',
    '$12,000',
    '$1.50',
    '$2.35',
  ])
})
