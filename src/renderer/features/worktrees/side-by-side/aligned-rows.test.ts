import { expect, test } from 'vitest'
import { diffLines } from '../diff/diff-lines.ts'
import { type AlignedRow, alignedRows, type ColumnDiff } from './aligned-rows.ts'

const lines = (text: string) => (text === '' ? [] : text.split(' '))
const column = (before: string, after: string): ColumnDiff => ({
  before: lines(before),
  after: lines(after),
  blocks: diffLines(lines(before), lines(after), false),
})

const CLOSED = { expanded: new Set<number>(), whole: false }

/** One string for each row: "a | a", "-b | +c", "…4". */
const drawn = (columns: readonly ColumnDiff[], rows: readonly AlignedRow[]): readonly string[] =>
  rows.map((row) => {
    if (row.kind === 'gap') return `…${row.hidden}`
    const cells = row.cells.map((cell, index) => {
      const { before, after } = columns[index] ?? { before: [], after: [] }
      if (cell === null) return '.'
      if (cell.after === null) return `-${before[cell.before ?? 0]}`
      return `${cell.before === null ? '+' : ''}${after[cell.after]}`
    })
    return `${cells.join(' | ')}${row.change === null ? '' : ` ${row.change}`}`
  })

const draw = (columns: readonly ColumnDiff[], choices = CLOSED) =>
  drawn(columns, alignedRows(columns, choices))

test('the lines of the common text stay beside each other, however long the changes are', () => {
  const columns = [column('a b c d', 'a x y z c d'), column('a b c d', 'a b c e')]
  expect(draw(columns)).toEqual([
    'a | a',
    '-b | b different',
    '+x | .',
    '+y | .',
    '+z | .',
    'c | c',
    'd | -d different',
    '. | +e',
  ])
})

test('a change that all columns make is marked as the same; one that a column lacks is not', () => {
  const same = column('a b c', 'a x c')
  expect(draw([same, same])).toEqual(['a | a', '-b | -b same', '+x | +x', 'c | c'])
  expect(draw([same, same, column('a b c', 'a b c')])).toEqual([
    'a | a | a',
    '-b | -b | b different',
    '+x | +x | .',
    'c | c | c',
  ])
})

test('insertions at the same line are one change, and the text after them is aligned again', () => {
  const columns = [column('a b', 'a 1 2 b'), column('a b', 'a 3 b')]
  expect(draw(columns)).toEqual(['a | a', '+1 | +3 different', '+2 | .', 'b | b'])
})

test('an added file has one column; a deleted one has all its lines removed', () => {
  expect(draw([column('', 'a b'), column('', '')])).toEqual(['+a | . different', '+b | .'])
  expect(draw([column('a b', ''), column('a b', 'a b')])).toEqual(['-a | a different', '-b | b'])
})

test('changes that overlap in the columns are one region with the common lines of each', () => {
  const columns = [column('a b c d e', 'a X d e'), column('a b c d e', 'a b c Y e')]
  expect(draw(columns)).toEqual([
    'a | a',
    '-b | b different',
    '-c | c',
    '+X | .',
    'd | -d different',
    '. | +Y',
    'e | e',
  ])
  const wide = [column('a b c d e', 'a X Y'), column('a b c d e', 'a b Z d e')]
  expect(draw(wide)).toEqual([
    'a | a',
    '-b | b different',
    '-c | -c',
    '-d | +Z',
    '-e | d',
    '+X | e',
    '+Y | .',
  ])
})

const LONG = Array.from({ length: 30 }, (_, index) => `l${index}`).join(' ')

test('lines far from any change are a gap, until it is expanded or all lines are wanted', () => {
  const columns = [column(LONG, LONG.replace('l15', 'x')), column(LONG, LONG)]
  expect(draw(columns)).toEqual([
    '…12',
    'l12 | l12',
    'l13 | l13',
    'l14 | l14',
    '-l15 | l15 different',
    '+x | .',
    'l16 | l16',
    'l17 | l17',
    'l18 | l18',
    '…11',
  ])
  const rows = alignedRows(columns, CLOSED)
  expect(rows.at(-1)).toMatchObject({ kind: 'gap', from: 19, upTo: 30 })
  expect(draw(columns, { ...CLOSED, expanded: new Set([19]) })).toHaveLength(20)
  expect(draw(columns, { ...CLOSED, whole: true })).toHaveLength(31)
})

test('attempts that began with different texts are shown in full, without alignment', () => {
  expect(draw([column('a b', 'a c'), column('z', 'z y')])).toEqual(['a | z different', '-b | +y', '+c | .'])
})
