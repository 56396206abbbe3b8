import { expect, test } from 'vitest'
import { byFileName, treeRows } from './file-tree.ts'

const sorted = (...paths: string[]) => paths.toSorted(byFileName)

/** Each visible row, indented by its level. */
const shown = (paths: readonly string[], closed: readonly string[] = []) =>
  treeRows(
    sorted(...paths).map((path) => ({ path })),
    new Set(closed),
  ).map((row) => `${'  '.repeat(row.level - 1)}${row.kind === 'folder' ? `${row.name}/` : row.path}`)

test('numbers in names sort by value, and folders come before files', () => {
  expect(sorted('file10.ts', 'file2.ts', 'z/a.ts', 'File1.ts')).toEqual([
    'z/a.ts',
    'File1.ts',
    'file2.ts',
    'file10.ts',
  ])
  expect(sorted('step-10/a', 'step-9/b')).toEqual(['step-9/b', 'step-10/a'])
})

test('names that differ only in case have one order', () => {
  expect(sorted('a.ts', 'A.ts')).toEqual(sorted('A.ts', 'a.ts'))
  expect(byFileName('a.ts', 'a.ts')).toBe(0)
})

test('folders with a single folder inside share one row', () => {
  expect(shown(['src/ui/text/a.ts', 'src/ui/text/b.ts', 'src/main.ts', 'README.md'])).toEqual([
    'src/',
    '  ui/text/',
    '    src/ui/text/a.ts',
    '    src/ui/text/b.ts',
    '  src/main.ts',
    'README.md',
  ])
})

test('a closed folder hides its rows and keeps its number of files', () => {
  const paths = ['src/ui/a.ts', 'src/ui/b.ts', 'src/main.ts']
  expect(shown(paths, ['src/ui/'])).toEqual(['src/', '  ui/', '  src/main.ts'])
  const rows = treeRows(
    sorted(...paths).map((path) => ({ path })),
    new Set(['src/']),
  )
  expect(rows).toEqual([{ kind: 'folder', path: 'src/', name: 'src', level: 1, isOpen: false, files: 3 }])
})
