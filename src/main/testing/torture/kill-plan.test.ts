import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { type Measure, plansOf } from './kill-plan.ts'

const measure: Measure = {
  counts: new Map<AgentEvent['type'], number>([
    ['agent-spawned', 9],
    ['assistant-message', 40],
    ['tool-started', 30],
    ['agent-ended', 9],
  ]),
  requests: 40,
  bootMs: 300,
}
const seeds = Array.from({ length: 100 }, (_, seed) => seed)

test('four rounds of different seeds meet all boundaries', () => {
  const met = seeds.flatMap((seed) =>
    [0, 1, 2, 3].flatMap((round) => {
      const [first] = plansOf(round, seed, measure)
      return first?.kind === 'delay' ? [] : [first?.kind === 'boundary' ? first.type : first?.kind]
    }),
  )
  expect(new Set(met)).toEqual(new Set([...measure.counts.keys(), 'request']))
})

test('a random moment is one of the run', () => {
  const moments = seeds.flatMap((seed) =>
    plansOf(1, seed, measure).flatMap((plan) => (plan.kind === 'delay' ? [plan.events] : [])),
  )
  expect(Math.min(...moments)).toBe(0)
  expect(Math.max(...moments)).toBeLessThanOrEqual(88)
  expect(Math.max(...moments)).toBeGreaterThan(80)
})

test('the same seed gives the same plans', () => {
  expect(plansOf(5, 7, measure)).toEqual(plansOf(5, 7, measure))
})
