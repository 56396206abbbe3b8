import { expect, test } from 'vitest'
import { costOf } from '../../runtime/loop/model-cost.ts'
import { createModelCatalog } from './model-catalog.ts'

const catalog = createModelCatalog({})

test.each([
  ['haiku', 'claude-haiku-5-5'],
  ['Sonnet', 'claude-sonnet-5-5'],
  [' opus ', 'claude-opus-5-5'],
  ['FABLE', 'claude-fable-5-2'],
  ['claude-opus-4-6', 'claude-opus-4-6'],
  ['Some/Local-Model', 'Some/Local-Model'],
  ['constructor', 'constructor'],
  ['default', 'claude-sonnet-5-5'],
  ['inherit', 'claude-sonnet-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
  ['best', 'claude-opus-5-5'],
  ['sonnet[1m]', 'claude-sonnet-5-5'],
  ['Opus[1M]', 'claude-opus-5-5'],
  ['opusplan[1m]', 'claude-sonnet-5-5'],
  ['claude-sonnet-5-5[1m]', 'claude-sonnet-5-5'],
  ['[1m]', ''],
])('%s is %s', (name, id) => {
  expect(catalog.resolve(name)).toBe(id)
})

test("the user's aliases override the defaults, are read at each call, and may add names", () => {
  let aliases: Record<string, string> = {}
  const own = createModelCatalog({ aliases: () => aliases })
  aliases = { Sonnet: 'my-sonnet', tiny: 'local-1b', opus: ' ' }
  expect(own.resolve('sonnet')).toBe('my-sonnet')
  expect(own.resolve('tiny')).toBe('local-1b')
  expect(own.resolve('opus')).toBe('claude-opus-5-5')
})

test.each([
  ['sonnet', null],
  ['opusplan', null],
  ['default', null],
  ['claude-opus-4-6', null],
  ['claude-haiku-4-5-20251001', null],
  ['sonet', /does not know the model sonet.*Similar: sonnet/],
  ['claude-sonet-5-5', /does not know.*Similar: claude-sonnet-5-5/],
  ['gpt-5', /does not know the model gpt-5/],
  ['claude-haiku-4-5[1m]', /window of 200000 tokens; \[1m\] has no effect/],
])('what is said about %s before the first request', (name, said) => {
  const problem = catalog.problem?.(name) ?? null
  if (said === null) expect(problem).toBeNull()
  else expect(problem).toMatch(said)
})

test('nothing is said about a model that the user gave an alias', () => {
  const own = createModelCatalog({ aliases: { sonnet: 'gateway-large' } })
  expect(own.problem?.('sonnet')).toBeNull()
  expect(own.resolve('sonnet[1m]')).toBe('gateway-large')
  expect(own.resolve('default')).toBe('gateway-large')
})

test('a dated id has the price of its family', () => {
  expect(catalog.facts('claude-haiku-4-5-20251001').price).toEqual(catalog.facts('claude-haiku-4-5').price)
})

test('an unknown model has no price and a safe context window', () => {
  const facts = catalog.facts('claude-haiku-9')
  expect(facts).toEqual({ id: 'claude-haiku-9', price: null, contextTokens: 200_000 })
  expect(costOf({ input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }, facts)).toBeNull()
})

test('for every alias, a cache read is cheaper than input, and a cache write more expensive', () => {
  for (const alias of ['haiku', 'sonnet', 'opus', 'fable']) {
    const { price } = catalog.facts(catalog.resolve(alias))
    expect(price).not.toBeNull()
    expect(price!.cacheRead).toBeLessThan(price!.input)
    expect(price!.cacheWrite).toBeGreaterThan(price!.input)
  }
})
