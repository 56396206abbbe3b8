import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CheckoutState } from '../../../../shared/workers/worker-protocol.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createJobFiles } from './job-files.ts'
import { bytesIn, LIMITS, type TwoMachines, twoMachines, value } from './testing/two-machines.ts'

const SIGNAL = new AbortController().signal

/** A worktree with uncommitted changes, whose agent has committed a file on another machine and changed others. */
async function withReturnedWork() {
  const machines = await twoMachines()
  const { bench } = machines
  const project = await bench.repository('project', {
    'a.txt': 'one\n',
    'b.txt': 'two\n',
    'old.txt': 'old\n',
  })
  const { location } = await bench.made(project)
  await bench.write(location.path, { 'b.txt': 'before\n', 'new.txt': 'new\n' })
  const { repository } = value(await jobFiles(machines).send({ location, jobId: 'j-1' }))
  const workspace = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  await bench.write(workspace.folder, { 'a.txt': 'agent\n' })
  bench.run(workspace.folder, 'commit', '-qm', 'By the agent', 'a.txt')
  await bench.write(workspace.folder, { 'late/c.txt': 'late\n', 'new.txt': 'newer\n' })
  await rm(join(workspace.folder, 'old.txt'))
  const first = value(await workspace.save())
  await bench.write(workspace.folder, { 'later.txt': 'later\n' })
  const work = value(await workspace.save())
  if (first === null || work === null) throw new Error('nothing was saved')
  const files = jobFiles(machines)
  const land = async (other: Partial<CheckoutState> = {}) => {
    value(await files.progressed('j-1', { ...work, ...other }))
    return files.land('j-1', SIGNAL)
  }
  return { ...machines, project, location, repository, workspace, work, land }
}

const jobFiles = ({ bench, store }: TwoMachines) =>
  createJobFiles({
    git: bench.git,
    store,
    dataFolder: bench.dataFolder,
    limits: LIMITS,
    onProblem: () => undefined,
  })

const refsOf = (run: (folder: string, ...args: string[]) => string, folder: string) =>
  run(folder, 'for-each-ref', '--format=%(refname)', 'refs/troupe', 'refs/heads/troupe').trim().split('\n')

test('returned work is in the worktree: its commits on the branch, its uncommitted changes uncommitted', async () => {
  const { bench, location, workspace, work, land, store, repository } = await withReturnedWork()
  expect(value(await land())).toEqual({ kind: 'landed' })
  expect(bytesIn(location.path)).toEqual(bytesIn(workspace.folder))
  expect(bench.run(location.path, 'rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD')).toBe(
    `${work.head}\nrefs/heads/${location.branch}\n`,
  )
  expect(bench.run(location.path, 'status', '--porcelain')).toBe(
    ' M b.txt\n A late/c.txt\n A later.txt\n A new.txt\n D old.txt\n',
  )
  expect(refsOf(bench.run, location.from)).toEqual([`refs/heads/${location.branch}`])
  expect(await store.has(work.bundles[0]?.object ?? '')).toBe(false)
  expect(await store.has(repository.bundles[0]?.object ?? '')).toBe(true)
  // Review sees it as any other work.
  const saved = value(await bench.worktrees.save(location, { task: 'Fix', ended: 'completed' }))
  expect(saved).toMatchObject({
    commits: 2,
    files: 6,
    check: { kind: 'clean' },
    unchanged: false,
    problems: [],
  })
})

test('work that is landed twice is there once', async () => {
  const { location, workspace, land, bench, work } = await withReturnedWork()
  expect(value(await land())).toEqual({ kind: 'landed' })
  expect(value(await land())).toBeNull()
  expect(bytesIn(location.path)).toEqual(bytesIn(workspace.folder))
  expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).toBe(work.head)
})

test('a job that changed nothing leaves nothing behind', async () => {
  const machines = await twoMachines()
  const { bench } = machines
  const { location } = await bench.made(await bench.repository())
  const files = jobFiles(machines)
  value(await files.send({ location, jobId: 'j-1' }))
  expect(value(await files.land('j-1', SIGNAL))).toBeNull()
  expect(refsOf(bench.run, location.from)).toEqual([`refs/heads/${location.branch}`])
})

