/** Senders and workers at a test's NATS server. Everything is closed after the test. */

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'
import { fail, ok } from '../../../../../../shared/kernel/result.ts'
import {
  WORKER_PROTOCOL,
  type WorkerCommand,
  type WorkerReport,
} from '../../../../../../shared/workers/worker-protocol.ts'
import { createSystemClock } from '../../../../../platform/system/machine-time.ts'
import type { MailboxMessage } from '../../../../../runtime/ports/ports.ts'
import type { TaskBoard } from '../../../../../runtime/ports/task-board.ts'
import type { FollowEnd } from '../../../../../runtime/ports/worker-link.ts'
import { needsOf, type WorkerOffer, whyNoneFits, whyUnfit } from '../job-needs.ts'
import { type JobSettings, type JobStore, openJobStore } from '../job-store.ts'
import { openOutbox } from '../outbox.ts'
import { createRemoteLink, type RemoteLink } from '../remote-link.ts'
import { loadSenderKey, type SenderKey } from '../sender-keys.ts'
import { serveJobs } from '../serve-jobs.ts'
import type { RemoteJob } from '../taken-job.ts'
import { type WorkerPolicy, workerPolicy } from '../worker-policy.ts'

/** Short times: a lost worker is noticed in a second. */
export const quick: JobSettings = {
  ackWait: 900,
  leaseTtl: 600,
  retryWait: 50,
  maxAttempts: 5,
  keep: 600_000,
  requestTime: 20_000,
  idleRoute: 600_000,
  answerTime: 5000,
  noWorkerTime: 100,
}

export async function openStore(url: string, settings = quick): Promise<JobStore> {
  const connection = await connect({
    servers: url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    reconnectJitter: 0,
    waitOnFirstConnect: true,
  })
  onTestFinished(() => connection.close())
  const store = await openJobStore(connection, createSystemClock().sleep, settings)
  if (!store.ok) throw new Error(store.failure.message)
  return store.value
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-jobs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export type SeenWorker = WorkerOffer & { readonly workerId: string; readonly host: string }

interface TestSender {
  readonly link: RemoteLink
  readonly key: SenderKey
  readonly folder: string
  readonly problems: readonly string[]
  /** The messages of remote agents to others. */
  readonly mail: readonly MailboxMessage[]
  outboxSize(): number
  /** Resolves when everything has arrived. */
  emptied(): Promise<void>
}

/** @param options.store null: there is no connection, until `connect` is called */
export async function startSender(
  store: JobStore | null,
  options: {
    readonly folder?: string
    /** The workers that are seen. */
    readonly workers?: readonly SeenWorker[]
    readonly now?: () => number
    readonly board?: TaskBoard
  } = {},
): Promise<TestSender & { connect(store: JobStore): void }> {
  const folder = options.folder ?? (await temporaryFolder())
  const key = await loadSenderKey(folder)
  if (!key.ok) throw new Error(key.failure.message)
  const problems: string[] = []
  const mail: MailboxMessage[] = []
  const listeners = new Set<() => void>()
  let current = store
  const outbox = await openOutbox(join(folder, 'outbox'), (problem) => problems.push(problem), randomUUID)
  const link = createRemoteLink({
    stores: {
      current: () => current,
      onOpen(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    outbox,
    key: key.value,
    workers(job) {
      const needs = needsOf(job) ?? {}
      const seen = options.workers ?? []
      return {
        fit: seen.filter((worker) => whyUnfit(worker, needs) === null).map(({ workerId }) => workerId),
        why: whyNoneFits(seen, needs),
        none: options.workers?.length === 0,
      }
    },
    deliver: async (message) => {
      mail.push(message)
      return ok(undefined)
    },
    board: options.board ?? emptyBoard,
    now: options.now ?? Date.now,
    onProblem: (problem) => problems.push(problem),
  })
  onTestFinished(() => link.close())
  return {
    link,
    key: key.value,
    folder,
    problems,
    mail,
    outboxSize: () => outbox.size(),
    emptied: () =>
      new Promise((resolve) => {
        const look = () => {
          if (outbox.size() > 0) return
          stop()
          resolve()
        }
        const stop = outbox.subscribe(look)
        look()
      }),
    connect(opened) {
      current = opened
      for (const listener of [...listeners]) listener()
    },
  }
}

const emptyBoard: TaskBoard = {
  list: async () => ok({ tasks: [], problems: [] }),
  create: async () => fail({ type: 'io', message: 'The board is empty.' }),
  update: async () => fail({ type: 'io', message: 'The board is empty.' }),
  watch: () => () => {},
}

/** A worker of this version without limits. */
export const plainOffer: WorkerOffer = {
  protocol: WORKER_PROTOCOL,
  version: '0',
  platform: 'linux',
  models: [],
  tools: [],
}

interface TestWorker {
  /** Resolves with the next job that was taken. The job runs until the test settles it. */
  next(): Promise<RemoteJob>
  /** How many jobs were taken. */
  count(): number
  /** Resolves when the worker's output has this. */
  told(text: RegExp): Promise<void>
  stop(): Promise<void>
}

export function startWorker(
  store: JobStore,
  options: {
    readonly trusted: readonly string[]
    readonly name?: string
    readonly policy?: Partial<WorkerPolicy>
    readonly offer?: WorkerOffer
  },
): TestWorker {
  const { name = 'one' } = options
  const end = new AbortController()
  const taken: RemoteJob[] = []
  const waiting: ((job: RemoteJob) => void)[] = []
  let count = 0
  const output: string[] = []
  const looking = new Set<() => void>()
  const served = serveJobs({
    store,
    elapsed: () => performance.now(),
    worker: { workerId: `w-${name}`, host: name, pid: 1, cores: 1, tmux: null },
    policy: async () => ok(workerPolicy.parse({ maxJobs: 4, ...options.policy })),
    trusted: async () => new Set(options.trusted),
    offer: () => options.offer ?? plainOffer,
    runJob: (job, stopping) =>
      new Promise((resolve) => {
        count++
        const finish = () => resolve()
        const settled = (work: Promise<void>) => work.finally(finish)
        const observed: RemoteJob = {
          ...job,
          done: () => settled(job.done()),
          giveBack: (problem) => settled(job.giveBack(problem)),
        }
        job.lost.addEventListener('abort', finish, { once: true })
        stopping.addEventListener('abort', finish, { once: true })
        const receive = waiting.shift()
        if (receive) receive(observed)
        else taken.push(observed)
      }),
    onNote(note) {
      output.push(note)
      for (const look of [...looking]) look()
    },
    signal: end.signal,
  })
  const stop = () => {
    end.abort()
    return served
  }
  onTestFinished(stop)
  return {
    next: () => {
      const job = taken.shift()
      return job ? Promise.resolve(job) : new Promise((resolve) => waiting.push(resolve))
    },
    count: () => count,
    told: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!output.some((note) => text.test(note))) return
          looking.delete(look)
          resolve()
        }
        looking.add(look)
        look()
      }),
    stop,
  }
}

