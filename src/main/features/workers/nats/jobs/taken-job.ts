/** A job that this worker holds, as `TakenJob`: reports with a fence, commands, and its end. */
import type { JsMsg } from '@nats-io/jetstream'
import type { AgentWorker } from '../../../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../../../shared/kernel/result.ts'
import type { WorkerCommand, WorkerJob, WorkerReport } from '../../../../../shared/workers/worker-protocol.ts'
import type { MailboxMessage } from '../../../../runtime/ports/ports.ts'
import type { TaskBoard } from '../../../../runtime/ports/task-board.ts'
import type { TakenJob } from '../../../../runtime/ports/worker-link.ts'
import { takeCommands } from './command-queue.ts'
import { cancelSubject, liveSubject } from './job-names.ts'
import { changeRecord, getRecord, type JobRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { Lease } from './lease.ts'
import { outputObject } from './output-object.ts'
import { createRemoteBoard } from './remote-board.ts'
import { storedReports } from './report-message.ts'
import { createReportWriter } from './report-writer.ts'

interface TakeOptions {
  readonly store: JobStore
  readonly job: WorkerJob
  readonly lease: Lease
  readonly worker: AgentWorker
  readonly message: JsMsg
  readonly trusted: () => Promise<ReadonlySet<string>>
}

/** A job of a remote worker, which shares no files with the sender. */
export interface RemoteJob extends TakenJob {
  /** Puts a message of the agent into the receiver's mailbox at the sender. Resolves when it is stored durably. */
  mail(message: MailboxMessage): Promise<Result<void>>
  /** The task list of the conversation. */
  readonly board: TaskBoard
}

interface TakenHere {
  readonly job: RemoteJob
  /** Whether an earlier worker has reported the end, but could not say so to the queue. */
  readonly hasEnded: boolean
  /** Whether the job was done or given back. */
  isSettled(): boolean
  close(): void
}

export async function takeJob(options: TakeOptions): Promise<TakenHere> {
  const { store, job, lease, worker, message } = options
  const overtaken = new AbortController()
  const lost = AbortSignal.any([lease.lost, overtaken.signal])
  const closed = new AbortController()
  const writer = createReportWriter({
    store,
    job: { agentId: job.agentId, jobId: job.jobId, epoch: lease.epoch },
    lease,
    onOvertaken: () => overtaken.abort(),
  })
  lost.addEventListener('abort', () => writer.close(), { once: true })
  // From this message on, the older worker can write nothing: what is read after it is all there is.
  await writer.write({ type: 'taken', worker })
  const earlier = lost.aborted ? [] : await readEarlier(options)
  let isSettled = false

  /** Without a connection it is tried again until the lease is lost. */
  async function settle(
    { isEnding = false, ...change }: Partial<JobRecord> & { readonly isEnding?: boolean | undefined },
    answer: () => Promise<unknown>,
  ): Promise<void> {
    if (isSettled || lost.aborted) return
    isSettled = true
    while (!lost.aborted)
      try {
        await changeRecord(store.records, job, (record) =>
          change.state === 'queued' && record.state === 'canceled'
            ? null
            : { ...record, ...change, attempts: record.attempts - (isEnding ? 1 : 0) },
        )
        await answer()
        break
      } catch {
        await store.sleep(RETRY, lost)
      }
    await lease.release()
  }

  function written(isStored: boolean): Result<void> {
    if (isStored) return ok(undefined)
    return fail({ type: 'lost', message: `Another worker carries out ${job.agentId} now.` })
  }

  return {
    hasEnded: earlier.some(({ event }) => event.type === 'agent-ended'),
    isSettled: () => isSettled,
    close() {
      closed.abort()
      writer.close()
    },
    job: {
      job,
      epoch: lease.epoch,
      earlier,
      lost,
      commands: (signal) => commandsOf(options, AbortSignal.any([signal, lost, closed.signal])),
      report: async (report) => written(await writer.write({ type: 'report', report })),
      mail: async (mail) => written(await writer.write({ type: 'mail', message: mail })),
      board: createRemoteBoard(store.connection, job.agentId),
      live(event) {
        if (!lost.aborted && !store.connection.isClosed())
          store.connection.publish(liveSubject(job.agentId), JSON.stringify({ epoch: lease.epoch, event }))
      },
      async keepOutput(path, output) {
        const name = outputObject(job.agentId, path)
        try {
          await store.objects.putBlob({ name }, new TextEncoder().encode(output))
          return ok(undefined)
        } catch (thrown) {
          return fail({
            type: 'io',
            message: 'The output can’t be stored at the NATS server.',
            cause: thrown,
          })
        }
      },
      done: () => settle({ state: 'finished' }, () => message.ackAck()),
      giveBack: ({ message: problem, forGood, isEnding }) =>
        forGood
          ? settle({ state: 'refused', problem }, () => message.ackAck())
          : settle({ state: 'queued', problem: `${worker.host}: ${problem}`, isEnding }, async () =>
              message.nak(store.settings.retryWait),
            ),
    },
  }
}

/** ms between two attempts. */
const RETRY = 250

async function readEarlier({ store, job, lease }: TakeOptions): Promise<readonly WorkerReport[]> {
  const messages = await storedReports(job.agentId, store)
  return messages.flatMap((message) =>
    message.type === 'report' && message.jobId === job.jobId && message.epoch < lease.epoch
      ? [message.report]
      : [],
  )
}

/** The commands, and a stop as soon as the job is canceled, whatever waits in the queue before it. */
async function* commandsOf(options: TakeOptions, signal: AbortSignal): AsyncGenerator<WorkerCommand> {
  const { store, job, trusted } = options
  const queue = takeCommands({ store, agentId: job.agentId, trusted, signal })
  const canceled = whenCanceled(options, signal)
  let next = queue.next()
  let isStopped = false
  while (!signal.aborted) {
    const first = await Promise.race([next, ...(isStopped ? [] : [canceled])])
    if (first === 'canceled') {
      isStopped = true
      yield { type: 'stop', jobId: job.jobId }
    } else if (first === 'ended' || first.done) return
    else {
      yield first.value
      next = queue.next()
    }
  }
}

/** Looks at the job's record whenever somebody cancels, and now and then, because that message may be lost. */
function whenCanceled({ store, job }: TakeOptions, signal: AbortSignal): Promise<'canceled' | 'ended'> {
  return new Promise((resolve) => {
    const look = () =>
      getRecord(store.records, job.jobId).then(
        (record) => {
          if (record?.state === 'canceled') finish('canceled')
        },
        () => undefined,
      )
    const subscription = store.connection.subscribe(cancelSubject(job.agentId), {
      callback: () => void look(),
    })
    const timer = setInterval(look, store.settings.leaseTtl / 3)
    const finish = (end: 'canceled' | 'ended') => {
      clearInterval(timer)
      subscription.unsubscribe()
      signal.removeEventListener('abort', abort)
      resolve(end)
    }
    const abort = () => finish('ended')
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    void look()
  })
}
