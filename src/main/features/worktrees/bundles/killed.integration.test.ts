/** Programs that are killed while they move files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { exists } from '../../../platform/system/exists.ts'
import { type GitBench, pictureOf } from '../testing/git-bench.ts'
import { createJobFiles } from './job-files.ts'
import type { KilledOrder } from './testing/killed-bundles.ts'
import { bytesIn, LIMITS, type TwoMachines, twoMachines, value } from './testing/two-machines.ts'

const PROGRAM = fileURLToPath(new URL('./testing/killed-bundles.ts', import.meta.url))
const TIMEOUT = 600_000
const SIGNAL = new AbortController().signal

/** @returns the result of the program; null: it was killed */
async function diesAt(order: KilledOrder): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  if (signal === 'SIGKILL') return null
  if (code !== 0) throw new Error(errors)
  return JSON.parse(output)
}

const orderFor = (
  { bench, store }: TwoMachines,
  order: Pick<KilledOrder, 'do' | 'location'> & Partial<KilledOrder>,
): KilledOrder => ({
  environment: bench.environment,
  storeFolder: store.folder,
  dataFolder: bench.dataFolder,
  jobId: 'j-1',
  repository: null,
  killAt: 0,
  ...order,
})

/** Repeats an order, killed two calls later each time, until it is done. @returns the calls of git before its end, and the result */
async function killedEverywhere(
  order: KilledOrder,
  check: () => Promise<void>,
): Promise<{ readonly kills: number; readonly result: unknown }> {
  for (let killAt = Math.random() < 0.5 ? 1 : 2; ; killAt += 2) {
    const result = await diesAt({ ...order, killAt })
    await check()
    if (result !== null) return { kills: killAt - 1, result }
  }
}

const isWhole = (bench: GitBench, folder: string) =>
  expect(bench.run(folder, 'fsck', '--no-dangling', '--no-progress')).toBe('')

async function withWorktree() {
  const machines = await twoMachines()
  const { bench } = machines
  const { location } = await bench.made(await bench.repository())
  await bench.write(location.path, { 'a.txt': 'changed\n', 'new.txt': 'new\n' })
  return { ...machines, location }
}

const jobFiles = ({ bench, store }: TwoMachines) =>
  createJobFiles({
    git: bench.git,
    store,
    dataFolder: bench.dataFolder,
    limits: LIMITS,
    onProblem: () => undefined,
  })

test('a sender that is killed before any call of git leaves the worktree as it was, and can send again', {
  timeout: TIMEOUT,
}, async () => {
  const machines = await withWorktree()
  const { bench, location } = machines
  const { refs: _, ...before } = await pictureOf(bench, location.path)
  const { kills, result } = await killedEverywhere(orderFor(machines, { do: 'send', location }), async () => {
    expect(await pictureOf(bench, location.path)).toMatchObject(before)
    isWhole(bench, location.from)
  })
  expect(kills).toBeGreaterThan(10)
  expect(result).toMatchObject({ ok: true })
  // The next job removes what the killed ones left.
  const { repository } = value(await jobFiles(machines).send({ location, jobId: 'j-2' }))
  expect(bench.run(location.from, 'for-each-ref', 'refs/troupe/packing')).toBe('')
  expect((await readdir(join(bench.dataFolder, 'bundles'))).filter((name) => name.startsWith('.'))).toEqual(
    [],
  )
  const opened = await machines.open(machines.worker('w1'), { jobId: 'j-2', repository })
  expect(bytesIn(opened.folder)).toEqual(bytesIn(location.path))
})

test('a worker that is killed before any call of git has a whole mirror, and can start the job', {
  timeout: TIMEOUT,
}, async () => {
  const machines = await withWorktree()
  const { bench, location } = machines
  const repository = await machines.send(location, 'j-1')
  const dataFolder = join(bench.folder, 'w1')
  const mirror = join(dataFolder, 'mirrors', repository.id)
  const order = orderFor(machines, { do: 'open', location, repository, dataFolder })
  const { kills, result } = await killedEverywhere(order, async () => {
    if (await exists(mirror)) isWhole(bench, mirror)
  })
  expect(kills).toBeGreaterThan(10)
  expect(result).toMatchObject({ ok: true })
  expect(bytesIn(join(dataFolder, 'workspaces', 'j-1', 'checkout'))).toEqual(bytesIn(location.path))
  const left = await readdir(join(mirror, 'objects'))
  expect(left.filter((name) => name.startsWith('tmp_'))).toEqual([])
  expect(await readdir(join(dataFolder, 'mirrors'))).toEqual([repository.id])
})

test('a sender that is killed while work lands loses nothing: it is in the worktree afterwards', {
  timeout: TIMEOUT,
}, async () => {
  const machines = await withWorktree()
  const { bench, location } = machines
  const files = jobFiles(machines)
  const { repository } = value(await files.send({ location, jobId: 'j-1' }))
  const workspace = await machines.open(machines.worker('w1'), { jobId: 'j-1', repository })
  await bench.write(workspace.folder, { 'a.txt': 'agent\n', 'lib/c.txt': 'c\n' })
  bench.run(workspace.folder, 'commit', '-qam', 'By the agent')
  await bench.write(workspace.folder, { 'late.txt': 'late\n' })
  await rm(join(workspace.folder, 'lib/b.txt'))
  const work = value(await workspace.save())
  if (work === null) throw new Error('nothing was saved')
  value(await files.progressed('j-1', work))
  const { kills, result } = await killedEverywhere(orderFor(machines, { do: 'land', location }), async () => {
    isWhole(bench, location.from)
  })
  expect(kills).toBeGreaterThan(15)
  // The call that was killed last may have been the one that landed it.
  expect([
    { ok: true, value: { kind: 'landed' } },
    { ok: true, value: null },
  ]).toContainEqual(result)
  expect(value(await files.land('j-1', SIGNAL))).toBeNull()
  expect(bytesIn(location.path)).toEqual(bytesIn(workspace.folder))
  expect(bench.run(location.path, 'rev-parse', 'HEAD').trim()).toBe(work.head)
  expect(bench.run(location.path, 'status', '--porcelain')).toBe(' A late.txt\n D lib/b.txt\n A lib/c.txt\n')
})
