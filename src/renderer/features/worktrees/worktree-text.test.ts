import { expect, test } from 'vitest'
import { formatSize } from '../../ui/text/format.ts'
import { madeUpWorktree } from './testing/review-world.ts'
import { hasUnmergedWork, mergeStates, unmergedText } from './worktree-text.ts'

const made = (more: Parameters<typeof madeUpWorktree>[0]) => madeUpWorktree(more).worktree
const BASE = { id: 'a', agentName: 'a' }
const texts = (more: object, isFirst = false) =>
  mergeStates(made({ ...BASE, ...more }), { nameOf: (id) => `agent ${id}`, isFirst }).map(({ text }) => text)

test('merge states: clean, unchecked, in conflict, resolving, merged', () => {
  expect(texts({})).toEqual(['merges cleanly'])
  expect(texts({ check: null })).toEqual(['checking…'])
  expect(texts({ conflictsWith: [{ id: 'b', files: ['x', 'y'] }] })).toEqual(['2 conflicts with agent b'])
  expect(texts({ conflictsWith: [{ id: 'b', files: ['x'] }] }, true)).toEqual(['merges cleanly'])
  expect(texts({ resolving: ['x'] })).toEqual(['resolving 1 conflict'])
  expect(texts({ state: 'working' })).toEqual([])
  expect(texts({ state: 'merged', merged: { into: 'dev', commit: '', method: 'merge', at: 0 } })).toEqual([
    'merged into dev',
  ])
})

test('unmerged work is work that exists nowhere else', () => {
  expect(hasUnmergedWork(made({ ...BASE, commits: 1 }))).toBe(true)
  expect(hasUnmergedWork(made({ ...BASE, commits: 0 }))).toBe(false)
  expect(hasUnmergedWork(made({ ...BASE, commits: 4, state: 'merged' }))).toBe(false)
  expect(hasUnmergedWork(made({ ...BASE, commits: 0, uncommitted: 1, state: 'merged' }))).toBe(true)
  expect(unmergedText(made({ ...BASE, commits: 1, uncommitted: 2 }))).toBe('1 commit and 2 uncommitted files')
})

test('sizes', () => {
  expect([0, 999, 1000, 48_300_000, 120_000_000].map(formatSize)).toEqual([
    '0 bytes',
    '999 bytes',
    '1 KB',
    '48.3 MB',
    '120 MB',
  ])
})
