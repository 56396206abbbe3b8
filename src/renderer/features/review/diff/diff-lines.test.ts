import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffBlock, diffLines } from './diff-lines.ts'

const kinds = (blocks: readonly DiffBlock[]) =>
  blocks.map(({ kind, beforeCount, afterCount }) => `${kind} ${beforeCount}:${afterCount}`)

test('what changed stands between what did not', () => {
  expect(kinds(diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'y', 'c', 'd'], false))).toEqual([
    'same 1:1',
    'change 1:2',
    'same 2:2',
  ])
  expect(kinds(diffLines([], ['a', 'b'], false))).toEqual(['change 0:2'])
  expect(kinds(diffLines(['a'], ['a'], false))).toEqual(['same 1:1'])
  expect(diffLines([], [], false)).toEqual([])
})

test('of a file that was written anew only what both sides have is compared', () => {
  const before = Array.from({ length: 20_000 }, (_, at) => (at % 1000 === 999 ? `kept ${at}` : `old ${at}`))
  const after = before.map((line) => line.replace('old', 'new'))
  expect(kinds(diffLines(before, after, false)).slice(0, 3)).toEqual([
    'change 999:999',
    'same 1:1',
    'change 999:999',
  ])
})

test('changes of spaces are left out where that is wished', () => {
  expect(kinds(diffLines(['if (a) {', '  b'], ['if(a){', '\tb'], true))).toEqual(['same 2:2'])
  expect(kinds(diffLines(['a b'], ['a c'], true))).toEqual(['change 1:1'])
})

test('the blocks cover both sides without a gap, and what they call the same is', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      let [old, now] = [0, 0]
      for (const block of diffLines(before, after, false)) {
        expect([block.before, block.after]).toEqual([old, now])
        if (block.kind === 'same')
          expect(before.slice(old, old + block.beforeCount)).toEqual(after.slice(now, now + block.afterCount))
        old += block.beforeCount
        now += block.afterCount
      }
      expect([old, now]).toEqual([before.length, after.length])
    }),
  )
})
