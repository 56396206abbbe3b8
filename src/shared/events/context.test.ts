import { expect, test } from 'vitest'
import { sampleEvent } from '../testing/sample-events.ts'
import { stateAfter } from '../testing/sample-log.ts'
import type { AgentEvent, Usage } from './agent-event.ts'
import { contextUse } from './context.ts'

const spawned = () =>
  sampleEvent('agent-spawned', {
    system: 'x'.repeat(4000),
    tools: [{ name: 'Read', description: 'y'.repeat(4000), input_schema: {} }],
  })
const reply = (tokens: number, more: { contextWindow?: number | undefined; usage?: Usage } = {}) =>
  sampleEvent('assistant-message', {
    usage: { input: 100, output: 50, cacheRead: tokens - 200, cacheWrite: 50 },
    contextWindow: 200_000,
    ...more,
  })
const after = (...events: AgentEvent[]) =>
  contextUse(stateAfter(events.map((event, seq) => ({ ...event, seq, order: seq }))).context)

test('nothing is known before the first answer, and of logs without the window', () => {
  expect(after(spawned())).toBeNull()
  expect(after(spawned(), reply(9000, { contextWindow: undefined }))).toBeNull()
})

test('the last answer decides: all tokens of its request and of itself', () => {
  expect(after(spawned(), reply(9000), reply(50_000))).toEqual({
    window: 200_000,
    used: 50_000,
    prefix: 2002,
    messages: 47_998,
    free: 150_000,
    percent: 25,
    level: 'plain',
  })
})

test('it is highlighted where compaction starts, and red near the end', () => {
  expect(after(spawned(), reply(159_000))?.level).toBe('plain')
  expect(after(spawned(), reply(160_000))?.level).toBe('near')
  expect(after(spawned(), reply(190_000))?.level).toBe('full')
  expect(after(spawned(), reply(230_000))).toMatchObject({ percent: 115, free: 0, level: 'full' })
})

test('another model may have another window', () => {
  expect(after(spawned(), reply(50_000), reply(50_000, { contextWindow: 1_000_000 }))?.percent).toBe(5)
})

test('after a compaction the summary is the only message, until the next answer', () => {
  const compacted = sampleEvent('context-compacted', { summary: 'z'.repeat(4000) })
  expect(after(spawned(), reply(170_000), compacted)).toMatchObject({ used: 3002, messages: 1000 })
  expect(after(spawned(), reply(170_000), compacted, reply(9000))?.used).toBe(9000)
})

test('the copied answers of a branch say nothing', () => {
  const copied = reply(200, { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } })
  expect(after(spawned(), copied)).toBeNull()
})

test('a renewed definition has another prompt', () => {
  const renewed = sampleEvent('definition-renewed', { system: 'x'.repeat(40) })
  expect(after(spawned(), reply(9000), renewed)?.prefix).toBe(10)
})
