import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { createReview } from './create-review.ts'
import { filesIn, type GitBench, gitBench } from './testing/git-bench.ts'

/** An agent's commit, and on top of it what is not committed: a change, a new file, one that is gone. */
async function worked(bench: GitBench, project: string): Promise<WorktreePlace> {
  const { place } = await bench.made(project)
  await bench.write(place.path, { 'work.txt': 'work\n' })
  await bench.worktrees.save(place, { task: 'Work', ended: 'completed' })
  await bench.worktrees.release(place)
  await bench.write(place.path, { 'a.txt': 'changed\n', 'late.txt': 'late\n' })
  await rm(join(place.path, 'work.txt'))
  return place
}

/** Git forgets it, as where the folder was out of reach for a while. */
async function prune(bench: GitBench, project: string, place: WorktreePlace): Promise<void> {
  await rename(place.path, `${place.path}.away`)
  bench.run(project, 'worktree', 'prune')
  await rename(`${place.path}.away`, place.path)
  expect(bench.run(project, 'worktree', 'list')).not.toContain(place.path)
}

const restore = (bench: GitBench, place: WorktreePlace) =>
  bench.worktrees.restore(place, new AbortController().signal)

test('its entry was pruned: it is on its branch again, and what is not committed is as it was', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  const place = await worked(bench, project)
  const before = { files: await filesIn(place.path), status: bench.run(place.path, 'status', '--porcelain') }
  bench.run(project, 'worktree', 'add', '-q', '-b', 'users', '../users')
  for (const cutOff of [false, true]) {
    await prune(bench, project, place)
    // What a try leaves that dies before the folder has its entry.
    const beside = join(dirname(place.path), `.again-${place.id}`, place.id)
    if (cutOff) {
      await mkdir(dirname(beside))
      bench.run(project, 'worktree', 'add', '-q', '--no-checkout', beside, place.branch)
    }
    const restored = await restore(bench, place)
    expect(restored).toEqual({ ok: true, value: { notes: [expect.stringContaining('tied to its branch')] } })
    expect(await filesIn(place.path)).toEqual(before.files)
    expect(bench.run(place.path, 'status', '--porcelain')).toBe(before.status)
    expect(bench.run(place.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${place.branch}`)
    expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(3)
    expect((await readdir(dirname(place.path))).sort()).toEqual([place.id, `${place.id}.json`])
  }
  expect(await restore(bench, place)).toEqual({ ok: true, value: { notes: [] } })
})

test('a sparse one stays sparse: what is not checked out is not deleted', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  bench.run(project, 'sparse-checkout', 'set', '--cone', 'other')
  const place = await worked(bench, project)
  await prune(bench, project, place)
  expect(await restore(bench, place)).toMatchObject({ ok: true })
  expect(bench.run(place.path, 'status', '--porcelain')).not.toContain('lib/b.txt')
})

test('pruned, or without its .git, while its agent works: its work is committed, and nowhere else', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  // The data folder itself lies in a repository.
  bench.run(bench.folder, 'init', '-q')
  bench.run(bench.folder, 'commit', '-q', '--allow-empty', '-m', 'Outer')
  for (const what of ['.git', 'entry']) {
    const { place } = await bench.made(project)
    await bench.write(place.path, { 'work.txt': 'work\n' })
    if (what === '.git') await rm(join(place.path, '.git'))
    else await prune(bench, project, place)
    const saved = await bench.worktrees.save(place, { task: 'Work', ended: 'completed' })
    expect(saved).toMatchObject({ ok: true, value: { commits: 1, files: 1, unchanged: false } })
    expect(bench.run(project, 'show', `${place.branch}:work.txt`)).toBe('work\n')
  }
  expect(bench.run(bench.folder, 'log', '--format=%s')).toBe('Outer\n')
})

test('Review merges it', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  const place = await worked(bench, project)
  await prune(bench, project, place)
  const { git, dataFolder } = bench
  const review = createReview({ git, dataFolder, now: () => 1, onProblem: () => undefined })
  const merged = await review.merge({ folder: project, id: place.id }, { method: 'squash', into: null })
  expect(merged).toMatchObject({ ok: true })
  expect(await readFile(join(project, 'late.txt'), 'utf8')).toBe('late\n')
})

test('a .git that leads to somebody else’s repository is left alone', async () => {
  const bench = await gitBench()
  const project = await bench.repository()
  const other = await bench.repository('other')
  const place = await worked(bench, project)
  await prune(bench, project, place)
  await writeFile(join(place.path, '.git'), `gitdir: ${join(other, '.git')}\n`)
  const before = await filesIn(place.path)
  expect(await restore(bench, place)).toMatchObject({
    failure: { message: expect.stringContaining('does not belong') },
  })
  expect(await bench.worktrees.save(place, { task: 'x', ended: 'completed' })).toMatchObject({ ok: false })
  expect(await filesIn(place.path)).toEqual(before)
  expect(bench.run(other, 'log', '--format=%s')).toBe('First\n')
})
