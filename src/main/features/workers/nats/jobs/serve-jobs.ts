/** A worker at the job queue: takes jobs that its policy allows, and carries each out with `runJob`. */
import type { JsMsg } from '@nats-io/jetstream'
import { z } from 'zod'
import type { AgentWorker } from '../../../../../shared/events/agent-event.ts'
import { fail, messageOf, ok, type Result } from '../../../../../shared/kernel/result.ts'
import {
  OLDEST_WORKER_PROTOCOL,
  WORKER_PROTOCOL,
  type WorkerJob,
  workerJob,
} from '../../../../../shared/workers/worker-protocol.ts'
import { natsFailure } from '../nats-failure.ts'
import { pauseAfter } from '../waits.ts'
import { openEnvelope } from './envelope.ts'
import { type JobAddress, senderOf } from './job-names.ts'
import { needsOf, type WorkerOffer, whyUnfit } from './job-needs.ts'
import { changeRecord, isOver, readJobState } from './job-record.ts'
import { takeFromRoutes } from './job-routes.ts'
import type { JobStore } from './job-store.ts'
import { takeLease } from './lease.ts'
import { lastReport, readReportMessage } from './report-message.ts'
import { type RemoteJob, type TakeOptions, takeJob } from './taken-job.ts'
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

/** Resolves after `signal`, when the last job has ended or was given back. */
export async function serveJobs(options: ServeOptions): Promise<void> {
  const { store, signal } = options
  const routed = takeFromRoutes({
    ...{ store, signal, onProblem: (problem) => options.onNote?.(problem) },
    ...(options.offer && { offer: options.offer }),
  })
  const running = new Set<Promise<void>>()
  const jobs = new Map<string, WorkerJob>()
  const changed = () => options.onJobs?.([...jobs.values()])

  /** Resolves when the message is settled, and the job has ended if it began here. */
  async function consider(message: JsMsg): Promise<void> {
    const working = setInterval(() => message.working(), store.settings.ackWait / 4)
    try {
      const begun = await begin(message, options)
      if (begun === null) return
      jobs.set(begun.job.jobId, begun.job)
      changed()
      await carryOut(begun, message, options)
      jobs.delete(begun.job.jobId)
      changed()
    } finally {
      clearInterval(working)
    }
  }
  const failed = (thrown: unknown) =>
    options.onNote?.(`${natsFailure(thrown, 'No job can be taken').message} It is tried again.`)

  for (let failures = 0; !signal.aborted; ) {
    const policy = await options.policy()
    const places = policy.ok ? policy.value.maxJobs : 0
    if (running.size >= places || (await options.problem?.())) {
      await Promise.race([
        ...(running.size >= places ? running : []),
        store.sleep(store.settings.retryWait, signal),
      ])
      continue
    }
    try {
      const message = await routed.next()
      failures = 0
      if (message === null) continue
      const end = consider(message)
        .catch(failed)
        .finally(() => running.delete(end))
      running.add(end)
    } catch (thrown) {
      failed(thrown)
      await store.sleep(pauseAfter(failures++), signal)
    }
  }
  await Promise.all(running)
}

interface Begun extends Pick<TakeOptions, 'job' | 'address' | 'lease' | 'record' | 'last' | 'trouble'> {}

/** Decides about a message. Null: the job does not begin here, and the message is settled. */
async function begin(message: JsMsg, serving: ServeOptions): Promise<Begun | null> {
  const { store, worker, elapsed } = serving
  const { leaseTtl: ttl, maxAttempts } = store.settings
  const read = await readJob(message, serving)
  if (!read.ok) {
    const { sender, jobId, agentId } = named(message)
    const note = `${worker.host}: ${read.failure.message}`
    if (jobId !== '')
      await changeRecord(store.records, { sender, jobId, agentId }, (record) =>
        isOver(record) ? null : { ...record, refusals: { ...record.refusals, [worker.workerId]: note } },
      )
    serving.onNote?.(`A job of ${agentId || 'an unknown agent'} was refused: ${read.failure.message}`)
    // Another worker may trust the sender or allow the job. A message that nobody could take is removed.
    if (FOR_ANOTHER.has(read.failure.type)) message.nak(waitOf(message, store))
    else message.term()
    return null
  }
  const { job, sender } = read.value
  const { agentId, jobId } = job
  const address = { sender, agentId }
  const key = { ...address, jobId }
  const before = await readJobState(store.records, key)
  const { record } = before
  if (record !== null && (isOver(record) || record.state === 'canceled')) {
    await message.ackAck()
    return null
  }
  if (record !== null && record.attempts >= maxAttempts) {
    const problem = `${record.attempts} workers failed at the job${record.problem === null ? ' without saying why' : `; the last one: ${record.problem}`}`
    await changeRecord(store.records, key, (now) => ({ ...now, state: 'refused', problem }), before)
    await message.ackAck()
    return null
  }
  const last = await lastReport(address, store)
  const newest = last && (await readReportMessage(last.data, store))
  const trouble = createTrouble(agentId, serving.onNote)
  const lease = await takeLease(
    { ...key, epoch: Math.max(job.epoch, (newest?.epoch ?? -1) + 1) },
    {
      ...{ leases: store.leases, workerId: worker.workerId, ttl, elapsed, sleep: store.sleep },
      onReconnect: store.onReconnect,
      onTrouble: (problem) => trouble.tell('lease', problem),
    },
    serving.signal,
  )
  if (lease === null) {
    message.nak(serving.signal.aborted ? 0 : ttl)
    return null
  }
  const changed = await changeRecord(
    store.records,
    key,
    (current) =>
      isOver(current) || current.state === 'canceled'
        ? null
        : {
            ...current,
            state: 'running',
            attempts: current.attempts + 1,
            epoch: lease.epoch,
            workerId: worker.workerId,
          },
    before,
  )
  if (changed.record.state === 'running') return { job, address, lease, record: changed, last, trouble }
  await lease.release()
  await message.ackAck()
  return null
}

