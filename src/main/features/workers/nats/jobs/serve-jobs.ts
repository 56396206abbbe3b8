/** A worker at the job queue: takes jobs that its policy allows, and carries each out with `runJob`. */
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { z } from 'zod'
import type { AgentWorker } from '../../../../../shared/events/agent-event.ts'
import { fail, messageOf, type Result, sentence } from '../../../../../shared/kernel/result.ts'
import {
  OLDEST_WORKER_PROTOCOL,
  WORKER_PROTOCOL,
  type WorkerJob,
  workerJob,
} from '../../../../../shared/workers/worker-protocol.ts'
import { openEnvelope } from './envelope.ts'
import { jobNames, jobSubject } from './job-names.ts'
import { needsOf, type WorkerOffer, whyUnfit } from './job-needs.ts'
import { changeRecord, getRecord, isOver } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import { createLeaseBoard, type Lease, type LeaseBoard } from './lease.ts'
import { lastReport, readReportMessage } from './report-message.ts'
import { type RemoteJob, takeJob } from './taken-job.ts'
import { applyPolicy, applyToChange, modelOf, type WorkerPolicy } from './worker-policy.ts'

interface ServeOptions {
  readonly store: JobStore
  /** ms, for durations. */
  readonly elapsed: () => number
  readonly worker: Omit<AgentWorker, 'epoch'>
  /** Read for each job, so that a change has effect at once. */
  readonly policy: () => Promise<Result<WorkerPolicy>>
  /** What this worker has, as in its heartbeat. Missing: nothing but the protocol is compared. */
  readonly offer?: () => WorkerOffer
  /** The public keys of the senders whose jobs are carried out. */
  readonly trusted: () => Promise<ReadonlySet<string>>
  /** Why no job can be taken now: "the disk is full"; null: one can. */
  readonly problem?: () => Promise<string | null>
  /** Carries out a job to its end: it calls `done` or `giveBack`, or stops at `lost`. `stopping`: the worker ends. */
  readonly runJob: (taken: RemoteJob, stopping: AbortSignal) => Promise<void>
  /** Called with each job that begins and ends here. */
  readonly onJobs?: (jobs: readonly WorkerJob[]) => void
  /** Called with what happened, for the worker's own output. */
  readonly onNote?: (note: string) => void
  /** Ends the worker: it takes no more jobs and gives running ones back. */
  readonly signal: AbortSignal
}

interface Serving extends ServeOptions {
  readonly board: LeaseBoard
}

/** Resolves after `signal`, when the last job has ended or was given back. */
export async function serveJobs(options: ServeOptions): Promise<void> {
  const { store, worker, elapsed, signal } = options
  const board = createLeaseBoard({
    connection: store.connection,
    leases: store.leases,
    workerId: worker.workerId,
    ttl: store.settings.leaseTtl,
    elapsed,
  })
  const running = new Map<string, { readonly job: WorkerJob; readonly end: Promise<void> }>()
  const changed = () => options.onJobs?.([...running.values()].map(({ job }) => job))

  /** Resolves when the message is settled; the job itself continues. */
  async function consider(message: JsMsg): Promise<void> {
    const begun = await begin(message, { ...options, board })
    if (begun === null) return
    const end = carryOut(begun, message, options).finally(() => {
      running.delete(begun.job.jobId)
      changed()
    })
    running.set(begun.job.jobId, { job: begun.job, end })
    changed()
  }

  while (!signal.aborted) {
    const policy = await options.policy()
    const places = policy.ok ? policy.value.maxJobs : 0
    if (running.size >= places || (await options.problem?.())) {
      const ends = [...running.values()].map(({ end }) => end)
      await Promise.race([
        ...(running.size >= places ? ends : []),
        store.sleep(store.settings.retryWait, signal),
      ])
      continue
    }
    try {
      const message = await nextMessage(store, signal)
      if (message) await consider(message)
    } catch (thrown) {
      options.onNote?.(`No job can be taken: ${sentence(messageOf(thrown))} It is tried again.`)
      await store.sleep(store.settings.retryWait, signal)
    }
  }
  await Promise.all([...running.values()].map(({ end }) => end))
  board.close()
}

