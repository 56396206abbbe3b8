/** The conversation's side of the link with worker processes on this machine, by files (see pane-files.ts). */
import { readFile, rm } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { z } from 'zod'
import type { AgentWorker } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { WorkerHeartbeat } from '../../../shared/workers/worker-presence.ts'
import { workerHeartbeat } from '../../../shared/workers/worker-presence-schema.ts'
import { type WorkerCommand, type WorkerJob, workerJob } from '../../../shared/workers/worker-protocol.ts'
import { makeFolder, replaceFile } from '../../platform/system/atomic-file.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { exists } from '../../platform/system/exists.ts'
import { lockHolder } from '../../platform/transcripts/conversation-lock.ts'
import { safeIds } from '../../platform/transcripts/data-paths.ts'
import type { FollowEnd, FollowedJob, WorkerLink, WorkerListener } from '../../runtime/ports/worker-link.ts'
import { createFolderWatch } from './folder-watch.ts'
import { namesIn, type PaneFiles, paneFiles, readJson, removeFile, workersFolder } from './pane-files.ts'
import { ReportFile, withoutOldLive } from './report-file.ts'

/** Starts a worker process for an agent. */
export interface WorkerLauncher {
  /** Resolves when the process was started; its own failures are in the log file. */
  launch(agentId: string, logFile: string): Promise<Result<void>>
}

interface PaneLinkOptions {
  /** Absolute. */
  readonly dataFolder: string
  /** Null: somebody else starts the workers. */
  readonly launcher: WorkerLauncher | null
  readonly now: () => number
}

interface PaneLink extends WorkerLink {
  /** The ids of the conversations whose agents workers carry out, or have completed since. */
  conversations(): Promise<readonly string[]>
  /** Ends the agent's process, if a program started it. The agent must have ended. */
  release(agentId: string): Promise<void>
  /** Removes the files of agents whose conversation was deleted. */
  forget(agentIds: readonly string[]): Promise<void>
  /** Ends the processes that programs started for the agents that were followed here. */
  close(): Promise<void>
}

/** ms between looks at the process of a worker. */
const POLL = 1000
/** ms that a new process has to take the lock. */
const START_TIME = 20_000
/** ms without a heartbeat after which a worker counts as silent. */
const SILENT = 20_000
const LOG_END = 400

export function createPaneLink({ dataFolder, launcher, now }: PaneLinkOptions): PaneLink {
  let commands = 0
  /** The agents whose workers this program has followed. */
  const followed = new Set<string>()

  async function isRunning(files: PaneFiles, agentId: string): Promise<boolean> {
    return (await lockHolder(files.locks.lock(agentId)).catch(() => null)) !== null
  }

  async function ensureWorker(files: PaneFiles, agentId: string): Promise<Result<void>> {
    if (await isRunning(files, agentId)) return ok(undefined)
    if (launcher === null) return fail(noLauncher)
    try {
      await replaceFile(files.launched, '', { durable: false })
    } catch (error) {
      return fail(diskFailure(error, 'The worker can’t be started', files.folder))
    }
    return launcher.launch(agentId, files.log)
  }

  async function endWorker(agentId: string): Promise<void> {
    const { locks, launched } = paneFiles(dataFolder, agentId)
    if (!(await exists(launched))) return
    const holder = await lockHolder(locks.lock(agentId)).catch(() => null)
    if (holder !== null) endProcess(holder.pid)
  }

  const link: PaneLink = {
    kind: 'pane',
    async submit(job) {
      const files = paneFiles(dataFolder, job.agentId)
      try {
        await removeOldJobs(files)
        // Messages are sent again with each job; answers and pauses were for the last one.
        for (const name of await namesIn(files.commands)) await removeFile(join(files.commands, name))
        await makeFolder(files.commands)
        const { job: file, folder } = files.job(job.jobId)
        await makeFolder(folder)
        await replaceFile(file, JSON.stringify(job), { durable: true })
      } catch (error) {
        return fail({
          type: 'io',
          message: diskFailure(error, 'The job can’t be written', files.folder).message,
        })
      }
      return ensureWorker(files, job.agentId)
    },
    async send(agentId, command: WorkerCommand) {
      const files = paneFiles(dataFolder, agentId)
      const number = `${String(now()).padStart(15, '0')}-${String(commands++).padStart(9, '0')}`
      try {
        await replaceFile(join(files.commands, `${number}.json`), JSON.stringify(command), { durable: true })
        return ok(undefined)
      } catch (error) {
        return fail({
          type: 'io',
          message: diskFailure(error, 'The command can’t be written', files.commands).message,
        })
      }
    },
    follow: (job, listener, signal) => {
      followed.add(job.agentId)
      return follow(job, listener, {
        files: paneFiles(dataFolder, job.agentId),
        signal,
        now,
        isRunning: (files) => isRunning(files, job.agentId),
      })
    },
    async isAlive({ jobId, agentId }) {
      const files = paneFiles(dataFolder, agentId)
      const job = files.job(jobId)
      if (!(await namesIn(job.folder)).includes('job.json')) return false
      return (await isRunning(files, agentId)) || (await hasEnd(job.reports))
    },
    async output({ jobId, agentId }, path) {
      const { data } = paneFiles(dataFolder, agentId).job(jobId)
      const file = resolve(data, path)
      if (!file.startsWith(data + sep))
        return fail({ type: 'io', message: `${path} is not in the worker’s folder.` })
      try {
        return ok(await readFile(file, 'utf8'))
      } catch (error) {
        return fail({ type: 'io', message: diskFailure(error, 'The output can’t be read', file).message })
      }
    },
    async conversations() {
      const ids = new Set<string>()
      for (const agentId of await namesIn(workersFolder(dataFolder))) {
        const files = paneFiles(dataFolder, agentId)
        for (const jobId of await namesIn(files.jobs)) {
          if (!(await link.isAlive({ jobId, agentId }))) continue
          const job = await readJson(files.job(jobId).job, z.object({ conversationId: z.string() }))
          if (job !== null) ids.add(job.conversationId)
        }
      }
      return [...ids]
    },
    release: (agentId) => endWorker(agentId),
    async forget(agentIds) {
      for (const agentId of agentIds) {
        const { folder } = paneFiles(dataFolder, agentId)
        if (!safeIds(agentId).ok || !(await exists(folder))) continue
        await endWorker(agentId)
        await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      }
    },
    async close() {
      for (const agentId of followed) await endWorker(agentId)
    },
  }
  return link
}

