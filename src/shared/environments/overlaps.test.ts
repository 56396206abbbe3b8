import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findOverlaps, overlapText, readChangedLines } from './overlaps.ts'

const blob = (letter: string) => letter.repeat(40)
const diff = (path: string, hunks: readonly string[], before = blob('a')) =>
  [`diff --git a/${path} b/${path}`, `index ${before}..${blob('f')} 100644`, `--- a/${path}`, ...hunks].join(
    '\n',
  )

const work = (id: string, ...diffs: readonly string[]) => ({ id, lines: readChangedLines(diffs.join('\n')) })
const between = (one: ReturnType<typeof work>, other: ReturnType<typeof work>) =>
  findOverlaps([one, other], { known: [], now: 7 })

it('the same lines of a file are an overlap, other lines of it are none', () => {
  const one = work('one', diff('src/money.ts', ['@@ -40,19 +40,25 @@ function pay() {']))
  const other = work('other', diff('src/money.ts', ['@@ -3 +3 @@', '@@ -50,20 +50,2 @@']))
  const far = work('far', diff('src/money.ts', ['@@ -1,39 +1 @@', '@@ -59 +20 @@']))
  expect(between(one, other)).toEqual([
    { path: 'src/money.ts', first: 50, last: 58, ids: ['one', 'other'], since: 7 },
  ])
  expect(between(one, far)).toEqual([])
})

it('insertions overlap at the same place, and inside changed lines', () => {
  const at = (line: number) => work('i', diff('a', [`@@ -${line},0 +${line + 1},2 @@`]))
  const changed = work('c', diff('a', ['@@ -10,5 +10,5 @@']))
  expect(between(at(12), changed)).toHaveLength(1)
  expect(between(at(9), changed)).toEqual([])
  expect(between(at(14), changed)).toEqual([])
  expect(between({ ...at(3), id: 'j' }, at(3))).toHaveLength(1)
  expect(between({ ...at(4), id: 'j' }, at(3))).toEqual([])
})

it('files whose content differed at the start are not compared by lines', () => {
  const one = work('one', diff('a', ['@@ -1 +1 @@']))
  expect(between(one, work('two', diff('a', ['@@ -1 +1 @@'], blob('b'))))).toEqual([])
  const added = diff('new', ['@@ -0,0 +1,9 @@'], blob('0'))
  expect(between(work('one', added), work('two', added))).toHaveLength(1)
})

it('an overlap keeps the time at which it was seen first', () => {
  const works = ['a', 'b'].map((id) => work(id, diff('x', ['@@ -1 +1 @@'])))
  const first = findOverlaps(works, { known: [], now: 1 })
  expect(findOverlaps(works, { known: first, now: 9 })).toEqual(first)
})

it('is the same for both orders of two works', () => {
  const hunk = fc.tuple(fc.nat(60), fc.nat(6)).map(([line, count]) => `@@ -${line},${count} +1 @@`)
  fc.assert(
    fc.property(fc.array(hunk, { maxLength: 5 }), fc.array(hunk, { maxLength: 5 }), (ours, theirs) => {
      const [one, other] = [work('a', diff('x', ours)), work('b', diff('x', theirs))]
      expect(between(one, other)).toEqual(between(other, one))
    }),
  )
})

it('is named by file and lines', () => {
  expect(overlapText({ path: 'a', first: 4, last: 9 })).toBe('a:4-9')
  expect(overlapText({ path: 'a', first: 4, last: 4 })).toBe('a:4')
})
