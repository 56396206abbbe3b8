import { expect, test } from 'vitest'
import type { DraftComment } from '../review-comments.ts'
import { diffLines } from './diff-lines.ts'
import { changeStarts, type DiffRow, type RowChoices, rowsOfDiff } from './diff-rows.ts'

const DEFAULTS: RowChoices = {
  layout: 'split',
  expansions: new Map(),
  whole: false,
  comments: [],
  sent: [],
  editing: null,
  isStale: () => false,
  notes: [],
}
const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
const after = before.map((line, index) => (index === 14 ? 'other' : line))
const blocks = diffLines(before, after, false)
const texts = (rows: readonly DiffRow[]) =>
  rows.map((row) =>
    row.kind === 'line'
      ? `${row.before ?? '-'}:${row.after ?? '-'}`
      : row.kind === 'gap'
        ? `gap ${row.hidden}`
        : row.kind,
  )

test('three lines around a change are shown; other unchanged lines are gaps', () => {
  expect(texts(rowsOfDiff(blocks, DEFAULTS))).toEqual([
    'gap 11',
    ...['11:11', '12:12', '13:13', '14:14', '15:15', '16:16', '17:17'],
    'gap 12',
  ])
  expect(texts(rowsOfDiff(blocks, { ...DEFAULTS, layout: 'unified' }))).toContain('14:-')
})

test('a gap expands from both ends; a small gap is shown in full', () => {
  const opened = rowsOfDiff(blocks, { ...DEFAULTS, expansions: new Map([[0, { top: 4, bottom: 4 }]]) })
  expect(texts(opened).slice(0, 6)).toEqual(['0:0', '1:1', '2:2', '3:3', '4:4', '5:5'])
  expect(texts(rowsOfDiff(blocks, { ...DEFAULTS, whole: true }))).toHaveLength(30)
})

test('a comment is below its line and keeps the line visible; stale comments come first', () => {
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
    ...DEFAULTS,
    comments: [comment('1', 5), comment('2', 15), comment('3', 99)],
    isStale: ({ line }) => line === 99,
  })
  expect(texts(rows)).toEqual([
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
  // A comment inside a change does not split the change.
  expect(changeStarts(rows)).toEqual([8])
})
