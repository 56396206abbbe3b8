import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorktrees } from './create-worktrees.ts'
import { anOwner, type GitBench, gitBench } from './testing/git-bench.ts'
import { readWorktreeSettings } from './worktree-settings.ts'

const layer = (worktree: unknown, file = '/p/.claude/settings.json') =>
  ({ source: 'project', file, raw: { worktree } }) as const

/** Worktrees of a program with these settings. */
function withSettings({ git, dataFolder }: GitBench, worktree: unknown) {
  return createWorktrees({
    ...{ git, dataFolder, now: () => 1 },
    onProblem: (message) => {
      throw new Error(message)
    },
    settingsOf: async () => readWorktreeSettings([layer(worktree)]),
  })
}

async function made(bench: GitBench, folder: string, worktree: unknown, carryOver: 'no' | 'commit' = 'no') {
  const created = await withSettings(bench, worktree).create(
    { folder, owner: anOwner(), carryOver },
    new AbortController().signal,
  )
  if (!created.ok) throw new Error(created.failure.message)
  return created.value
}

const FILES = {
  'a/one.txt': '1\n',
  'a/deep/two.txt': '2\n',
  'b/three.txt': '3\n',
  'c/four.txt': '4\n',
  top: 't\n',
}

test('a worktree has the folders of worktree.sparsePaths and the files at the top, and a merge deletes nothing', async () => {
  const bench = await gitBench()
  const project = await bench.repository('project', FILES)
  const { location, notes } = await made(bench, project, { sparsePaths: ['./a/', 'gone', 'top'] })
  const has = (path: string) => existsSync(join(location.path, path))
  expect(['a/one.txt', 'a/deep/two.txt', 'top', 'b/three.txt', 'c/four.txt'].map(has)).toEqual([
    ...[true, true, true, false, false],
  ])
  expect(notes).toEqual([
    'Not folders of the commit, so they were left out of worktree.sparsePaths: gone, top.',
    'Only these folders are checked out, and the files at the top (worktree.sparsePaths): a. Others are in the commit: `git sparse-checkout add FOLDER` brings one.',
  ])
  await bench.write(location.path, { 'a/one.txt': 'changed\n', 'b/new.txt': 'outside\n' })
  await rm(join(location.path, 'a/deep/two.txt'))
  const saved = await bench.worktrees.save(location, { task: 'x', ended: 'completed' })
  expect(saved).toMatchObject({ ok: true, value: { files: 3, problems: [] } })
  bench.run(project, 'merge', '-q', location.branch)
  expect(bench.run(project, 'ls-files').trim().split('\n')).toEqual([
    ...['a/one.txt', 'b/new.txt', 'b/three.txt', 'c/four.txt', 'top'],
  ])
  expect(existsSync(join(project, 'b/three.txt'))).toBe(true)
})

test('an agent of a part of the repository finds its part, whatever the paths are', async () => {
  const bench = await gitBench()
  const project = await bench.repository('project', FILES)
  const { location, cwd } = await made(bench, join(project, 'c'), { sparsePaths: ['a'] })
  expect(cwd).toBe(join(location.path, 'c'))
  expect(existsSync(join(cwd, 'four.txt'))).toBe(true)
  expect(existsSync(join(location.path, 'b'))).toBe(false)
})

test('paths that no commit has check out everything, and an unchanged sparse worktree is removed', async () => {
  const bench = await gitBench()
  const project = await bench.repository('project', FILES)
  const { location, notes } = await made(bench, project, { sparsePaths: ['gone'] })
  expect(existsSync(join(location.path, 'b/three.txt'))).toBe(true)
  expect(notes.at(-1)).toBe('All folders are checked out.')
  const sparse = await made(bench, project, { sparsePaths: ['a'] })
  await bench.worktrees.save(sparse.location, { task: 'x', ended: 'completed' })
  expect(await bench.worktrees.release(sparse.location)).toBe(true)
  expect(existsSync(sparse.location.path)).toBe(false)
})

/** A clone with a commit that was not pushed. */
async function clone() {
  const bench = await gitBench()
  const origin = await bench.repository('origin', FILES)
  const project = join(bench.folder, 'clone')
  bench.run(bench.folder, 'clone', '-q', origin, project)
  await bench.write(project, { 'a/own.txt': 'mine\n' })
  bench.run(project, 'add', '-A')
  bench.run(project, 'commit', '-q', '-m', 'Not pushed')
  const pushed = bench.run(project, 'rev-parse', 'origin/main').trim()
  return { bench, project, pushed, head: bench.run(project, 'rev-parse', 'HEAD').trim() }
}

test('worktree.baseRef "fresh" starts from the default branch of the remote, "head" and nothing from the last commit', async () => {
  const { bench, project, pushed, head } = await clone()
  const fresh = await made(bench, project, { baseRef: 'fresh' })
  expect(fresh.location.base).toBe(pushed)
  expect(existsSync(join(fresh.location.path, 'a/own.txt'))).toBe(false)
  expect(fresh.notes).toEqual([
    expect.stringMatching(/^The worktree starts from origin\/main as it was fetched last/),
  ])
  expect((await made(bench, project, { baseRef: 'head' })).location.base).toBe(head)
  expect((await made(bench, project, {})).location.base).toBe(head)
  await bench.write(fresh.location.path, { 'b/three.txt': 'changed\n' })
  await bench.worktrees.save(fresh.location, { task: 'x', ended: 'completed' })
  bench.run(project, 'merge', '-q', '--no-edit', fresh.location.branch)
  expect(existsSync(join(project, 'a/own.txt'))).toBe(true)
})

test('without a known remote, and with changes to carry over, "fresh" starts from the last commit and says why', async () => {
  const { bench, project, head } = await clone()
  await bench.write(project, { 'a/one.txt': 'uncommitted\n' })
  const carried = await made(bench, project, { baseRef: 'fresh' }, 'commit')
  expect(carried.location.base).toBe(head)
  expect(carried.notes).toEqual([expect.stringMatching(/because it includes your uncommitted changes\.$/)])
  bench.run(project, 'remote', 'remove', 'origin')
  const alone = await made(bench, project, { baseRef: 'fresh' })
  expect(alone.location.base).toBe(head)
  expect(alone.notes).toEqual([expect.stringMatching(/no default branch of origin is known here/)])
})

test('the strongest file decides each key, and what can’t be meant is told and does not apply', () => {
  expect(
    readWorktreeSettings([
      layer({ baseRef: 'head' }, '/a'),
      layer({ baseRef: 'fresh', sparsePaths: ['a'] }, '/b'),
    ]),
  ).toEqual({ baseRef: 'head', sparsePaths: ['a'], notes: [] })
  for (const sparsePaths of [
    'a',
    [1],
    [''],
    ['../b'],
    ['/etc'],
    ['a/../../b'],
    ['!a'],
    ['-a'],
    ['a\nb'],
    ['.git'],
    ['*'],
  ])
    expect(readWorktreeSettings([layer({ sparsePaths }, '/a/settings.json')])).toEqual({
      ...{ baseRef: null, sparsePaths: [] },
      notes: [
        'worktree.sparsePaths in /a/settings.json is not a list of folders of the repository, so it does not apply.',
      ],
    })
  expect(readWorktreeSettings([layer({ baseRef: 'main' })]).notes).toHaveLength(1)
  for (const worktree of [null, 'a', 3, undefined])
    expect(readWorktreeSettings([layer(worktree)]).sparsePaths).toEqual([])
})