/** Tells what goes wrong with a job, once: to the worker's output, and to its sender while a job is there. */
function createTrouble(agentId: string, note: ServeOptions['onNote']): TakeOptions['trouble'] {
  const problems = new Map<string, string>()
  let last: string | null = null
  let send: (problem: string | null) => void = () => {}
  return {
    tell(kind, problem) {
      if (problem === null) problems.delete(kind)
      else problems.set(kind, problem)
      const [first = null] = problems.values()
      // Told again each time: the message to the sender may be lost.
      if (first !== null || last !== null) send(first)
      if (first === last) return
      last = first
      note?.(first === null ? `The job of ${agentId} goes on.` : `${first} It is tried again.`)
    },
    sendWith(sending) {
      send = sending
    },
  }
}

/** ms for which a job is put aside: longer each time that a worker does not take it. */
const waitOf = ({ info }: JsMsg, { settings }: JobStore) =>
  Math.min(settings.retryWait * 2 ** Math.min(info.deliveryCount - 1, 10), settings.retryWait * 30)

/** Refusals after which another worker may take the job. */
const FOR_ANOTHER: ReadonlySet<string> = new Set(['unknown-sender', 'policy', 'protocol', 'needs'])

async function readJob(
  message: JsMsg,
  { store, policy, trusted, offer }: ServeOptions,
): Promise<Result<{ readonly job: WorkerJob; readonly sender: string }>> {
  const opened = await openEnvelope(
    message.data,
    { subject: message.subject, storedAt: message.time.getTime(), trusted: await trusted() },
    store,
  )
  if (!opened.ok) return opened
  const { content, key } = opened.value
  const { protocol } = z
    .object({ protocol: z.number().catch(0) })
    .catch({ protocol: 0 })
    .parse(content)
  if (protocol < OLDEST_WORKER_PROTOCOL || protocol > WORKER_PROTOCOL)
    return {
      ok: false,
      failure: {
        type: 'protocol',
        message: `The job has version ${protocol} of the protocol, this worker has version ${WORKER_PROTOCOL}. Install the same version of Troupe on both machines.`,
      },
    }
  const job = workerJob.safeParse(content)
  if (!job.success)
    return { ok: false, failure: { type: 'bad-job', message: `The job is not valid: ${job.error.message}` } }
  const sender = senderOf(key)
  if (job.data.jobId !== named(message).jobId || sender !== named(message).sender)
    return { ok: false, failure: { type: 'bad-job', message: 'The job’s name is not the signed one.' } }
  const needs = needsOf(job.data)
  const unfit = offer && needs ? whyUnfit(offer(), needs) : null
  if (unfit !== null) return fail({ type: 'needs', message: `This worker ${unfit}.` })
  const allowed = await policy()
  if (!allowed.ok) return allowed
  const applied = applyPolicy(job.data, allowed.value)
  return applied.ok ? ok({ job: applied.value, sender }) : applied
}

/** The job that the message is about by its own account, which nothing proves. */
function named({ headers }: JsMsg): JobAddress & { readonly jobId: string } {
  const text = (name: string) => headers?.get(name) ?? ''
  return { sender: text('Troupe-Sender'), jobId: text('Troupe-Job'), agentId: text('Troupe-Agent') }
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

async function carryOut(begun: Begun, message: JsMsg, options: ServeOptions): Promise<void> {
  const { store, worker, signal, trusted } = options
  const { job, lease } = begun
  const taken = await takeJob({
    ...{ ...begun, store, message, trusted },
    worker: { ...worker, epoch: lease.epoch },
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
    taken.close()
  }
}