test.each([
  [
    'a file that the user changed meanwhile',
    async (location: WorktreeLocation, write: Write) => write(location.path, { 'a.txt': 'user\n' }),
  ],
  [
    'a file that the user made where the agent made one',
    async (location: WorktreeLocation, write: Write) => write(location.path, { 'later.txt': 'user\n' }),
  ],
  [
    'a commit of the user',
    async (location: WorktreeLocation, write: Write, run: Run) => {
      await write(location.path, { 'u.txt': 'user\n' })
      run(location.path, 'add', '-A')
      run(location.path, 'commit', '-qm', 'By the user')
    },
  ],
  [
    'another branch in the worktree',
    async (location: WorktreeLocation, _: Write, run: Run) =>
      void run(location.path, 'switch', '-qc', 'mine'),
  ],
  ['the folder gone', async (location: WorktreeLocation) => rm(location.path, { recursive: true })],
])('%s stays as it is, and the work is on a branch beside it', async (_, change) => {
  const { bench, location, work, land } = await withReturnedWork()
  await change(location, bench.write, bench.run)
  const files = bytesInOrNull(location.path)
  const tip = bench.run(location.from, 'rev-parse', location.branch)
  const branch = `${location.branch}-from-worker`
  const landed = value(await land())
  expect(landed).toMatchObject({ kind: 'beside', branch })
  expect(landed?.kind === 'beside' && landed.message).toContain(`git merge ${branch}`)
  expect(bench.run(location.from, 'rev-parse', branch).trim()).toBe(work.commit)
  expect(bytesInOrNull(location.path)).toEqual(files)
  expect(bench.run(location.from, 'rev-parse', location.branch)).toBe(tip)
})

type Write = (folder: string, files: Readonly<Record<string, string>>) => Promise<void>
type Run = (folder: string, ...args: readonly string[]) => string

function bytesInOrNull(folder: string): readonly string[] | null {
  try {
    return bytesIn(folder)
  } catch {
    return null
  }
}

test('work that could not land goes into the worktree before the next job is sent', async () => {
  const machines = await withReturnedWork()
  const { bench, location, workspace, work, land, store } = machines
  const object = join(store.folder, work.bundles[0]?.object ?? '')
  await rename(object, `${object}.away`)
  const files = bytesIn(location.path)
  expect(await land()).toMatchObject({ ok: false, failure: { type: 'io' } })
  expect(bytesIn(location.path)).toEqual(files)
  expect(await jobFiles(machines).send({ location, jobId: 'j-2' })).toMatchObject({ ok: false })
  await rename(`${object}.away`, object)
  const sent = value(await jobFiles(machines).send({ location, jobId: 'j-2' }))
  expect(sent.repository.head).toBe(work.head)
  expect(bytesIn(location.path)).toEqual(bytesIn(workspace.folder))
  expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).toBe(work.head)
})

test('a commit that does not build on the sent one lands beside the branch', async () => {
  const { bench, location, workspace, land, repository } = await withReturnedWork()
  bench.run(workspace.folder, 'checkout', '-q', '--orphan', 'other')
  bench.run(workspace.folder, 'commit', '-qm', 'Another start')
  const work = value(await workspace.save())
  if (work === null) throw new Error('nothing was saved')
  expect(value(await land(work))).toMatchObject({ kind: 'beside', branch: `${location.branch}-from-worker` })
  expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).toBe(repository.head)
})

test('a head that the commit does not belong to is refused, and nothing changes', async () => {
  const { bench, location, land, repository } = await withReturnedWork()
  const files = bytesIn(location.path)
  const refs = bench.run(location.from, 'for-each-ref', 'refs/heads')
  expect(await land({ head: repository.head })).toMatchObject({ ok: false, failure: { type: 'invalid' } })
  expect(bytesIn(location.path)).toEqual(files)
  expect(bench.run(location.from, 'for-each-ref', 'refs/heads')).toBe(refs)
})

test('an ignored file in the way is not replaced', async () => {
  const { bench, location, repository, ...machines } = await withReturnedWork()
  await bench.write(join(location.from, '.git'), { 'info/exclude': 'later.txt\n' })
  await bench.write(location.path, { 'later.txt': 'precious\n' })
  expect(value(await machines.land())).toMatchObject({ kind: 'beside' })
  expect(bytesIn(location.path).filter((line) => line.includes('later'))).toHaveLength(1)
  expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).toBe(repository.head)
})
