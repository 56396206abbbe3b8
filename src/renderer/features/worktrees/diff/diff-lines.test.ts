import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffBlock, diffLines } from './diff-lines.ts'

const kinds = (blocks: readonly DiffBlock[]) =>
  blocks.map(({ kind, beforeCount, afterCount }) => `${kind} ${beforeCount}:${afterCount}`)

test('changed blocks alternate with equal blocks', () => {
  expect(kinds(diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'y', 'c', 'd'], false))).toEqual([
    'same 1:1',
    'change 1:2',
    'same 2:2',
  ])
  expect(kinds(diffLines([], ['a', 'b'], false))).toEqual(['change 0:2'])
  expect(kinds(diffLines(['a'], ['a'], false))).toEqual(['same 1:1'])
  expect(diffLines([], [], false)).toEqual([])
})

test('only lines on both sides of a rewritten file are compared', () => {
  const before = Array.from({ length: 20_000 }, (_, at) => (at % 1000 === 999 ? `kept ${at}` : `old ${at}`))
  const after = before.map((line) => line.replace('old', 'new'))
  expect(kinds(diffLines(before, after, false)).slice(0, 3)).toEqual([
    'change 999:999',
    'same 1:1',
    'change 999:999',
  ])
})

test('whitespace changes can be ignored', () => {
  expect(kinds(diffLines(['if (a) {', '  b'], ['if(a){', '\tb'], true))).toEqual(['same 2:2'])
  expect(kinds(diffLines(['a b'], ['a c'], true))).toEqual(['change 1:1'])
})

test('the blocks cover both sides without gaps, and equal blocks are equal', () => {
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
