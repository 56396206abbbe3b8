import { expect, test } from 'vitest'
import type { DraftComment } from '../../../stores/review-comments.ts'
import { diffLines } from './diff-lines.ts'
import { changeStarts, type DiffRow, type RowChoices, rowsOfDiff } from './diff-rows.ts'

const USUAL: RowChoices = {
  layout: 'split',
  expansions: new Map(),
  whole: false,
  comments: [],
  editing: null,
  isStale: () => false,
  notes: [],
}
const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
const after = before.map((line, index) => (index === 14 ? 'other' : line))
const blocks = diffLines(before, after, false)
const words = (rows: readonly DiffRow[]) =>
  rows.map((row) =>
    row.kind === 'line'
      ? `${row.before ?? '-'}:${row.after ?? '-'}`
      : row.kind === 'gap'
        ? `gap ${row.hidden}`
        : row.kind,
  )

test('three lines around a change are shown; what is between is a gap', () => {
  expect(words(rowsOfDiff(blocks, USUAL))).toEqual([
    'gap 11',
    ...['11:11', '12:12', '13:13', '14:14', '15:15', '16:16', '17:17'],
    'gap 12',
  ])
  expect(words(rowsOfDiff(blocks, { ...USUAL, layout: 'unified' }))).toContain('14:-')
})

test('a gap opens from both ends, a small one is none', () => {
  const opened = rowsOfDiff(blocks, { ...USUAL, expansions: new Map([[0, { top: 4, bottom: 4 }]]) })
  expect(words(opened).slice(0, 6)).toEqual(['0:0', '1:1', '2:2', '3:3', '4:4', '5:5'])
  expect(words(rowsOfDiff(blocks, { ...USUAL, whole: true }))).toHaveLength(30)
})

test('a comment stands below its line and keeps it in sight, one whose lines changed stands first', () => {
  const comment = (key: string, line: number): DraftComment => ({
    key,
    path: 'a',
    line,
    lastLine: null,
    side: 'after',
    quote: '',
    text: 'why?',
  })
  const rows = rowsOfDiff(blocks, {
    ...USUAL,
    comments: [comment('1', 5), comment('2', 15), comment('3', 99)],
    isStale: ({ line }) => line === 99,
  })
  expect(words(rows)).toEqual([
    'comment',
    'gap 4',
    '4:4',
    'comment',
    'gap 6',
    ...['11:11', '12:12', '13:13', '14:14'],
    'comment',
    ...['15:15', '16:16', '17:17'],
    'gap 12',
  ])
  // A comment in the middle of a change does not make two of it.
  expect(changeStarts(rows)).toEqual([8])
})
