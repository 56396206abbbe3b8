import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { filesIn, type GitBench, gitBench, pictureOf } from './testing/git-bench.ts'

async function worked(
  bench: GitBench,
  project: string,
): Promise<{ location: WorktreeLocation; head: string }> {
  const { location } = await bench.made(project)
  await bench.write(location.path, { 'work.txt': 'work\n' })
  const saved = await bench.worktrees.save(location, { task: 'Work', ended: 'completed' })
  if (!saved.ok) throw new Error(saved.failure.message)
  await bench.worktrees.release(location)
  return { location, head: saved.value.head }
}

const restore = (bench: GitBench, location: WorktreeLocation) =>
  bench.worktrees.restore(location, new AbortController().signal)

/** Checks the worktree: its own branch, the files, a clean status, held by this process. */
async function expectRestored(bench: GitBench, location: WorktreeLocation, head: string): Promise<void> {
  expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).toBe(head)
  expect(bench.run(location.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${location.branch}`)
  expect(bench.run(location.path, 'status', '--porcelain')).toBe('')
  const record = (await bench.records.all()).find(({ id }) => id === location.id)
  expect(record).toMatchObject({ state: 'there', holder: { pid: process.pid } })
}

describe('an agent resumes in a worktree', () => {
  test('that exists, with its uncommitted changes', async () => {
    const bench = await gitBench()
    const { location, head } = await worked(bench, await bench.repository())
    await bench.write(location.path, { 'late.txt': 'x' })
    expect(await restore(bench, location)).toEqual({ ok: true, value: { notes: [] } })
    expect(await readFile(join(location.path, 'late.txt'), 'utf8')).toBe('x')
    await rm(join(location.path, 'late.txt'))
    await expectRestored(bench, location, head)
  })

  test('whose folder was deleted: restored from its branch; other stale entries stay', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': '1', '.worktreeinclude': '.env' })
    await bench.write(project, { '.env': 'SECRET' })
    const { location, head } = await worked(bench, project)
    bench.run(project, 'worktree', 'add', '-q', '-b', 'users', '../users')
    await rm(join(bench.folder, 'users'), { recursive: true })
    await rm(location.path, { recursive: true })
    const restored = await restore(bench, location)
    expect(restored).toEqual({ ok: true, value: { notes: [expect.stringContaining('from its branch')] } })
    expect(await readFile(join(location.path, 'work.txt'), 'utf8')).toBe('work\n')
    expect(await readFile(join(location.path, '.env'), 'utf8')).toBe('SECRET')
    expect(bench.run(project, 'worktree', 'list')).toContain('users')
    await rm(join(location.path, '.env'))
    await expectRestored(bench, location, head)
  })

  test('that was removed without changes: restored from its base, on the same branch', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    await bench.worktrees.release(location)
    bench.run(project, 'commit', '-q', '--allow-empty', '-m', 'Later')
    expect(await lstat(location.path).catch(() => null)).toBeNull()
    expect(await restore(bench, location)).toEqual({ ok: true, value: { notes: [] } })
    await expectRestored(bench, location, location.base)
  })

  test('that was removed with carried-over work: the work is carried over again', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await bench.write(project, { 'a.txt': 'mine' })
    const { location } = await bench.made(project, { carryOver: true })
    const head = bench.run(location.path, 'rev-parse', 'HEAD').trim()
    await bench.worktrees.release(location)
    expect(await lstat(location.path).catch(() => null)).toBeNull()
    expect(await restore(bench, location)).toMatchObject({ ok: true })
    await expectRestored(bench, location, head)
  })

  test('that was merged and has no branch: restored from the saved commit', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location, head } = await worked(bench, project)
    bench.run(project, 'merge', '-q', location.branch)
    bench.run(project, 'worktree', 'remove', '--force', location.path)
    bench.run(project, 'branch', '-q', '-D', location.branch)
    expect(await restore(bench, location)).toMatchObject({ ok: true })
    await expectRestored(bench, location, head)
  })

  test('whose .git file is damaged or missing: repaired for this worktree only', async () => {
    const bench = await gitBench()
    const { location, head } = await worked(bench, await bench.repository())
    for (const damage of ['rubbish', 'gitdir: /nowhere\n', null]) {
      await rm(join(location.path, '.git'))
      if (damage !== null) await writeFile(join(location.path, '.git'), damage)
      const restored = await restore(bench, location)
      expect(restored).toEqual({ ok: true, value: { notes: [expect.stringContaining('.git file')] } })
      await expectRestored(bench, location, head)
    }
  })

  test('whose original checkout is gone', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    bench.run(project, 'worktree', 'add', '-q', '-b', 'side', '../side')
    const { location, head } = await worked(bench, join(bench.folder, 'side'))
    bench.run(project, 'worktree', 'remove', '../side')
    await rm(location.path, { recursive: true })
    expect(await restore(bench, location)).toMatchObject({ ok: true })
    await expectRestored(bench, location, head)
  })
})

describe('a restore fails with a reason and changes nothing if', () => {
  test('the worktree was discarded', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await worked(bench, project)
    await bench.records.update(location.path, (record) => ({ ...record, state: 'discarded' }))
    const before = await pictureOf(bench, project)
    expect(await restore(bench, location)).toMatchObject({
      ok: false,
      failure: { type: 'discarded', message: expect.stringContaining('undo the discard in Review') },
    })
    expect(await pictureOf(bench, project)).toEqual(before)
  })

  test('nothing of the worktree is left', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await bench.made(project)
    bench.run(project, 'worktree', 'remove', location.path)
    bench.run(project, 'branch', '-q', '-D', location.branch)
    expect(await restore(bench, location)).toMatchObject({ ok: false, failure: { type: 'not-there' } })
    expect(await lstat(location.path).catch(() => null)).toBeNull()
  })

  test('the repository is gone', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await worked(bench, project)
    await rename(project, `${project}-moved`)
    expect(await restore(bench, location)).toMatchObject({ ok: false, failure: { type: 'not-there' } })
    expect(await readFile(join(location.path, 'work.txt'), 'utf8')).toBe('work\n')
  })

  test('the branch is checked out elsewhere', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { location } = await worked(bench, project)
    bench.run(project, 'worktree', 'remove', location.path)
    bench.run(project, 'checkout', '-q', location.branch)
    const before = await pictureOf(bench, project)
    expect(await restore(bench, location)).toMatchObject({
      ok: false,
      failure: { message: expect.stringMatching(/already (checked out|used)/) },
    })
    expect(await pictureOf(bench, project)).toEqual(before)
  })

  test('the folder is another repository now', async () => {
    const bench = await gitBench()
    const { location } = await worked(bench, await bench.repository())
    await rm(join(location.path, '.git'))
    bench.run(location.path, 'init', '-q')
    const before = await filesIn(location.path)
    expect(await restore(bench, location)).toMatchObject({
      ok: false,
      failure: { type: 'git', message: expect.stringContaining('no longer belongs') },
    })
    expect(await filesIn(location.path)).toEqual(before)
  })

  test('the record is damaged or from a newer version (reported once, and kept)', async () => {
    const bench = await gitBench()
    const { location } = await worked(bench, await bench.repository())
    for (const text of ['{"v":2}', 'rubbish']) {
      await writeFile(`${location.path}.json`, text)
      expect(await restore(bench, location)).toMatchObject({ ok: false, failure: { type: 'not-there' } })
      expect(await bench.worktrees.save(location, { task: 'x', ended: 'completed' })).toMatchObject({
        ok: false,
        failure: { type: 'io' },
      })
      expect(await readFile(`${location.path}.json`, 'utf8')).toBe(text)
      expect(await readFile(join(location.path, 'work.txt'), 'utf8')).toBe('work\n')
    }
    expect(bench.problems).toEqual([expect.stringContaining('damaged, or of a newer version')])
  })
})

describe('an interrupted creation', () => {
  /** The remains of a process that was killed during a creation. */
  async function cutOff(bench: GitBench, project: string): Promise<WorktreeLocation> {
    const { location } = await bench.made(project)
    await bench.records.update(location.path, (record) => ({
      ...record,
      state: 'making',
      holder: { pid: 2 ** 22 + 1, start: 'long.ago' },
    }))
    return location
  }

  test('is removed by the next creation, with partial files and locks', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': 'a long line\n', 'b.txt': 'b\n' })
    const location = await cutOff(bench, project)
    await writeFile(join(location.path, 'a.txt'), 'a lo')
    await rm(join(location.path, 'b.txt'))
    await writeFile(join(project, '.git/worktrees', location.id, 'index.lock'), '')
    await writeFile(join(project, '.git/worktrees', location.id, 'locked'), 'initializing')
    const { location: fresh } = await bench.made(project)
    expect((await bench.records.all()).map(({ id }) => id)).toEqual([fresh.id])
    expect(await lstat(location.path).catch(() => null)).toBeNull()
    expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(2)
    expect(bench.run(project, 'branch', '--list', 'troupe/*').trim().split('\n')).toHaveLength(1)
  })

  test('stays if it has files beyond its commit, or if its process is alive', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const changed = await cutOff(bench, project)
    await writeFile(join(changed.path, 'a.txt'), 'something else')
    const added = await cutOff(bench, project)
    await mkdir(join(added.path, 'new'))
    await writeFile(join(added.path, 'new/own.txt'), 'x')
    const moved = await cutOff(bench, project)
    bench.run(moved.path, 'commit', '-q', '--allow-empty', '-m', 'x')
    const alive = await cutOff(bench, project)
    await bench.records.update(alive.path, (record) => ({ ...record, holder: { pid: 1, start: 'unknown' } }))
    await bench.made(project)
    const kept = (await bench.records.all()).filter(({ state }) => state === 'making').map(({ id }) => id)
    expect(kept.sort()).toEqual([changed, added, moved, alive].map(({ id }) => id).sort())
    expect(await readFile(join(changed.path, 'a.txt'), 'utf8')).toBe('something else')
    expect(await readFile(join(added.path, 'new/own.txt'), 'utf8')).toBe('x')
    expect(bench.run(project, 'log', '--format=%s', '-1', moved.branch)).toBe('x\n')
  })
})
