import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { createReview } from './review/create-review.ts'
import { filesIn, type GitBench, gitBench } from './testing/git-bench.ts'

/** An agent's commit and uncommitted changes: a changed, a new and a deleted file. */
async function worked(bench: GitBench, project: string): Promise<WorktreeLocation> {
  const { location } = await bench.made(project)
  await bench.write(location.path, { 'work.txt': 'work\n' })
  await bench.worktrees.save(location, { task: 'Work', ended: 'completed' })
  await bench.worktrees.release(location)
  await bench.write(location.path, { 'a.txt': 'changed\n', 'late.txt': 'late\n' })
  await rm(join(location.path, 'work.txt'))
  return location
}

/** Git prunes the entry, as when the folder was unreachable for a while. */
async function prune(bench: GitBench, project: string, location: WorktreeLocation): Promise<void> {
  await rename(location.path, `${location.path}.away`)
  bench.run(project, 'worktree', 'prune')
  await rename(`${location.path}.away`, location.path)
  expect(bench.run(project, 'worktree', 'list')).not.toContain(location.path)
}

const restore = (bench: GitBench, location: WorktreeLocation) =>
  bench.worktrees.restore(location, new AbortController().signal)

test('a worktree whose entry was pruned returns to its branch with its uncommitted changes', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  const location = await worked(bench, project)
  const before = {
    files: await filesIn(location.path),
    status: bench.run(location.path, 'status', '--porcelain'),
  }
  bench.run(project, 'worktree', 'add', '-q', '-b', 'users', '../users')
  for (const cutOff of [false, true]) {
    await prune(bench, project, location)
    // The remains of an attempt that was killed before the folder had its entry.
    const beside = join(dirname(location.path), `.again-${location.id}`, location.id)
    if (cutOff) {
      await mkdir(dirname(beside))
      bench.run(project, 'worktree', 'add', '-q', '--no-checkout', beside, location.branch)
    }
    const restored = await restore(bench, location)
    expect(restored).toEqual({
      ok: true,
      value: { notes: [expect.stringContaining('connected with its branch')] },
    })
    expect(await filesIn(location.path)).toEqual(before.files)
    expect(bench.run(location.path, 'status', '--porcelain')).toBe(before.status)
    expect(bench.run(location.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${location.branch}`)
    expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(3)
    expect((await readdir(dirname(location.path))).sort()).toEqual([location.id, `${location.id}.json`])
  }
  expect(await restore(bench, location)).toEqual({ ok: true, value: { notes: [] } })
})

test('a sparse worktree stays sparse, and files outside of it are not deleted', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  bench.run(project, 'sparse-checkout', 'set', '--cone', 'other')
  const location = await worked(bench, project)
  await prune(bench, project, location)
  expect(await restore(bench, location)).toMatchObject({ ok: true })
  expect(bench.run(location.path, 'status', '--porcelain')).not.toContain('lib/b.txt')
})

test('work is committed to its own branch if the entry or the .git file disappears meanwhile', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  // The data folder itself is in a repository.
  bench.run(bench.folder, 'init', '-q')
  bench.run(bench.folder, 'commit', '-q', '--allow-empty', '-m', 'Outer')
  for (const what of ['.git', 'entry']) {
    const { location } = await bench.made(project)
    await bench.write(location.path, { 'work.txt': 'work\n' })
    if (what === '.git') await rm(join(location.path, '.git'))
    else await prune(bench, project, location)
    const saved = await bench.worktrees.save(location, { task: 'Work', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { commits: 1, files: 1, unchanged: false } })
    expect(bench.run(project, 'show', `${location.branch}:work.txt`)).toBe('work\n')
  }
  expect(bench.run(bench.folder, 'log', '--format=%s')).toBe('Outer\n')
})

test('Review merges a worktree whose entry was pruned', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  const location = await worked(bench, project)
  await prune(bench, project, location)
  const { git, dataFolder } = bench
  const review = createReview({ git, dataFolder, now: () => 1, onProblem: () => undefined })
  const merged = await review.merge({ folder: project, id: location.id }, { method: 'squash', into: null })
  expect(merged).toMatchObject({ ok: true })
  expect(await readFile(join(project, 'late.txt'), 'utf8')).toBe('late\n')
})

test('a .git file that points to another repository is not changed', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  const other = await bench.repository('other')
  const location = await worked(bench, project)
  await prune(bench, project, location)
  await writeFile(join(location.path, '.git'), `gitdir: ${join(other, '.git')}\n`)
  const before = await filesIn(location.path)
  expect(await restore(bench, location)).toMatchObject({
    failure: { message: expect.stringContaining('no longer belongs') },
  })
  expect(await bench.worktrees.save(location, { task: 'x', ended: 'completed' })).toMatchObject({ ok: false })
  expect(await filesIn(location.path)).toEqual(before)
  expect(bench.run(other, 'log', '--format=%s')).toBe('First\n')
})
