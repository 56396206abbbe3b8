import { expect, test } from 'vitest'
import { mayClash } from './may-clash.ts'

const work = (paths: readonly string[], kind: 'added' | 'modified' | 'deleted' | 'renamed' = 'modified') => ({
  from: 'base',
  files: paths.map((path) => ({ path, kind })),
})

test('only files that have nothing to do with each other are certain not to conflict', () => {
  expect(mayClash(work(['a.ts', 'src/b.ts']), work(['c.ts', 'src/d.ts'], 'added'))).toBe(false)
  expect(mayClash(work(['a.ts']), work(['b.ts', 'a.ts']))).toBe(true)
  // A file here, a folder there; and a disk that takes both names for one.
  expect(mayClash(work(['docs'], 'added'), work(['docs/a.md'], 'added'))).toBe(true)
  expect(mayClash(work(['docs/a.md'], 'added'), work(['docs'], 'added'))).toBe(true)
  expect(mayClash(work(['README.md']), work(['readme.md']))).toBe(true)
})

test('where a file was taken away, or the beginnings differ, git is asked', () => {
  expect(mayClash(work(['a.ts'], 'renamed'), work(['b.ts']))).toBe(true)
  expect(mayClash(work(['a.ts']), work(['b.ts'], 'deleted'))).toBe(true)
  expect(mayClash({ ...work(['a.ts']), from: 'other' }, work(['b.ts']))).toBe(true)
})
