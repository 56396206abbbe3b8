import { expect, test } from 'vitest'
import { madeUpWorktree } from './testing/review-world.ts'
import { holdsUnmergedWork, sizeWords, standingsOf, unmergedWords } from './worktree-words.ts'

const made = (more: Parameters<typeof madeUpWorktree>[0]) => madeUpWorktree(more).worktree
const BASE = { id: 'a', agentName: 'a' }
const words = (more: object, isFirst = false) =>
  standingsOf(made({ ...BASE, ...more }), { nameOf: (id) => `agent ${id}`, isFirst }).map(({ text }) => text)

test('how a worktree fits together with the others', () => {
  expect(words({})).toEqual(['merges cleanly'])
  expect(words({ check: null })).toEqual(['checking…'])
  expect(words({ conflictsWith: [{ id: 'b', files: ['x', 'y'] }] })).toEqual(['2 conflicts with agent b'])
  expect(words({ conflictsWith: [{ id: 'b', files: ['x'] }] }, true)).toEqual(['merges cleanly'])
  expect(words({ resolving: ['x'] })).toEqual(['resolving 1 conflict'])
  expect(words({ state: 'working' })).toEqual([])
  expect(words({ state: 'merged', merged: { into: 'dev', commit: '', method: 'merge', at: 0 } })).toEqual([
    'merged into dev',
  ])
})

test('only what is nowhere else needs its name to be typed', () => {
  expect(holdsUnmergedWork(made({ ...BASE, commits: 1 }))).toBe(true)
  expect(holdsUnmergedWork(made({ ...BASE, commits: 0 }))).toBe(false)
  expect(holdsUnmergedWork(made({ ...BASE, commits: 4, state: 'merged' }))).toBe(false)
  expect(holdsUnmergedWork(made({ ...BASE, commits: 0, uncommitted: 1, state: 'merged' }))).toBe(true)
  expect(unmergedWords(made({ ...BASE, commits: 1, uncommitted: 2 }))).toBe(
    '1 commit and 2 uncommitted files',
  )
})

test('sizes', () => {
  expect([0, 999, 1000, 48_300_000, 120_000_000].map(sizeWords)).toEqual([
    '0 bytes',
    '999 bytes',
    '1 KB',
    '48.3 MB',
    '120 MB',
  ])
})
