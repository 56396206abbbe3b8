import { expect, test } from 'vitest'
import type { Usage } from '../../shared/events/agent-event.ts'
import { costOf, spendingOf } from './loop/model-cost.ts'
import type { ModelFacts } from './ports/model.ts'

const sonnetLike: ModelFacts = {
  id: 'm',
  contextTokens: 1_000_000,
  price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
}
const haikuLike: ModelFacts = {
  id: 'h',
  contextTokens: 1_000_000,
  price: {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    longPrompt: { aboveTokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
  },
}

test('each kind of token has its own price', () => {
  const usage = { input: 1000, output: 2000, cacheRead: 100_000, cacheWrite: 4000 }
  expect(costOf(usage, sonnetLike)).toBeCloseTo(0.002 + 0.02 + 0.01 + 0.01, 10)
})

test('tokens that are kept for an hour have their own price, or that of the others where none is known', () => {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 10_000, cacheWriteHour: 4000 }
  const price = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, cacheWriteHour: 4 }
  expect(costOf(usage, { ...sonnetLike, price })).toBeCloseTo(0.015 + 0.016, 10)
  expect(costOf(usage, sonnetLike)).toBeCloseTo(0.025, 10)
})

test('the cost of a model without a price is null, not zero', () => {
  expect(
    costOf({ input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, { ...sonnetLike, price: null }),
  ).toBeNull()
})

test('above the threshold every token of the request costs the higher price; cached tokens count toward it', () => {
  const upTo = { input: 10_000, output: 1000, cacheRead: 90_000, cacheWrite: 0 }
  const past = { input: 10_001, output: 1000, cacheRead: 90_000, cacheWrite: 0 }
  expect(costOf(upTo, haikuLike)).toBeCloseTo(0.001 + 0.0005 + 0.0009, 10)
  expect(costOf(past, haikuLike)).toBeCloseTo(0.0050005 + 0.0025 + 0.0045, 10)
})

test('a reply in the name of an unknown model costs what the requested model costs', () => {
  const models = {
    facts: (id: string): ModelFacts => {
      if (id === 'm') return sonnetLike
      return id === 'h' ? haikuLike : { ...sonnetLike, id, price: null }
    },
  }
  const usage = { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 }
  expect(spendingOf({ model: 'gateway/m', usage }, 'm', models).costUsd).toBe(0.002)
  expect(spendingOf({ model: '', usage }, 'm', models).costUsd).toBe(0.002)
  expect(spendingOf({ model: 'h', usage }, 'm', models).costUsd).toBe(0.0001)
  expect(spendingOf({ model: 'm', usage }, 'local', models).costUsd).toBe(0.002)
  expect(spendingOf({ model: 'gateway/local', usage }, 'local', models).costUsd).toBeNull()
})

test('cached tokens count by their share of the input price of the model', () => {
  const counted = (usage: Usage, facts: ModelFacts) =>
    spendingOf({ model: facts.id, usage }, facts.id, { facts: () => facts }).countedTokens
  const usage = { input: 1000, output: 200, cacheRead: 100_000, cacheWrite: 4000 }
  expect(counted(usage, sonnetLike)).toBe(1000 + 200 + 5000 + 5000)
  const withHour = {
    ...sonnetLike,
    price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, cacheWriteHour: 4 },
  }
  expect(counted({ ...usage, cacheWriteHour: 1000 }, withHour)).toBe(1000 + 200 + 5000 + 3750 + 2000)
  // A server whose price says nothing of a cache, and one without a known price.
  const flat = { ...sonnetLike, price: { input: 3, output: 3, cacheRead: 3, cacheWrite: 3 } }
  expect(counted(usage, flat)).toBe(105_200)
  expect(counted(usage, { ...sonnetLike, price: null })).toBe(1000 + 200 + 10_000 + 5000)
})
