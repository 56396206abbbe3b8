import { expect, test } from 'vitest'
import type { ReviewConflict } from '../../../shared/worktrees/review.ts'
import { conflictKeys, fileResolution, isResolved, type ResolutionChoice } from './conflict-resolution.ts'

const conflictOf = (more: Partial<ReviewConflict>): ReviewConflict => ({
  path: 'a.ts',
  version: 'v1',
  text: null,
  base: { text: '' },
  ours: { text: 'ours\n' },
  theirs: { text: 'theirs\n' },
  because: 'both changed it',
  ...more,
})
const resolve = (conflict: ReviewConflict, ...choices: readonly (ResolutionChoice | undefined)[]) =>
  fileResolution(
    conflict,
    Object.fromEntries(
      conflictKeys(conflict).flatMap((key, index) => {
        const choice = choices[index]
        return choice === undefined ? [] : [[key, choice]]
      }),
    ),
  )

const TWO = conflictOf({
  text: [
    'top\n<<<<<<< main\no1\n||||||| base\nb\n=======\nt1\nt2\n>>>>>>> mine\n',
    'middle\n<<<<<<< main\n=======\nt3\n>>>>>>> mine\n',
  ].join(''),
})

test('a file is resolved when each conflict has a choice', () => {
  expect(resolve(TWO)).toBeNull()
  expect(resolve(TWO, 'ours')).toBeNull()
  expect(resolve(TWO, 'ours', 'theirs')).toEqual({ path: 'a.ts', text: 'top\no1\nmiddle\nt3\n' })
  expect(resolve(TWO, 'both', 'ours')).toEqual({ path: 'a.ts', text: 'top\no1\nt1\nt2\nmiddle\n' })
  expect(resolve(TWO, { text: 'mixed' }, { text: '' })).toEqual({
    path: 'a.ts',
    text: 'top\nmixed\nmiddle\n',
  })
})

test('a text with markers is no resolution', () => {
  for (const text of ['<<<<<<< main\nx\n', 'x\n>>>>>>> mine', '<<<<<<<\r\n']) {
    expect(isResolved({ text })).toBe(false)
    expect(resolve(TWO, 'ours', { text })).toBeNull()
  }
  // An underlined heading is not a conflict.
  expect(isResolved({ text: 'Title\n=======\n' })).toBe(true)
})

test('line endings stay, also of edited lines; a missing last one stays missing', () => {
  const text = 'a\r\n<<<<<<< main\r\no\r\n=======\r\nt\r\n>>>>>>> mine\r\n'
  expect(resolve(conflictOf({ text }), 'theirs')).toEqual({ path: 'a.ts', text: 'a\r\nt\r\n' })
  expect(resolve(conflictOf({ text }), { text: 'x\ny' })).toEqual({ path: 'a.ts', text: 'a\r\nx\r\ny\r\n' })
  const open = conflictOf({
    text: 'a\n<<<<<<< main\no\n=======\nt\n>>>>>>> mine\n',
    ours: { text: 'a\no' },
  })
  expect(resolve(open, 'ours')).toEqual({ path: 'a.ts', text: 'a\no' })
  expect(resolve(open, 'theirs')).toEqual({ path: 'a.ts', text: 'a\nt\n' })
})

test('a file without text is chosen as a whole; the old name of a rename needs no choice', () => {
  const deleted = conflictOf({ ours: null })
  expect(resolve(deleted)).toBeNull()
  expect(resolve(deleted, 'ours')).toEqual({ path: 'a.ts', use: 'ours' })
  expect(resolve(deleted, 'both')).toBeNull()
  expect(conflictKeys(conflictOf({ ours: null, theirs: null }))).toEqual([])
})

test('a choice does not apply to a conflict that has changed', () => {
  const before = conflictKeys(TWO)
  const after = conflictKeys({ ...TWO, text: (TWO.text ?? '').replace('t1', 'changed') })
  expect(after[0]).not.toBe(before[0])
  expect(after[1]).toBe(before[1])
})
