import { expect, test } from 'vitest'
import type { ModelMessage, ModelRequest } from '../../runtime/ports/model.ts'
import { createAnsweredPrompts } from './anthropic-client.ts'
import { traitsOf } from './model-table.ts'
import { wireRequest } from './wire-request.ts'

const MINUTE = 60_000
const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })

const asking = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}) =>
  wireRequest({
    model: 'claude-sonnet-5-5',
    system: 'You are. '.repeat(100),
    tools: [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }],
    messages,
    toolChoice: 'auto',
    ...more,
  })

/** 10,000 tokens. */
const long = (name: string) => name.padEnd(40_000, name)
const first = [user(long('a'))]
const second = [...first, assistant('Yes.'), user(long('b'))]

test('only the new part of an answered prompt has to be read, for five minutes', () => {
  const prompts = createAnsweredPrompts()
  expect(prompts.uncached(asking(first), 0)).toBeGreaterThan(10_200)
  prompts.answered(asking(first), 0)
  expect(prompts.uncached(asking(first), 1)).toBe(0)
  const rest = prompts.uncached(asking(second), 5 * MINUTE - 1)
  expect(rest).toBeGreaterThan(10_000)
  expect(rest).toBeLessThan(10_100)
  expect(prompts.uncached(asking(second), 5 * MINUTE)).toBeGreaterThan(20_200)
  prompts.answered(asking(second), 4 * MINUTE)
  expect(prompts.uncached(asking(second), 8 * MINUTE)).toBe(0)
})

test('what is kept for an hour counts for an hour, also after a later request for five minutes', () => {
  const prompts = createAnsweredPrompts()
  prompts.answered(asking(first, { cacheFor: '1h' }), 0)
  prompts.answered(asking(second), MINUTE)
  expect(prompts.uncached(asking(second), 2 * MINUTE)).toBe(0)
  expect(prompts.uncached(asking(second), 59 * MINUTE)).toBeLessThan(10_100)
  expect(prompts.uncached(asking(second), 60 * MINUTE)).toBeGreaterThan(20_200)
})

test.each<[string, Partial<ModelRequest>, number]>([
  ['another model', { model: 'claude-opus-5-5' }, 10_200],
  ['another system prompt', { system: 'Other. '.repeat(200) }, 10_200],
  ['another choice of tools, which leaves tools and system prompt', { toolChoice: 'none' }, 10_000],
])('%s has to be read', (_, more, least) => {
  const prompts = createAnsweredPrompts()
  prompts.answered(asking(first), 0)
  const tokens = prompts.uncached(asking(first, more), 0)
  expect(tokens).toBeGreaterThan(least)
  expect(tokens).toBeLessThan(least + 400)
})

test('a server that marks nothing keeps nothing, and one without the hour keeps five minutes', () => {
  const prompts = createAnsweredPrompts()
  const request = { model: 'm', system: '', tools: [], messages: first, toolChoice: 'auto' } as const
  const traits = traitsOf('claude-sonnet-5-5')
  prompts.answered(wireRequest(request, { traits: { ...traits, cache: false } }), 0)
  expect(prompts.uncached(wireRequest(request), 0)).toBeGreaterThan(10_000)
  const without = wireRequest({ ...request, cacheFor: '1h' }, { traits: { ...traits, longCache: false } })
  expect(without.cachedFor).toBe('5m')
  expect(without.body).not.toContain('ttl')
})

test('prompts of many agents are kept, and each gives way to its next turn', () => {
  const prompts = createAnsweredPrompts()
  for (let agent = 0; agent < 150; agent++) {
    prompts.answered(asking([user(`task ${agent}`)]), 0)
    prompts.answered(asking([user(`task ${agent}`), assistant('Yes.'), user('on')]), 0)
  }
  for (let agent = 0; agent < 150; agent++)
    expect(prompts.uncached(asking([user(`task ${agent}`), assistant('Yes.'), user('on')]), 1)).toBe(0)
})