interface Followed {
  readonly reports: readonly WorkerReport[]
  readonly notes: readonly string[]
  readonly end: Promise<FollowEnd>
  /** Resolves when so many reports have arrived. */
  arrived(count: number): Promise<void>
  /** Resolves when the worker's state was changed to this one. */
  worker(state: string): Promise<void>
  /** Resolves when there was such a note. */
  noted(text: RegExp): Promise<void>
  abort(): void
}

export function follow(link: RemoteLink, job: { jobId: string; agentId: string }, from = 0): Followed {
  const reports: WorkerReport[] = []
  const notes: string[] = []
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const changes = new Set<() => void>()
  const changed = () => {
    for (const listener of [...changes]) listener()
  }
  const when = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isTrue()) return
        changes.delete(look)
        resolve()
      }
      changes.add(look)
      look()
    })
  const end = link.follow(
    { ...job, from },
    {
      report: async (report) => {
        reports.push(report)
        changed()
        return true
      },
      live: () => {},
      worker: (worker, state, note) => {
        notes.push(`${state} ${worker?.host ?? '-'}: ${note}`)
        changed()
      },
    },
    abort.signal,
  )
  return {
    reports,
    notes,
    end,
    arrived: (count) => when(() => reports.length >= count),
    worker: (state) => when(() => notes.some((note) => note.startsWith(state))),
    noted: (text) => when(() => notes.some((note) => text.test(note))),
    abort: () => abort.abort(),
  }
}

/** Takes commands of a job until the given number has arrived. */
export async function takeCommands(job: RemoteJob, count: number): Promise<readonly WorkerCommand[]> {
  const end = new AbortController()
  const found: WorkerCommand[] = []
  for await (const command of job.commands(end.signal)) {
    found.push(command)
    if (found.length === count) break
  }
  end.abort()
  return found
}
