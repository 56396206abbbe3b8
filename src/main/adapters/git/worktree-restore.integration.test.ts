import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { filesIn, type GitBench, gitBench, pictureOf } from './testing/git-bench.ts'

async function worked(bench: GitBench, project: string): Promise<{ place: WorktreePlace; head: string }> {
  const { place } = await bench.made(project)
  await bench.write(place.path, { 'work.txt': 'work\n' })
  const saved = await bench.worktrees.save(place, { task: 'Work', ended: 'completed' })
  if (!saved.ok) throw new Error(saved.failure.message)
  await bench.worktrees.release(place)
  return { place, head: saved.value.head }
}

const restore = (bench: GitBench, place: WorktreePlace) =>
  bench.worktrees.restore(place, new AbortController().signal)

/** It works: its own branch, the files, a clean status, and it is held by this process. */
async function expectRestored(bench: GitBench, place: WorktreePlace, head: string): Promise<void> {
  expect(bench.run(place.path, 'rev-parse', 'HEAD').trim()).toBe(head)
  expect(bench.run(place.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${place.branch}`)
  expect(bench.run(place.path, 'status', '--porcelain')).toBe('')
  const record = (await bench.records.all()).find(({ id }) => id === place.id)
  expect(record).toMatchObject({ state: 'there', holder: { pid: process.pid } })
}

describe('an agent goes on in its worktree', () => {
  test('that is there, with what is not committed', async () => {
    const bench = await gitBench()
    const { place, head } = await worked(bench, await bench.repository())
    await bench.write(place.path, { 'late.txt': 'x' })
    expect(await restore(bench, place)).toEqual({ ok: true, value: { notes: [] } })
    expect(await readFile(join(place.path, 'late.txt'), 'utf8')).toBe('x')
    await rm(join(place.path, 'late.txt'))
    await expectRestored(bench, place, head)
  })

  test('whose folder was deleted: from its branch, and others’ stale entries stay', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': '1', '.worktreeinclude': '.env' })
    await bench.write(project, { '.env': 'SECRET' })
    const { place, head } = await worked(bench, project)
    bench.run(project, 'worktree', 'add', '-q', '-b', 'users', '../users')
    await rm(join(bench.folder, 'users'), { recursive: true })
    await rm(place.path, { recursive: true })
    const restored = await restore(bench, place)
    expect(restored).toEqual({ ok: true, value: { notes: [expect.stringContaining('from its branch')] } })
    expect(await readFile(join(place.path, 'work.txt'), 'utf8')).toBe('work\n')
    expect(await readFile(join(place.path, '.env'), 'utf8')).toBe('SECRET')
    expect(bench.run(project, 'worktree', 'list')).toContain('users')
    await rm(join(place.path, '.env'))
    await expectRestored(bench, place, head)
  })

  test('that was removed since nothing was changed: from its base, under the same branch', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    await bench.worktrees.release(place)
    bench.run(project, 'commit', '-q', '--allow-empty', '-m', 'Later')
    expect(await lstat(place.path).catch(() => null)).toBeNull()
    expect(await restore(bench, place)).toEqual({ ok: true, value: { notes: [] } })
    await expectRestored(bench, place, place.base)
  })

  test('that was removed with what was carried over: it is carried again', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    await bench.write(project, { 'a.txt': 'mine' })
    const { place } = await bench.made(project, { carryOver: true })
    const head = bench.run(place.path, 'rev-parse', 'HEAD').trim()
    await bench.worktrees.release(place)
    expect(await lstat(place.path).catch(() => null)).toBeNull()
    expect(await restore(bench, place)).toMatchObject({ ok: true })
    await expectRestored(bench, place, head)
  })

  test('that was merged, and its branch is gone: from the commit that was saved', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place, head } = await worked(bench, project)
    bench.run(project, 'merge', '-q', place.branch)
    bench.run(project, 'worktree', 'remove', '--force', place.path)
    bench.run(project, 'branch', '-q', '-D', place.branch)
    expect(await restore(bench, place)).toMatchObject({ ok: true })
    await expectRestored(bench, place, head)
  })

  test('whose .git file is damaged or gone: mended for it alone', async () => {
    const bench = await gitBench()
    const { place, head } = await worked(bench, await bench.repository())
    for (const damage of ['rubbish', 'gitdir: /nowhere\n', null]) {
      await rm(join(place.path, '.git'))
      if (damage !== null) await writeFile(join(place.path, '.git'), damage)
      const restored = await restore(bench, place)
      expect(restored).toEqual({ ok: true, value: { notes: [expect.stringContaining('.git file')] } })
      await expectRestored(bench, place, head)
    }
  })

  test('when the checkout it was made from is gone', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    bench.run(project, 'worktree', 'add', '-q', '-b', 'side', '../side')
    const { place, head } = await worked(bench, join(bench.folder, 'side'))
    bench.run(project, 'worktree', 'remove', '../side')
    await rm(place.path, { recursive: true })
    expect(await restore(bench, place)).toMatchObject({ ok: true })
    await expectRestored(bench, place, head)
  })
})

describe('it is refused in words, and nothing is touched, where', () => {
  test('it was discarded', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await worked(bench, project)
    await bench.records.update(place.path, (record) => ({ ...record, state: 'discarded' }))
    const before = await pictureOf(bench, project)
    expect(await restore(bench, place)).toMatchObject({
      ok: false,
      failure: { type: 'discarded', message: expect.stringContaining('Bring it back in Review') },
    })
    expect(await pictureOf(bench, project)).toEqual(before)
  })

  test('nothing of it is left', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await bench.made(project)
    bench.run(project, 'worktree', 'remove', place.path)
    bench.run(project, 'branch', '-q', '-D', place.branch)
    expect(await restore(bench, place)).toMatchObject({ ok: false, failure: { type: 'not-there' } })
    expect(await lstat(place.path).catch(() => null)).toBeNull()
  })

  test('the repository is gone', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await worked(bench, project)
    await rename(project, `${project}-moved`)
    expect(await restore(bench, place)).toMatchObject({ ok: false, failure: { type: 'not-there' } })
    expect(await readFile(join(place.path, 'work.txt'), 'utf8')).toBe('work\n')
  })

  test('its branch is checked out elsewhere', async () => {
    const bench = await gitBench()
    const project = await bench.repository()
    const { place } = await worked(bench, project)
    bench.run(project, 'worktree', 'remove', place.path)
    bench.run(project, 'checkout', '-q', place.branch)
    const before = await pictureOf(bench, project)
    expect(await restore(bench, place)).toMatchObject({
      ok: false,
      failure: { message: expect.stringMatching(/already (checked out|used)/) },
    })
    expect(await pictureOf(bench, project)).toEqual(before)
  })

  test('its folder is another repository now', async () => {
    const bench = await gitBench()
    const { place } = await worked(bench, await bench.repository())
    await rm(join(place.path, '.git'))
    bench.run(place.path, 'init', '-q')
    const before = await filesIn(place.path)
    expect(await restore(bench, place)).toMatchObject({
      ok: false,
      failure: { type: 'git', message: expect.stringContaining('does not belong') },
    })
    expect(await filesIn(place.path)).toEqual(before)
  })

  test('what was written down of it is damaged or of a newer version: told once, and kept', async () => {
    const bench = await gitBench()
    const { place } = await worked(bench, await bench.repository())
    for (const text of ['{"v":2}', 'rubbish']) {
      await writeFile(`${place.path}.json`, text)
      expect(await restore(bench, place)).toMatchObject({ ok: false, failure: { type: 'not-there' } })
      expect(await bench.worktrees.save(place, { task: 'x', ended: 'completed' })).toMatchObject({
        ok: false,
        failure: { type: 'io' },
      })
      expect(await readFile(`${place.path}.json`, 'utf8')).toBe(text)
      expect(await readFile(join(place.path, 'work.txt'), 'utf8')).toBe('work\n')
    }
    expect(bench.problems).toEqual([expect.stringContaining('damaged, or of a newer version')])
  })
})

describe('what was cut off in the making', () => {
  /** As a process leaves it that died in the middle. */
  async function cutOff(bench: GitBench, project: string): Promise<WorktreePlace> {
    const { place } = await bench.made(project)
    await bench.records.update(place.path, (record) => ({
      ...record,
      state: 'making',
      holder: { pid: 2 ** 22 + 1, start: 'long.ago' },
    }))
    return place
  }

  test('is cleared away by the next one that is made, a half-written file and a lock included', async () => {
    const bench = await gitBench()
    const project = await bench.repository('project', { 'a.txt': 'a long line\n', 'b.txt': 'b\n' })
    const place = await cutOff(bench, project)
    await writeFile(join(place.path, 'a.txt'), 'a lo')
    await rm(join(place.path, 'b.txt'))
    await writeFile(join(project, '.git/worktrees', place.id, 'index.lock'), '')
    await writeFile(join(project, '.git/worktrees', place.id, 'locked'), 'initializing')
    const { place: fresh } = await bench.made(project)
    expect((await bench.records.all()).map(({ id }) => id)).toEqual([fresh.id])
    expect(await lstat(place.path).catch(() => null)).toBeNull()
    expect(bench.run(project, 'worktree', 'list').trim().split('\n')).toHaveLength(2)
    expect(bench.run(project, 'branch', '--list', 'troupe/*').trim().split('\n')).toHaveLength(1)
  })

  test('stays where there is anything in it that its commit does not have, or its maker lives', async () => {
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
