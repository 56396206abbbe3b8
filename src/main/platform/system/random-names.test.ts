import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIds } from './random-names.ts'

it('creates ids that sort by creation, even if the clock stops or goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 1000 }), { minLength: 2, maxLength: 60 }), (steps) => {
      let now = 1_700_000_000_000
      const ids = createIds({ clock: { now: () => now }, random: Math.random })
      const made = steps.map((step) => {
        now += step
        return ids.next('a')
      })
      expect(made.toSorted()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
      for (const id of made) expect(id).toMatch(/^a-[0-9a-hjkmnp-tv-z]{20}$/)
    }),
  )
})

it('moves to the next millisecond when the counter is exhausted', () => {
  const ids = createIds({ clock: { now: () => 1 }, random: () => 0.9999 })
  const made = [ids.next('m'), ids.next('m'), ids.next('m')]
  expect(made).toEqual(['m-0000000001zzzzzzzzzz', 'm-0000000002zzzzzzzzzz', 'm-0000000003zzzzzzzzzz'])
})

it('sorts by time across processes', () => {
  const at = (now: number) => createIds({ clock: { now: () => now }, random: Math.random }).next('c')
  expect(at(1_700_000_000_000) < at(1_700_000_000_001)).toBe(true)
  expect(at(9) < at(1_700_000_000_000)).toBe(true)
})