/** A process that has just ended needs no signal. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {}
}

interface Following {
  readonly files: PaneFiles
  readonly signal: AbortSignal
  readonly now: () => number
  readonly isRunning: (files: PaneFiles) => Promise<boolean>
}

async function follow(
  { jobId, from }: FollowedJob,
  listener: WorkerListener,
  { files, signal, now, isRunning }: Following,
): Promise<FollowEnd> {
  const job = files.job(jobId)
  const watch = createFolderWatch(job.folder, POLL)
  const reports = new ReportFile(job.reports)
  const startedAt = now()
  const told = new ToldWorker(listener, now)
  let isFirst = true
  let wasSeen = false
  try {
    for (;;) {
      // Checked before the file is read: otherwise the last reports of a process that ends in between would be missed.
      const runs = await isRunning(files)
      wasSeen ||= runs
      await told.look(files, jobId)
      const all = await reports.next()
      const lines = isFirst ? withoutOldLive(all) : all
      isFirst = false
      const taken: Promise<boolean>[] = []
      for (const line of lines) {
        if (line.kind === 'live') {
          listener.live(line.event)
          continue
        }
        const { event } = line.report
        if (event.type === 'agent-ended') {
          await Promise.all(taken)
          return { kind: 'ended', report: { ...line.report, event } }
        }
        if (line.report.seq >= from) taken.push(listener.report(line.report))
      }
      if ((await Promise.all(taken)).includes(false))
        return { kind: 'gone', message: 'Its events do not continue those that are known here.' }
      const refused = await readJson(job.refused, z.object({ message: z.string() }))
      if (refused !== null) return { kind: 'refused', message: refused.message }
      if (signal.aborted) return { kind: 'aborted' }
      if (!runs && all.length === 0 && (wasSeen || now() - startedAt > START_TIME))
        return { kind: 'gone', message: await goneMessage(files, wasSeen) }
      await watch.next(signal)
    }
  } finally {
    watch.close()
  }
}

/** Tells the listener about the worker when something about it changed. */
class ToldWorker {
  private readonly listener: WorkerListener
  private readonly now: () => number
  private told: string | null = null
  private isSilent = false

  constructor(listener: WorkerListener, now: () => number) {
    this.listener = listener
    this.now = now
  }

  async look(files: PaneFiles, jobId: string): Promise<void> {
    if (!(await namesIn(files.job(jobId).folder)).includes('taken')) return
    const beat = await readJson(files.heartbeat, workerHeartbeat)
    if (beat === null) return
    const isSilent = this.now() - beat.at > SILENT
    if (this.told === beat.workerId && isSilent === this.isSilent) return
    const note = isSilent ? silentNote(beat) : this.isSilent ? 'The worker sends heartbeats again.' : ''
    this.told = beat.workerId
    this.isSilent = isSilent
    const job = await readJson(files.job(jobId).job, z.object({ epoch: z.number() }))
    this.listener.worker(agentWorkerOf(beat, job?.epoch ?? 0), isSilent ? 'silent' : 'running', note)
  }
}

const silentNote = ({ pid }: WorkerHeartbeat): string =>
  `No heartbeat from the worker (process ${pid}) for ${SILENT / 1000} s. It may be suspended. Its agent continues when it does.`

function agentWorkerOf({ workerId, host, pid, cores, tmux }: WorkerHeartbeat, epoch: number): AgentWorker {
  return { workerId, host, pid, cores, tmux, epoch }
}

async function goneMessage(files: PaneFiles, wasSeen: boolean): Promise<string> {
  const log = (await readFile(files.log, 'utf8').catch(() => '')).trim()
  const end = log === '' ? '' : ` The last it printed: ${log.slice(-LOG_END)}`
  const beat = await readJson(files.heartbeat, workerHeartbeat)
  return wasSeen
    ? `The worker process${beat === null ? '' : ` ${beat.pid}`} ended before the agent did. Message the agent to resume it.${end}`
    : `The worker process did not start. Message the agent to try again.${end}`
}

/** Whether the last line of the reports is the agent's end. */
async function hasEnd(path: string): Promise<boolean> {
  const lines = await new ReportFile(path).next().catch(() => [])
  return lines.some((line) => line.kind === 'report' && line.report.event.type === 'agent-ended')
}

/** Removes the folders of jobs whose end is in the agent's transcript. */
async function removeOldJobs(files: PaneFiles): Promise<void> {
  for (const jobId of await namesIn(files.jobs)) {
    const job = files.job(jobId)
    if (await hasEnd(job.reports)) await rm(job.folder, { recursive: true, force: true })
  }
}

const noLauncher = {
  type: 'no-worker',
  message:
    'This program can’t start worker processes. Start one with troupe worker, or use the backing in-process.',
}

/** A job as a worker reads it; null: not valid, or of a newer program. */
export const readJob = (path: string): Promise<WorkerJob | null> => readJson(path, workerJob)
