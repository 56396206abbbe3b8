import { expect, test } from 'vitest'
import { mayClash } from './may-clash.ts'

const work = (paths: readonly string[], kind: 'added' | 'modified' | 'deleted' | 'renamed' = 'modified') => ({
  from: 'base',
  files: paths.map((path) => ({ path, kind })),
})

test('only unrelated files are certain not to conflict', () => {
  expect(mayClash(work(['a.ts', 'src/b.ts']), work(['c.ts', 'src/d.ts'], 'added'))).toBe(false)
  expect(mayClash(work(['a.ts']), work(['b.ts', 'a.ts']))).toBe(true)
  // A file against a folder of the same name, and names that differ only in case.
  expect(mayClash(work(['docs'], 'added'), work(['docs/a.md'], 'added'))).toBe(true)
  expect(mayClash(work(['docs/a.md'], 'added'), work(['docs'], 'added'))).toBe(true)
  expect(mayClash(work(['README.md']), work(['readme.md']))).toBe(true)
})

test('a renamed or deleted file or a different base requires a check by git', () => {
  expect(mayClash(work(['a.ts'], 'renamed'), work(['b.ts']))).toBe(true)
  expect(mayClash(work(['a.ts']), work(['b.ts'], 'deleted'))).toBe(true)
  expect(mayClash({ ...work(['a.ts']), from: 'other' }, work(['b.ts']))).toBe(true)
})
