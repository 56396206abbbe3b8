import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ok } from '../../../../shared/kernel/result.ts'
import { createReview } from './create-review.ts'
import {
  countCalls,
  createReviewRepository,
  lines,
  type ReviewRepository,
  value,
} from './testing/review-repository.ts'

let repository: ReviewRepository
let calls: string[]

beforeEach(async () => {
  calls = []
  repository = await createReviewRepository({
    wrap: (git) => countCalls(git, (args) => calls.push(args)),
    name: 'Größe ünd Maß',
  })
})
afterEach(() => repository.remove())

const list = (thorough: boolean) => repository.review.list(repository.folder, { thorough })
const main = (...args: string[]) => repository.run(repository.folder, ...args)

test('two agents that change the same line conflict with each other, and worktrees with the fewest conflicts come first', async () => {
  const one = await repository.work('one', [{ 'a.txt': lines('a', 12, { 5: 'one' }) }])
  const two = await repository.work('two', [{ 'a.txt': lines('a', 12, { 5: 'two' }) }])
  const three = await repository.work('three', [
    { 'b.txt': lines('b', 12, { 1: 'three', 2: 'x' }), 'c.txt': '1\n' },
  ])
  const quick = await list(false)
  expect(quick.worktrees.map(({ check, bytes, conflictsWith }) => [check, bytes, conflictsWith])).toEqual(
    Array(3).fill([null, null, []]),
  )
  const seen = await list(true)
  expect(seen.worktrees).toMatchObject([
    {
      id: one.id,
      state: 'ready',
      check: { kind: 'clean' },
      conflictsWith: [{ id: two.id, files: ['a.txt'] }],
    },
    {
      id: two.id,
      state: 'ready',
      check: { kind: 'clean' },
      conflictsWith: [{ id: one.id, files: ['a.txt'] }],
    },
    { id: three.id, commits: 1, files: 2, insertions: 3, deletions: 2, uncommitted: 0, conflictsWith: [] },
  ])
  expect(seen.order).toEqual([three.id, one.id, two.id])
  expect(seen).toMatchObject({ branches: ['main'], current: 'main', ahead: null, problem: null })
  for (const { bytes, ended } of seen.worktrees) {
    expect(bytes).toBeGreaterThan(0)
    expect(ended).toBe('completed')
  }

  const pairs = () => calls.filter((call) => call.startsWith('merge-tree')).length
  const before = pairs()
  calls = []
  expect(await list(true)).toEqual(seen)
  // One check per worktree against its target, and one for the two that change the same file.
  expect(before).toBe(4)
  expect(pairs()).toBe(0)
  // Only the checks that involve the changed worktree run again.
  await repository.write(two.path, { 'a.txt': lines('a', 12, { 6: 'two' }) })
  calls = []
  await list(true)
  expect(pairs()).toBe(2)
})

test('uncommitted changes count in the figures, the merge check and the conflicts with other worktrees', async () => {
  await repository.commit({ '.gitignore': 'ignored/\n' })
  const running = await repository.begin('runner')
  await repository.write(running.path, {
    'a.txt': lines('a', 12, { 5: 'runner' }),
    'new.txt': 'one\ntwo\n',
    'b.txt': null,
    'ignored/x': 'x',
  })
  const other = await repository.work('other', [{ 'a.txt': lines('a', 12, { 5: 'other' }) }])
  await repository.commit({ 'b.txt': 'a person\n' })
  const index = await repository.state(running.path)
  const [seen] = (await list(true)).worktrees
  expect(seen).toMatchObject({
    state: 'working',
    ended: null,
    commits: 0,
    files: 3,
    insertions: 3,
    deletions: 13,
    uncommitted: 3,
    check: { kind: 'conflicts', files: ['b.txt'] },
    conflictsWith: [{ id: other.id, files: ['a.txt'] }],
  })
  expect(await repository.state(running.path)).toEqual(index)
})

