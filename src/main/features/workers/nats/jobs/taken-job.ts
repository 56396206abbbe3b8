/** A job that this worker holds, as `TakenJob`: reports with a fence, commands, and its end. */
import type { JsMsg, StoredMsg } from '@nats-io/jetstream'
import type { AgentWorker, LiveEvent } from '../../../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../../../shared/kernel/result.ts'
import type { WorkerJob, WorkerReport } from '../../../../../shared/workers/worker-protocol.ts'
import type { MailboxMessage } from '../../../../runtime/ports/ports.ts'
import type { TaskBoard } from '../../../../runtime/ports/task-board.ts'
import type { TakenJob } from '../../../../runtime/ports/worker-link.ts'
import { natsFailure } from '../nats-failure.ts'
import { pauseAfter } from '../waits.ts'
import { takeCommands } from './command-queue.ts'
import { type JobAddress, liveSubject, outputObject } from './job-names.ts'
import { changeRecord, type JobRecord, type StoredRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { Lease } from './lease.ts'
import { createRemoteBoard } from './remote-board.ts'
import { storedReports } from './report-message.ts'
import { createReportWriter } from './report-writer.ts'

/** What goes wrong with a job, by kind. */
interface JobTrouble {
  /** Null: it works again. */
  tell(kind: 'lease' | 'reports' | 'disk', problem: string | null): void
  /** Sends the sender what is told from now on. */
  sendWith(send: (problem: string | null) => void): void
}

export interface TakeOptions {
  readonly store: JobStore
  readonly job: WorkerJob
  readonly address: JobAddress
  /** The job's record, as this worker wrote it. */
  readonly record: StoredRecord
  /** The newest message about the agent. */
  readonly last: StoredMsg | null
  readonly lease: Lease
  readonly worker: AgentWorker
  readonly message: JsMsg
  readonly trusted: () => Promise<ReadonlySet<string>>
  readonly trouble: JobTrouble
}

/** A job of a remote worker, which shares no files with the sender. */
export interface RemoteJob extends TakenJob {
  /** Puts a message of the agent into the receiver's mailbox at the sender. Resolves when it is stored durably. */
  mail(message: MailboxMessage): Promise<Result<void>>
  /** The task list of the conversation. */
  readonly board: TaskBoard
  /** Tells the sender and the worker's output why the job can't go on now; null: it goes on. */
  troubled(problem: string | null): void
}

/** What a worker says without storing it. */
export type LiveMessage =
  | { readonly epoch: number; readonly event: LiveEvent }
  | { readonly epoch: number; readonly trouble: string | null }

interface TakenHere {
  readonly job: RemoteJob
  /** Whether an earlier worker has reported the end, but could not say so to the queue. */
  readonly hasEnded: boolean
  /** Whether the job was done or given back. */
  isSettled(): boolean
  close(): void
}

export async function takeJob(options: TakeOptions): Promise<TakenHere> {
  const { store, job, address, lease, worker, message } = options
  const { jobId } = job
  const publish = (live: LiveMessage) => {
    if (!lost.aborted && !store.connection.isClosed())
      store.connection.publish(liveSubject(address), JSON.stringify(live))
  }
  options.trouble.sendWith((trouble) => publish({ epoch: lease.epoch, trouble }))
  const overtaken = new AbortController()
  const lost = AbortSignal.any([lease.lost, overtaken.signal])
  const closed = new AbortController()
  const writer = createReportWriter({
    store,
    job: { ...address, jobId, epoch: lease.epoch },
    last: options.last?.seq ?? 0,
    lease,
    onTrouble: (problem) => options.trouble.tell('reports', problem),
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
    let known: StoredRecord | undefined = options.record
    for (let failures = 0; !lost.aborted; failures++)
      try {
        await changeRecord(
          store.records,
          { ...address, jobId },
          (record) =>
            change.state === 'queued' && record.state === 'canceled'
              ? null
              : { ...record, ...change, attempts: record.attempts - (isEnding ? 1 : 0) },
          known,
        )
        await answer()
        options.trouble.tell('reports', null)
        break
      } catch (thrown) {
        known = undefined
        const { message: problem } = natsFailure(thrown, `The end of ${job.agentId} can’t be stored`)
        options.trouble.tell('reports', problem)
        await store.sleep(pauseAfter(failures, LONGEST_PAUSE), lost)
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
      commands: (signal) =>
        takeCommands({
          ...{ store, job: { ...address, jobId }, trusted: options.trusted },
          signal: AbortSignal.any([signal, lost, closed.signal]),
        }),
      report: async (report) => written(await writer.write({ type: 'report', report })),
      mail: async (mail) => written(await writer.write({ type: 'mail', message: mail })),
      board: createRemoteBoard(store.connection, address),
      live: (event) => publish({ epoch: lease.epoch, event }),
      troubled: (problem) => options.trouble.tell('disk', problem),
      async keepOutput(path, output) {
        const name = outputObject(job.agentId, path)
        try {
          await store.objects.putBlob({ name }, new TextEncoder().encode(output))
          return ok(undefined)
        } catch (thrown) {
          return fail({ ...natsFailure(thrown, 'The output can’t be stored'), type: 'io' })
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

/** ms. A lease must outlast several attempts. */
const LONGEST_PAUSE = 2000

async function readEarlier({
  store,
  job,
  address,
  lease,
  last,
}: TakeOptions): Promise<readonly WorkerReport[]> {
  // An agent that nobody has reported about has nothing but the message of this worker.
  if (last === null) return []
  const messages = await storedReports(address, store)
  return messages.flatMap((message) =>
    message.type === 'report' && message.jobId === job.jobId && message.epoch < lease.epoch
      ? [message.report]
      : [],
  )
}