/** Waits for a job. Null: there was none for a while, or the signal aborted. */
async function nextMessage({ js }: JobStore, signal: AbortSignal): Promise<JsMsg | null> {
  const consumer = await js.consumers.get(jobNames.jobs, jobNames.workers)
  const messages: ConsumerMessages = await consumer.fetch({ max_messages: 1, expires: 5000 })
  const stop = () => void messages.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for await (const message of messages) return message
    return null
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

interface Begun {
  readonly job: WorkerJob
  readonly lease: Lease
}

/** Decides about a message. Null: the job does not begin here, and the message is settled. */
async function begin(message: JsMsg, serving: Serving): Promise<Begun | null> {
  const { store, board, worker } = serving
  const read = await readJob(message, serving)
  if (!read.ok) {
    const { jobId, agentId } = named(message)
    const note = `${worker.host}: ${read.failure.message}`
    if (jobId !== '')
      await changeRecord(store.records, { jobId, agentId }, (record) =>
        isOver(record) ? null : { ...record, refusals: { ...record.refusals, [worker.workerId]: note } },
      )
    serving.onNote?.(`A job of ${agentId || 'an unknown agent'} was refused: ${read.failure.message}`)
    // Another worker may trust the sender or allow the repository. A message that nobody could take is removed.
    if (FOR_ANOTHER.has(read.failure.type)) message.nak(store.settings.retryWait)
    else message.term()
    return null
  }
  const job = read.value
  const { agentId, jobId } = job
  const before = await getRecord(store.records, jobId)
  if (before !== null && (isOver(before) || before.state === 'canceled')) {
    await message.ackAck()
    return null
  }
  if (before !== null && before.attempts >= store.settings.maxAttempts) {
    const problem = `${before.attempts} workers failed at the job${before.problem === null ? ' without saying why' : `; the last one: ${before.problem}`}`
    await changeRecord(store.records, job, (record) => ({ ...record, state: 'refused', problem }))
    await message.ackAck()
    return null
  }
  const last = await lastReport(agentId, store)
  const newest = last && (await readReportMessage(last.data, store))
  const lease = await board.take({ agentId, jobId, epoch: Math.max(job.epoch, (newest?.epoch ?? -1) + 1) })
  if (lease === null) {
    message.nak(store.settings.retryWait)
    return null
  }
  const record = await changeRecord(store.records, job, (current) =>
    isOver(current) || current.state === 'canceled'
      ? null
      : {
          ...current,
          state: 'running',
          attempts: current.attempts + 1,
          epoch: lease.epoch,
          workerId: worker.workerId,
        },
  )
  if (record.state === 'running') return { job, lease }
  await lease.release()
  await message.ackAck()
  return null
}

/** Refusals after which another worker may take the job. */
const FOR_ANOTHER: ReadonlySet<string> = new Set(['unknown-sender', 'policy', 'protocol', 'needs'])

async function readJob(
  message: JsMsg,
  { store, policy, trusted, offer }: Serving,
): Promise<Result<WorkerJob>> {
  const opened = await openEnvelope(
    message.data,
    { subject: jobSubject, storedAt: message.time.getTime(), trusted: await trusted() },
    store,
  )
  if (!opened.ok) return opened
  const { protocol } = z
    .object({ protocol: z.number().catch(0) })
    .catch({ protocol: 0 })
    .parse(opened.value)
  if (protocol < OLDEST_WORKER_PROTOCOL || protocol > WORKER_PROTOCOL)
    return {
      ok: false,
      failure: {
        type: 'protocol',
        message: `The job has version ${protocol} of the protocol, this worker has version ${WORKER_PROTOCOL}. Install the same version of Troupe on both machines.`,
      },
    }
  const job = workerJob.safeParse(opened.value)
  if (!job.success)
    return { ok: false, failure: { type: 'bad-job', message: `The job is not valid: ${job.error.message}` } }
  if (job.data.jobId !== named(message).jobId)
    return { ok: false, failure: { type: 'bad-job', message: 'The job’s name is not the signed one.' } }
  const needs = needsOf(job.data)
  const unfit = offer && needs ? whyUnfit(offer(), needs) : null
  if (unfit !== null) return fail({ type: 'needs', message: `This worker ${unfit}.` })
  const allowed = await policy()
  return allowed.ok ? applyPolicy(job.data, allowed.value) : allowed
}

/** The job that the message is about by its own account, which nothing proves. */
function named({ headers }: JsMsg): { readonly jobId: string; readonly agentId: string } {
  return { jobId: headers?.get('Troupe-Job') ?? '', agentId: headers?.get('Troupe-Agent') ?? '' }
}

/** The job with changes of its agent lowered to the policy, as the job itself was. */
function withPolicy(job: RemoteJob, { policy, onNote }: ServeOptions): RemoteJob {
  return {
    ...job,
    async *commands(signal) {
      for await (const command of job.commands(signal)) {
        if (command.type !== 'changed') {
          yield command
          continue
        }
        const read = await policy()
        // A policy that can't be read allows no change; a stop and messages still arrive.
        if (read.ok) yield applyToChange(command, read.value, currentModel(job))
        else onNote?.(`A change of ${job.job.agentId} has no effect: ${read.failure.message}`)
      }
    },
  }
}

const currentModel = ({ job, earlier }: RemoteJob): string => {
  const [spawned] = job.events
  const events = [...job.events, ...earlier.map(({ event }) => event)]
  return spawned?.type === 'agent-spawned' ? modelOf(spawned, events) : ''
}

async function carryOut({ job, lease }: Begun, message: JsMsg, options: ServeOptions): Promise<void> {
  const { store, worker, signal, trusted } = options
  const working = setInterval(() => message.working(), store.settings.ackWait / 4)
  const taken = await takeJob({
    store,
    job,
    lease,
    worker: { ...worker, epoch: lease.epoch },
    message,
    trusted,
  })
  try {
    if (taken.hasEnded) await taken.job.done()
    else if (!taken.job.lost.aborted) await options.runJob(withPolicy(taken.job, options), signal)
    if (!taken.isSettled() && !taken.job.lost.aborted)
      await taken.job.giveBack({
        message: signal.aborted ? 'The worker was ended.' : 'The worker ended without a result.',
        forGood: false,
        isEnding: signal.aborted,
      })
  } catch (thrown) {
    options.onNote?.(`The job of ${job.agentId} failed: ${messageOf(thrown)}`)
    await taken.job.giveBack({ message: messageOf(thrown), forGood: false }).catch(() => undefined)
  } finally {
    clearInterval(working)
    taken.close()
  }
}
