/** Follows one job from its sender: reports in order, live events, the worker and the job's end. */
import type { AgentWorker, LiveEvent } from '../../../../../shared/events/agent-event.ts'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import type { Result } from '../../../../../shared/kernel/result.ts'
import type { WorkerJob } from '../../../../../shared/workers/worker-protocol.ts'
import type { MailboxMessage } from '../../../../runtime/ports/ports.ts'
import type { TaskBoard } from '../../../../runtime/ports/task-board.ts'
import type { FollowEnd, FollowedJob, WorkerListener } from '../../../../runtime/ports/worker-link.ts'
import { openWatch } from '../open-watch.ts'
import { tokenOf } from '../subjects.ts'
import { jobNames, liveSubject, recordKey, reportSubject } from './job-names.ts'
import { type JobRecord, readJobRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { JobStores } from './job-stores.ts'
import type { Outbox } from './outbox.ts'
import { answerBoard } from './remote-board.ts'
import { type ReportMessage, readReportMessage, storedReports } from './report-message.ts'

export interface FollowOptions {
  readonly stores: JobStores
  readonly outbox: Outbox
  /** The ids of the remote workers that are seen now. */
  readonly workers: () => readonly string[]
  /** Puts a message of the agent into a mailbox here. The same message may come again. */
  readonly deliver: (message: MailboxMessage) => Promise<Result<void>>
  readonly board: TaskBoard
  readonly onProblem: (message: string) => void
  readonly job: FollowedJob
  readonly listener: WorkerListener
  readonly signal: AbortSignal
}

export async function followJob(options: FollowOptions): Promise<FollowEnd> {
  const { stores, listener, signal, job } = options
  const progress = new Progress(options)
  const canceled = new AbortController()
  const look = () => {
    const { state } = options.outbox.job(job.agentId) ?? {}
    // Nobody carries it out, so nobody will report its end.
    if (state === 'withdrawn' || (state === 'canceled' && progress.worker === null)) canceled.abort()
  }
  const stopLooking = options.outbox.subscribe(look)
  const ended = AbortSignal.any([signal, canceled.signal])
  look()
  try {
    while (!ended.aborted) {
      const store = stores.current()
      if (store === null) {
        listener.worker(null, 'waiting', WITHOUT_NATS)
        await opened(stores, ended)
        continue
      }
      // After a lost connection everything is read again: the server may have forgotten its last messages.
      const end = await followOnce(store, progress, ended).catch(() => null)
      if (end !== null) return end
      await store.sleep(RETRY, ended)
    }
    return { kind: 'aborted' }
  } finally {
    stopLooking()
  }
}

const WITHOUT_NATS =
  'There is no connection to NATS. The job is kept on this disk and sent as soon as there is one.'

/** What has arrived so far, over all connections. */
class Progress {
  private readonly options: FollowOptions
  private next: number
  worker: AgentWorker | null = null
  private isSilent = false
  private readonly mailed = new Set<string>()

  constructor(options: FollowOptions) {
    this.options = options
    this.next = options.job.from
  }

  /** Hands over a message that is new. Returns the end of the job if it is the last one. */
  take(message: ReportMessage): FollowEnd | null {
    const { job, listener, outbox } = this.options
    if (message.jobId !== job.jobId) return null
    if (message.type === 'taken') {
      if (message.epoch <= (this.worker?.epoch ?? -1)) return null
      const before = this.worker
      this.worker = message.worker
      const note = before === null ? '' : `${message.worker.host} continues what ${before.host} began.`
      listener.worker(message.worker, 'running', note)
      outbox.setState(this.owned, 'taken')
      return null
    }
    if (message.type === 'mail') {
      void this.deliver(message)
      return null
    }
    const { report } = message
    const { event } = report
    if (event.type === 'agent-ended') {
      outbox.setState(this.owned, 'over')
      return { kind: 'ended', report: { ...report, event } }
    }
    if (report.seq < this.next) return null
    this.next = report.seq + 1
    void listener.report(report)
    return null
  }

  /** After a lost connection the messages come again, and the mailbox or the reader drops them. */
  private async deliver({ message }: Extract<ReportMessage, { type: 'mail' }>): Promise<void> {
    const { deliver, onProblem } = this.options
    if (this.mailed.has(message.messageId)) return
    this.mailed.add(message.messageId)
    const delivered = await deliver(message)
    if (!delivered.ok) onProblem(delivered.failure.message)
  }

  /** A job that a worker must give up is shown with what happened; a job that nobody may take has failed. */
  record(record: JobRecord): FollowEnd | null {
    const { outbox, workers, listener } = this.options
    const refused = (message: string): FollowEnd => {
      outbox.setState(this.owned, 'over')
      return { kind: 'refused', message }
    }
    if (record.state === 'refused') return refused(record.problem ?? 'The job was refused.')
    if (record.state !== 'queued') return null
    const reasons = Object.entries(record.refusals)
    const mayTake = workers().filter((id) => !(id in record.refusals))
    if (reasons.length > 0 && mayTake.length === 0)
      return refused(`No worker takes the job. ${[...new Set(reasons.map(([, why]) => why))].join(' ')}`)
    if (record.problem !== null)
      listener.worker(null, 'waiting', `${record.problem} Another attempt follows.`)
    return null
  }

  silent(isSilent: boolean): void {
    if (this.worker === null || this.isSilent === isSilent) return
    this.isSilent = isSilent
    const { host } = this.worker
    if (isSilent)
      this.options.listener.worker(
        this.worker,
        'silent',
        `${host} has sent no heartbeat for a while. If it does not return, another worker continues.`,
      )
    else this.options.listener.worker(this.worker, 'running', '')
  }

  private get owned() {
    return this.options.job
  }
  get job(): FollowedJob {
    return this.options.job
  }
  /** The job as it was sent. */
  get sent(): WorkerJob | null {
    return this.options.outbox.job(this.job.agentId)?.job ?? null
  }
  get board(): TaskBoard {
    return this.options.board
  }
  live(event: LiveEvent): void {
    this.options.listener.live(event)
  }
}

/** Null: the connection broke. Throws errors of NATS. */
async function followOnce(
  store: JobStore,
  progress: Progress,
  signal: AbortSignal,
): Promise<FollowEnd | null> {
  const { agentId, jobId } = progress.job
  const over = new AbortController()
  const [messages, records, leases] = await Promise.all([
    store.js.consumers
      .get(jobNames.reports, { filter_subjects: reportSubject(agentId) })
      .then((consumer) => consumer.consume()),
    openWatch(store.connection, store.records, { key: recordKey(jobId) }),
    openWatch(store.connection, store.leases, { key: tokenOf(agentId) }),
  ])
  const live = store.connection.subscribe(liveSubject(agentId), {
    callback: (_error, message) => {
      const event = readLive(message.string(), progress)
      if (event) progress.live(event)
    },
  })
  const { conversationId } = progress.sent ?? {}
  const stopAnswering =
    conversationId === undefined
      ? () => {}
      : answerBoard(store.connection, { agentId, conversationId }, progress.board)
  let timer: NodeJS.Timeout | undefined
  const stop = () => over.abort()
  const stopWaiting = store.onReconnect(stop)
  signal.addEventListener('abort', stop, { once: true })
  over.signal.addEventListener(
    'abort',
    () => {
      void messages.close()
      records.stop()
      leases.stop()
    },
    { once: true },
  )
  if (signal.aborted) stop()

  async function reports(): Promise<FollowEnd | null> {
    for await (const message of messages) {
      const read = await readReportMessage(message.data, store)
      const end = read && progress.take(read)
      if (end) return end
    }
    return null
  }
  async function decisions(): Promise<FollowEnd | null> {
    for await (const entry of records) {
      const record = entry.operation === 'PUT' ? readJobRecord(entry.string()) : null
      const end = record && progress.record(record)
      if (!end) continue
      // What workers did before belongs to the transcript.
      for (const read of await storedReports(agentId, store)) {
        const last = progress.take(read)
        if (last) return last
      }
      return end
    }
    return null
  }
  async function signs(): Promise<null> {
    for await (const _ of leases) {
      clearTimeout(timer)
      progress.silent(false)
      timer = setTimeout(() => progress.silent(true), store.settings.leaseTtl)
    }
    return null
  }
  try {
    void signs()
    return await Promise.race([reports(), decisions()])
  } finally {
    stop()
    stopWaiting()
    clearTimeout(timer)
    live.unsubscribe()
    stopAnswering()
    signal.removeEventListener('abort', stop)
  }
}

function readLive(text: string, { worker, job }: Progress): LiveEvent | null {
  const read = jsonOrUndefined(text) as { readonly epoch: number; readonly event: LiveEvent } | undefined
  const isCurrent = read?.event?.agentId === job.agentId && read.epoch === worker?.epoch
  return isCurrent ? read.event : null
}

/** Resolves when the store opens or the signal aborts. */
function opened(stores: JobStores, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopWaiting()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stopWaiting = stores.onOpen(end)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted || stores.current() !== null) end()
  })
}

/** ms between two attempts. */
const RETRY = 250