test('work counts as merged however it reached the target, also if the user copied it', async () => {
  const squashed = await repository.work('squasher', [
    { 'a.txt': lines('a', 12, { 5: 'x' }) },
    { 'n.txt': 'n' },
  ])
  const picked = await repository.work('picker', [{ 'b.txt': lines('b', 12, { 5: 'x' }) }])
  const reworked = await repository.work('other', [{ 'docs/x.md': 'x\n' }])
  await repository.commit({ 'a.txt': lines('a', 12, { 5: 'x' }), 'n.txt': 'n' })
  await main('cherry-pick', picked.branch)
  // The same lines were changed again since, so a merge would conflict now.
  await repository.commit({ 'b.txt': lines('b', 12, { 5: 'y' }) })
  const state = async (id: string) => (await list(true)).worktrees.find((one) => one.id === id)?.state
  expect(await state(squashed.id)).toBe('merged')
  expect(await state(picked.id)).toBe('merged')
  expect(await state(reworked.id)).toBe('ready')
  // After one more change the worktree is no longer merged.
  await repository.write(squashed.path, { 'late.txt': 'late' })
  expect(await state(squashed.id)).toBe('ready')
})

test('missing folders, branches, targets and conversations are reported', async () => {
  const folderless = await repository.work('one', [{ 'a.txt': 'one\n' }])
  const branchless = await repository.work('two', [{ 'a.txt': 'two\n' }])
  const nothing = await repository.work('three', [{ 'a.txt': 'three\n' }])
  await rm(folderless.path, { recursive: true })
  await main('update-ref', '-d', `refs/heads/${branchless.branch}`)
  await rm(nothing.path, { recursive: true })
  await main('update-ref', '-d', `refs/heads/${nothing.branch}`)
  await main('branch', '-m', 'trunk')
  const seen = await list(true)
  expect(seen.worktrees).toMatchObject([
    { id: folderless.id, folderGone: true, files: 1, commits: 1, bytes: 0, problem: null },
    { id: branchless.id, folderGone: false },
  ])
  expect(seen.worktrees[0]?.check).toEqual({ kind: 'unknown', because: 'the branch main is gone' })
  expect(seen.worktrees[1]?.problem).toContain(branchless.branch)
  expect(seen.worktrees[1]?.problem).toContain(`git branch ${branchless.branch}`)

  const gone = createReview({
    git: repository.git,
    dataFolder: repository.dataFolder,
    now: Date.now,
    onProblem: () => {},
    conversationExists: async () => false,
  })
  expect((await gone.list(repository.folder, { thorough: false })).worktrees[0]?.state).toBe('orphaned')
})

test('an empty list gives its reason: no repository, or a git version that is too old', async () => {
  expect((await repository.review.list(repository.home, { thorough: true })).problem).toContain(
    'not in a git repository',
  )
  const location = await repository.work('one', [{ 'a.txt': 'one\n' }])
  const old = createReview({
    git: {
      ...repository.git,
      run: async (folder, args, options) =>
        args[0] === 'version' ? ok('git version 2.30.2\n') : repository.git.run(folder, args, options),
    },
    dataFolder: repository.dataFolder,
    now: Date.now,
    onProblem: () => {},
  })
  expect(await old.list(repository.folder, { thorough: true })).toMatchObject({
    worktrees: [],
    problem: expect.stringContaining('2.38'),
  })
  const key = { folder: repository.folder, id: location.id }
  expect(await old.merge(key, { method: 'merge', into: null })).toMatchObject({
    failure: { message: expect.stringContaining('2.30') },
  })
  for (const id of ['../../etc', 'none', ''])
    expect(await repository.review.changes({ folder: repository.folder, id })).toMatchObject({
      failure: { type: 'not-there' },
    })
  expect(value(await repository.review.changes(key)).files).toHaveLength(1)
})

test('names the conversations with ready work, and asks git only where it may', async () => {
  const made = await repository.work('one', [{ 'a.txt': lines('a', 12, { 5: 'one' }) }])
  const { worktrees } = await list(false)
  const { conversationId } = worktrees.find(({ id }) => id === made.id) ?? { conversationId: '' }
  expect(await repository.review.conversations(() => repository.folder)).toEqual([conversationId])
  calls = []
  expect(await repository.review.conversations(() => null)).toEqual([])
  expect(calls).toEqual([])
  value(
    await repository.review.merge(
      { folder: repository.folder, id: made.id },
      { method: 'merge', into: null, commits: [], seen: null },
    ),
  )
  expect(await repository.review.conversations(() => repository.folder)).toEqual([])
})
