import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentColors, degreesOf, type Sibling, siblingColor, stableColor } from './agent-color.ts'

/** The colors of agents that start one after the other and all work. */
function colorsOf(wanted: readonly (string | null)[]): readonly string[] {
  const siblings: Sibling[] = []
  for (const color of wanted) siblings.push({ color: siblingColor(color, siblings), isLive: true })
  return siblings.map(({ color }) => color)
}

const apart = (one: string, other: string) => {
  const turn = Math.abs((degreesOf(one) ?? 0) - (degreesOf(other) ?? 0))
  return Math.min(turn, 360 - turn)
}

const wanted = fc.oneof(
  fc.constant(null),
  fc.constantFrom(...agentColors),
  fc.stringMatching(/^#[0-9a-f]{6}$/),
  fc.string(),
)
const family = fc.array(fc.record({ wanted, ends: fc.boolean() }), { maxLength: 24 })

function grow(starts: readonly { readonly wanted: string | null; readonly ends: boolean }[]) {
  const siblings: { color: string; isLive: boolean }[] = []
  for (const start of starts)
    siblings.push({ color: siblingColor(start.wanted, siblings), isLive: !start.ends })
  return siblings
}

test('eight siblings that name no color, or all the same, have eight hues', () => {
  expect(new Set(colorsOf(Array(8).fill(null))).size).toBe(8)
  expect(new Set(colorsOf(Array(8).fill('blue'))).size).toBe(8)
})

test('the first siblings are far apart', () => {
  const [one = '', two = '', three = '', four = ''] = colorsOf(Array(4).fill('blue'))
  expect(apart(one, two)).toBeGreaterThanOrEqual(140)
  const others = [
    apart(one, three),
    apart(two, three),
    apart(one, four),
    apart(two, four),
    apart(three, four),
  ]
  expect(Math.min(...others)).toBeGreaterThanOrEqual(60)
})

test('no agent has a hue near amber, and no two siblings are alike while a hue is free', () => {
  fc.assert(
    fc.property(family, (starts) => {
      const colors = grow(starts).map(({ color }) => color)
      for (const color of colors) {
        const degrees = degreesOf(color)
        if (degrees !== null) expect(degrees <= 15 || degrees >= 110).toBe(true)
      }
      const firsts = grow(starts.map((start) => ({ ...start, wanted: null }))).slice(0, 8)
      expect(new Set(firsts.map(({ color }) => color)).size).toBe(firsts.length)
    }),
  )
})

test('a color that a definition names is kept only while no sibling has one like it', () => {
  fc.assert(
    fc.property(family, wanted, (starts, color) => {
      const siblings = grow(starts)
      const next = siblingColor(color, siblings)
      const isTaken = siblings.some((one) => one.color === next)
      const free = ['blue', 'green', 'pink', 'purple', 'lime', 'teal', 'red', 'indigo'].filter((hue) =>
        siblings.every((one) => degreesOf(one.color) === null || apart(hue, one.color) >= 18),
      )
      expect(isTaken && free.length > 0).toBe(false)
    }),
  )
  expect(colorsOf(['pink', 'cyan', '#3366ff'])).toEqual(['pink', 'teal', '#3366ff'])
  expect(colorsOf(['pink', 'pink'])[1]).not.toBe('pink')
})

test('orange, yellow and an amber #hex are not respected', () => {
  for (const color of ['orange', 'yellow', '#ffaa00']) expect(siblingColor(color, [])).toBe('blue')
})

test('when all hues are taken, that of an ended sibling is next', () => {
  const all = grow(Array.from({ length: 8 }, () => ({ wanted: null, ends: false })))
  const siblings = all.map((one, index) => ({ ...one, isLive: index !== 5 }))
  expect(siblingColor(null, siblings)).toBe(siblings[5]?.color)
})

test('a definition without a color has a stable one', () => {
  expect(stableColor(null, 'reviewer')).toBe(stableColor('no color', 'reviewer'))
  expect(stableColor(' Orange ', 'reviewer')).toBe('orange')
})
