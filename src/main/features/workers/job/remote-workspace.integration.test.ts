/** Jobs in checkouts of their own, on workers that share nothing with the sender but an object store. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentEvent, EVENT_VERSION } from '../../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { sampleEvent, sampleFields } from '../../../../shared/testing/sample-events.ts'
import {
  WORKER_PROTOCOL,
  type WorkerCommand,
  type WorkerReport,
  workerReport,
} from '../../../../shared/workers/worker-protocol.ts'
import type { AgentWorktree } from '../../../../shared/worktrees/worktree.ts'
import type { TakenJob } from '../../../runtime/ports/worker-link.ts'
import { createJobFiles } from '../../worktrees/bundles/job-files.ts'
import { bytesIn, LIMITS, twoMachines, value } from '../../worktrees/bundles/testing/two-machines.ts'
import { placeJob } from './remote-workspace.ts'

const SIGNAL = new AbortController().signal

async function sentJob() {
  const machines = await twoMachines()
  const { bench, store } = machines
  const project = await bench.repository()
  const { location, cwd } = await bench.made(project)
  const files = createJobFiles({
    git: bench.git,
    store,
    dataFolder: bench.dataFolder,
    limits: LIMITS,
    onProblem: () => undefined,
  })
  const { repository } = value(await files.send({ location, jobId: 'j-1' }))
  const spawned = spawnedEvent(cwd, { ...location, own: true, aliases: [location.from] })
  const reports: WorkerReport[] = []
  const take = (epoch: number, commands: readonly WorkerCommand[] = []): TakenJob => ({
    job: {
      protocol: WORKER_PROTOCOL,
      jobId: 'j-1',
      conversationId: 'c-1',
      agentId: 'a-1',
      events: [spawned],
      nextSeq: 1,
      epoch: 0,
      roster: [],
      teamId: null,
      folder: project,
      outputFolder: '/out',
      trusted: true,
      rules: { allow: [], deny: [] },
      repository,
      sentAt: 1,
    },
    epoch,
    earlier: [...reports],
    lost: SIGNAL,
    async *commands() {
      yield* commands
    },
    async report(report) {
      reports.push(report)
      return ok(undefined)
    },
    live: () => {},
    done: async () => {},
    giveBack: async () => {},
  })
  return {
    ...machines,
    project,
    location,
    files,
    reports,
    take,
  }
}

const head = (seq: number) => ({ v: EVENT_VERSION, agentId: 'a-1', seq, order: seq, at: 1 })

const spawnedEvent = (cwd: string, worktree: AgentWorktree): AgentEvent =>
  sampleEvent('agent-spawned', { parentId: 'a-0', system: `You work in ${cwd}.`, cwd, worktree })

const reportOf = (seq: number, event: object): WorkerReport =>
  workerReport.parse({ jobId: 'j-1', epoch: 0, seq, event: { ...head(seq), toolUseId: 't', ...event } })

const started = (seq: number, sideEffects = true): WorkerReport =>
  reportOf(seq, { ...sampleFields['tool-started'], type: 'tool-started', name: 'Write', sideEffects })

const toolEnded = (seq: number, content: string): WorkerReport =>
  reportOf(seq, {
    ...sampleFields['tool-ended'],
    type: 'tool-ended',
    name: 'Write',
    content,
    seen: undefined,
  })

const agentEnded = sampleEvent('agent-ended', { seq: 9, order: 9, at: 1, report: '' })

test('the job holds at the worker, and its reports hold at the sender', async () => {
  const machines = await sentJob()
  const { take, location, reports } = machines
  const message: WorkerCommand = {
    type: 'message',
    messageId: 'm',
    from: 'user',
    sender: null,
    content: [{ type: 'text', text: `Look at ${location.path}/a.txt.` }],
  }
  const placed = value(await placeJob(take(0, [message]), machines.worker('w1')))
  const { folder } = placed.environment
  expect(folder).not.toBe(location.path)
  expect(placed.taken.job.events[0]).toMatchObject({ cwd: folder, system: `You work in ${folder}.` })
  expect(placed.taken.job.events[0]).toMatchObject({ worktree: { path: folder, from: location.from } })
  for await (const command of placed.taken.commands(SIGNAL))
    expect(JSON.stringify(command)).toContain(`Look at ${folder}/a.txt.`)
  value(await placed.taken.report(toolEnded(1, `Read ${folder}/a.txt, not ${folder}-2.`)))
  expect(reports[0]?.event).toMatchObject({ content: `Read ${location.path}/a.txt, not ${folder}-2.` })
  expect(reports[0]?.work).toBeNull()
})

test('the next worker has the files of the last report, and the sender gets them all once', async () => {
  const all = await sentJob()
  const { bench, take, reports, files, location } = all
  const first = value(await placeJob(take(0), all.worker('w1')))
  await bench.write(first.environment.folder, { 'a.txt': 'first\n', 'n/new.txt': 'new\n' })
  value(await first.taken.report(started(1)))
  value(await first.taken.report(toolEnded(2, 'Wrote.')))
  // Killed: nothing is cleaned up.
  await bench.write(first.environment.folder, { 'unreported.txt': 'x' })

  const second = value(await placeJob(take(1), all.worker('w2')))
  const { folder } = second.environment
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('first\n')
  expect(await readFile(join(folder, 'n/new.txt'), 'utf8')).toBe('new\n')
  expect(bytesIn(folder).some((line) => line.includes('unreported'))).toBe(false)
  bench.run(folder, 'add', '-A')
  bench.run(folder, 'commit', '-qm', 'By the second')
  await bench.write(folder, { 'late.txt': 'late\n' })
  const work = value(await second.environment.work(agentEnded))
  if (work === null) throw new Error('nothing was saved')
  const expected = bytesIn(folder)
  await second.close()
  for (const { work: reported } of reports)
    if (reported !== null) value(await files.progressed('j-1', reported))
  value(await files.progressed('j-1', work))
  expect(value(await files.land('j-1', SIGNAL))).toEqual({ kind: 'landed' })
  expect(bytesIn(location.path)).toEqual(expected)
  expect(bench.run(location.path, 'log', '--format=%s', '-1').trim()).toBe('By the second')
  expect(value(await bench.worktrees.save(location, { task: 'x', ended: 'completed' }))).toMatchObject({
    commits: 2,
    files: 3,
  })
})

test('a worker that changed nothing returns nothing, and one that continues returns what the first one did', async () => {
  const all = await sentJob()
  const idle = value(await placeJob(all.take(0), all.worker('w1')))
  expect(value(await idle.environment.work(agentEnded))).toBeNull()
  await all.bench.write(idle.environment.folder, { 'a.txt': 'changed\n' })
  value(await idle.taken.report(started(1)))
  value(await idle.taken.report(toolEnded(2, 'Wrote.')))
  const next = value(await placeJob(all.take(1), all.worker('w2')))
  expect(value(await next.environment.work(agentEnded))).toEqual(all.reports[1]?.work)
})

test('a report whose files can’t be stored is not sent, and is sent again', async () => {
  const all = await sentJob()
  const placed = value(await placeJob(all.take(0), all.worker('w1')))
  await all.bench.write(placed.environment.folder, { 'a.txt': 'changed\n' })
  value(await placed.taken.report(started(1)))
  const { put } = all.store
  Object.assign(all.store, { put: async () => fail({ type: 'gone', message: 'NATS is gone.' }) })
  expect(await placed.taken.report(toolEnded(2, 'Wrote.'))).toMatchObject({
    ok: false,
    failure: { type: 'io', message: 'NATS is gone.' },
  })
  expect(all.reports).toHaveLength(1)
  Object.assign(all.store, { put })
  value(await placed.taken.report(toolEnded(2, 'Wrote.')))
  expect(all.reports[1]?.work?.bundles).toHaveLength(1)
})

test('a report that was not sent carries the files when it is sent again', async () => {
  const all = await sentJob()
  const taken = all.take(0)
  let isGone = true
  const report: TakenJob['report'] = async (one) =>
    isGone ? fail({ type: 'io', message: 'NATS is gone.' }) : taken.report(one)
  const placed = value(await placeJob({ ...taken, report }, all.worker('w1')))
  await all.bench.write(placed.environment.folder, { 'a.txt': 'changed\n' })
  isGone = false
  value(await placed.taken.report(started(1)))
  isGone = true
  expect(await placed.taken.report(toolEnded(2, 'Wrote.'))).toMatchObject({ ok: false })
  isGone = false
  value(await placed.taken.report(toolEnded(2, 'Wrote.')))
  expect(all.reports[1]?.work).not.toBeNull()
  expect(value(await placed.environment.work(agentEnded))).toEqual(all.reports[1]?.work)
})

test('a tool that writes nothing costs no look at the files', async () => {
  const all = await sentJob()
  const placed = value(await placeJob(all.take(0), all.worker('w1')))
  await all.bench.write(placed.environment.folder, { 'a.txt': 'changed\n' })
  value(await placed.taken.report(started(1, false)))
  value(await placed.taken.report(toolEnded(2, 'Read.')))
  expect(all.reports.map(({ work }) => work)).toEqual([null, null])
})

test('files that can’t be stored at the end stay on the worker, and the failure names their folder', async () => {
  const all = await sentJob()
  const worker = all.worker('w1')
  const placed = value(await placeJob(all.take(0), worker))
  const { folder, work } = placed.environment
  await all.bench.write(folder, { 'a.txt': 'changed\n' })
  Object.assign(all.store, { put: async () => fail({ type: 'gone', message: 'NATS is gone.' }) })
  const handed = await work(agentEnded)
  expect(handed).toMatchObject({ ok: false, failure: { message: expect.stringContaining(folder) } })
  await placed.close()
  await worker.tidy({ maxBytes: 0, running: new Set() })
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('changed\n')
})

test('a job without a worktree is refused', async () => {
  const all = await sentJob()
  const taken = all.take(0)
  const without = { ...taken, job: { ...taken.job, repository: null } }
  expect(await placeJob(without, all.worker('w1'))).toMatchObject({ ok: false, failure: { type: 'refused' } })
})
