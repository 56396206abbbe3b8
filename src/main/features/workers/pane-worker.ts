/** The worker's side of the link by files (see pane-files.ts): one process carries out the jobs of one agent. */
import { appendFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { WorkerFacts, WorkerHeartbeat } from '../../../shared/workers/worker-presence.ts'
import { type WorkerCommand, type WorkerJob, workerCommand } from '../../../shared/workers/worker-protocol.ts'
import { FILE_MODE, makeFolder, replaceFile } from '../../platform/system/atomic-file.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { acquireLock, lockHolder } from '../../platform/transcripts/conversation-lock.ts'
import { safeIds } from '../../platform/transcripts/data-paths.ts'
import type { TakenJob } from '../../runtime/ports/worker-link.ts'
import { createFolderWatch } from './folder-watch.ts'
import { namesIn, type PaneFiles, paneFiles, readJson, removeFile } from './pane-files.ts'
import { readJob } from './pane-link.ts'
import { encodeLive, encodeReport } from './report-file.ts'

interface PaneWorkerOptions {
  /** Absolute. */
  readonly dataFolder: string
  readonly agentId: string
  readonly facts: WorkerFacts
  readonly now: () => number
  readonly onProblem: (message: string) => void
}

export interface PaneJob {
  readonly taken: TakenJob
  /** The folder for the worker's own conversation. */
  readonly dataFolder: string
}

interface PaneWorker {
  /** The next job of the agent. Null: none came within `idleMs`, or the signal aborted. */
  next(options: { readonly idleMs: number; readonly signal: AbortSignal }): Promise<PaneJob | null>
  close(): Promise<void>
}

const HEARTBEAT = 5000
const POLL = 1000

/** Takes the agent's lock. Fails with `locked` (another worker carries it out), `bad-id`, or a failure of the disk. */
export async function openPaneWorker(options: PaneWorkerOptions): Promise<Result<PaneWorker>> {
  const { dataFolder, agentId, facts, now, onProblem } = options
  const safe = safeIds(agentId)
  if (!safe.ok) return safe
  const files = paneFiles(dataFolder, agentId)
  const lock = await acquireLock(files.locks, agentId, facts.pid)
  if (!lock.ok) {
    const holder = await lockHolder(files.locks.lock(agentId)).catch(() => null)
    return holder === null
      ? lock
      : fail({
          type: 'locked',
          message: `The process ${holder.pid} is already the worker of ${agentId}. End that process first.`,
        })
  }
  let isWorking = false
  /** Aborts when the folder was removed, or another process has the lock. */
  const lost = new AbortController()
  const beat = async (): Promise<void> => {
    if (!(await lock.value.isOurs())) lost.abort()
    if (lost.signal.aborted) return
    const heartbeat: WorkerHeartbeat = {
      ...facts,
      agentIds: isWorking ? [agentId] : [],
      load: (loadavg()[0] ?? 0) / facts.cores,
      at: now(),
      problem: null,
    }
    await replaceFile(files.heartbeat, JSON.stringify(heartbeat), { durable: false })
  }
  try {
    await makeFolder(files.jobs)
    await makeFolder(files.commands)
    await beat()
  } catch (error) {
    await lock.value.release()
    return fail(diskFailure(error, 'The worker can’t write its files', files.folder))
  }
  const timer = setInterval(() => void beat().catch((thrown) => onProblem(messageOf(thrown))), HEARTBEAT)
  return ok({
    async next({ idleMs, signal }) {
      isWorking = false
      await beat().catch(() => undefined)
      const watch = createFolderWatch(files.jobs, POLL)
      const until = now() + idleMs
      try {
        while (!signal.aborted && !lost.signal.aborted) {
          const job = await newestJob(files)
          if (job !== null) {
            isWorking = true
            await beat().catch(() => undefined)
            return { taken: takenJob(job, files, lost.signal), dataFolder: files.job(job.jobId).data }
          }
          if (now() >= until) return null
          await watch.next(AbortSignal.any([signal, lost.signal]))
        }
        return null
      } finally {
        watch.close()
      }
    },
    async close() {
      clearInterval(timer)
      for (const path of [files.heartbeat, files.launched]) await removeFile(path).catch(() => undefined)
      await lock.value.release()
    },
  })
}

/** Takes the newest job that no worker has begun: a job that was begun and lost is not begun again. */
async function newestJob(files: PaneFiles): Promise<WorkerJob | null> {
  let newest: WorkerJob | null = null
  for (const jobId of await namesIn(files.jobs)) {
    const names = await namesIn(files.job(jobId).folder)
    if (!names.includes('job.json') || names.includes('taken')) continue
    const job = await readJob(files.job(jobId).job)
    if (job !== null && (newest === null || job.epoch > newest.epoch)) newest = job
  }
  if (newest !== null) await replaceFile(files.job(newest.jobId).taken, '', { durable: false })
  return newest
}

function takenJob(job: WorkerJob, files: PaneFiles, isLost: AbortSignal): TakenJob {
  const { reports, refused } = files.job(job.jobId)
  const lost = new AbortController()
  let live = ''
  let writing: Promise<unknown> = Promise.resolve()
  /** One write after the other, so that lines stay whole and in order. */
  const append = (text: () => string): Promise<Result<void>> => {
    const written = writing.then(async (): Promise<Result<void>> => {
      try {
        await appendFile(reports, text(), { mode: FILE_MODE })
        return ok(undefined)
      } catch (error) {
        return fail(diskFailure(error, 'The report can’t be written', reports))
      }
    })
    writing = written
    return written
  }
  const takeLive = (): string => {
    const taken = live
    live = ''
    return taken
  }
  const over = new AbortController()
  return {
    job,
    epoch: job.epoch,
    earlier: [],
    lost: AbortSignal.any([lost.signal, isLost]),
    commands: (signal) => commandsOf(files, { lost, signal: AbortSignal.any([signal, over.signal]) }),
    report: (report) => append(() => takeLive() + encodeReport(report)),
    live: (event) => {
      // Many small pieces of a stream become one write.
      if (live === '') void append(takeLive)
      live += encodeLive(event)
    },
    done: async () => over.abort(),
    giveBack: async ({ message }) => {
      over.abort()
      await replaceFile(refused, JSON.stringify({ message }), { durable: true })
    },
  }
}

/** Also detects a newer job: the program has given up on this process, which did not answer in time. */
async function* commandsOf(
  files: PaneFiles,
  { lost, signal }: { readonly lost: AbortController; readonly signal: AbortSignal },
): AsyncIterable<WorkerCommand> {
  const watch = createFolderWatch(files.commands, POLL)
  try {
    while (!signal.aborted) {
      const names = (await namesIn(files.commands)).filter((name) => name.endsWith('.json')).toSorted()
      for (const name of names) {
        const path = join(files.commands, name)
        const command = await readJson(path, workerCommand)
        if (command !== null) yield command
        await removeFile(path)
        if (signal.aborted) return
      }
      if (await hasNewJob(files)) lost.abort()
      await watch.next(signal)
    }
  } finally {
    watch.close()
  }
}

async function hasNewJob(files: PaneFiles): Promise<boolean> {
  for (const jobId of await namesIn(files.jobs)) {
    const names = await namesIn(files.job(jobId).folder)
    if (names.includes('job.json') && !names.includes('taken')) return true
  }
  return false
}
