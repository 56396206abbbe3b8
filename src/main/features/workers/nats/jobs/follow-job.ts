/** Follows the jobs of a sender, each from its reports in order to its end. What arrives is told by the sender's feed. */
import type { AgentWorker } from '../../../../../shared/events/agent-event.ts'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import type { Result } from '../../../../../shared/kernel/result.ts'
import { Semaphore } from '../../../../../shared/kernel/semaphore.ts'
import { OLDEST_WORKER_PROTOCOL, type WorkerJob } from '../../../../../shared/workers/worker-protocol.ts'
import type { MailboxMessage } from '../../../../runtime/ports/ports.ts'
import type { FollowEnd, FollowedJob, WorkerListener } from '../../../../runtime/ports/worker-link.ts'
import { natsFailure } from '../nats-failure.ts'
import { pauseAfter } from '../waits.ts'
import type { JobAddress } from './job-names.ts'
import { type JobRecord, readJobRecord, readJobState } from './job-record.ts'
import { routeOf } from './job-routes.ts'
import type { JobStore, JobStores } from './job-store.ts'
import type { Outbox } from './outbox.ts'
import { lastReport, type ReportMessage, readReportMessage, storedReports } from './report-message.ts'
import type { FeedListener } from './sender-feed.ts'
import type { LiveMessage } from './taken-job.ts'

/** The remote workers that are seen now. */
interface SeenWorkers {
  /** The ids of those that have what the job needs. */
  readonly fit: readonly string[]
  /** Why none of them has it, and what to do; null: one has it, or there are none. */
  readonly why: string | null
  /** Whether it is known that there are none. */
  readonly none: boolean
}

export interface FollowOptions {
  readonly stores: JobStores
  readonly outbox: Outbox
  readonly sender: string
  readonly workers: (job: WorkerJob) => SeenWorkers
  /** Puts a message of the agent into a mailbox here. The same message may come again. */
  readonly deliver: (message: MailboxMessage) => Promise<Result<void>>
  readonly onProblem: (message: string) => void
}

export interface JobFollowers extends Omit<FeedListener, 'commandsDone' | 'onProblem'> {
  /** As `WorkerLink.follow`. */
  follow(job: FollowedJob, listener: WorkerListener, signal: AbortSignal): Promise<FollowEnd>
  /** Tells who follows jobs of the agent why nothing happens. */
  note(agentId: string, note: string): void
  /** Tells or refuses queued jobs that no worker can take. Resolves when the signal aborts. */
  watchWorkers(store: JobStore, signal: AbortSignal): Promise<void>
}

/** Jobs whose past is read at the same time. */
const READERS = 16

export function createJobFollowers(options: FollowOptions): JobFollowers {
  const { stores, outbox } = options
  const followers = new Map<string, Set<Follower>>()
  const reading = new Semaphore(() => READERS)
  const of = (agentId: string): Iterable<Follower> => followers.get(agentId) ?? []
  const all = () => [...followers.values()].flatMap((some) => [...some])
  /** Whether the feed is open: what arrives from now on is told. */
  let isFed = false
  /** Nobody carries it out, so nobody will report its end. */
  const isCanceled = (follower: Follower): boolean => {
    const { state } = outbox.job(follower.agentId) ?? {}
    return state === 'withdrawn' || (state === 'canceled' && follower.worker === null)
  }
  outbox.subscribe((agentId) => {
    for (const follower of of(agentId)) if (isCanceled(follower)) follower.abort()
  })
  const catchUp = (follower: Follower) => {
    const store = stores.current()
    if (store !== null) follower.catchUp(store)
  }

  return {
    follow(job, listener, signal) {
      const { agentId } = job
      return new Promise((resolve) => {
        const follower = new Follower({ ...options, reading, job, listener }, finish)
        const abort = () => follower.abort()
        function finish(end: FollowEnd): void {
          if (follower.isOver) return
          follower.close()
          signal.removeEventListener('abort', abort)
          const some = followers.get(agentId)
          some?.delete(follower)
          if (some?.size === 0) followers.delete(agentId)
          resolve(end)
        }
        followers.set(agentId, new Set(of(agentId)).add(follower))
        signal.addEventListener('abort', abort, { once: true })
        if (signal.aborted) return abort()
        if (isCanceled(follower)) return abort()
        const sent = outbox.job(agentId)
        if (sent?.job.jobId === job.jobId && sent.job.protocol < OLDEST_WORKER_PROTOCOL)
          return finish({ kind: 'gone', message: OF_EARLIER })
        if (stores.current() === null) listener.worker(null, 'waiting', WITHOUT_NATS)
        else if (isFed) catchUp(follower)
      })
    },
    opened() {
      isFed = true
      for (const follower of all()) catchUp(follower)
    },
    report(agentId, data, seq) {
      for (const follower of of(agentId)) follower.report(data, seq)
    },
    record(jobId, text) {
      const record = readJobRecord(text)
      for (const follower of record === null ? [] : of(record.agentId))
        if (record !== null && record.jobId === jobId) follower.changed(record)
    },
    sign(agentId) {
      for (const follower of of(agentId)) follower.sign()
    },
    live(agentId, text) {
      for (const follower of of(agentId)) follower.live(text)
    },
    note(agentId, note) {
      for (const follower of of(agentId)) follower.note(note)
    },
    async watchWorkers({ settings, sleep }, signal) {
      while (!signal.aborted) {
        await sleep(settings.noWorkerTime, signal)
        const reasons = new Map<string, SeenWorkers>()
        for (const follower of all()) {
          const { waiting } = follower
          const route = waiting && routeOf(waiting)?.name
          if (waiting === null || route === undefined || route === null) continue
          const seen = reasons.get(route) ?? options.workers(waiting)
          reasons.set(route, seen)
          follower.saw(seen)
        }
      }
    },
  }
}

const WITHOUT_NATS =
  'There is no connection to NATS. The job is kept on this disk and sent as soon as there is one.'

const NO_WORKER =
  'No remote worker is connected, so the job waits for one. Start one on another machine: `troupe worker --connect`.'

const OF_EARLIER =
  'The job was sent by an earlier version of Troupe, whose workers report at other subjects of the NATS server. Install this version on the workers too. Resume the agent, and it continues from what was reported.'

/** Tells a message from another one that a server gave the same number after it had forgotten some. */
const placeOf = ({ jobId, epoch, number }: ReportMessage, seq: number): string =>
  [seq, jobId, epoch, number].join(' ')

interface FollowerOptions extends FollowOptions {
  readonly reading: Semaphore
  readonly job: FollowedJob
  readonly listener: WorkerListener
}

/** One job: what has arrived so far, over all connections. */
class Follower {
  private readonly options: FollowerOptions
  private readonly finish: (end: FollowEnd) => void
  private next: number
  worker: AgentWorker | null = null
  private readonly over = new AbortController()
  private store: JobStore | null = null
  private isSilent = false
  private silence: NodeJS.Timeout | undefined
  /** Whether the job is in the queue and no worker carries it out. */
  private isQueued = false
  private lastNote = ''
  /** The newest message that was taken. */
  private last: string | null = null
  /** Why no worker could take the job at the last look. */
  private unfit: string | null = null
  private readonly mailed = new Set<string>()
  /** What arrives is taken in order. */
  private turn: Promise<void> = Promise.resolve()

  constructor(options: FollowerOptions, finish: (end: FollowEnd) => void) {
    this.options = options
    this.finish = finish
    this.next = options.job.from
  }

  /** Reads what happened before, and tries again until that succeeds. */
  catchUp(store: JobStore): void {
    this.store = store
    this.inTurn(async () => {
      for (let failures = 0; !this.isOver; failures++)
        try {
          return await this.options.reading.run(() => this.readPast(store))
        } catch (thrown) {
          this.note(
            `${natsFailure(thrown, 'The reports of the worker can’t be read').message} It is tried again.`,
          )
          await store.sleep(pauseAfter(failures), this.over.signal)
        }
    })
  }

  private async readPast(store: JobStore): Promise<void> {
    const { record } = await readJobState(store.records, { ...this.address, jobId: this.options.job.jobId })
    const last = await lastReport(this.address, store)
    const newest = last && (await readReportMessage(last.data, store))
    const place = last && newest && placeOf(newest, last.seq)
    // After a reconnection most jobs have nothing new.
    if (place === null || place !== this.last)
      for (const message of await storedReports(this.address, store, last)) this.take(message)
    this.last = place
    if (record !== null) this.takeRecord(record)
  }

  report(data: Uint8Array, seq: number): void {
    this.inTurn(async () => {
      if (this.store === null) return
      const message = await readReportMessage(data, this.store)
      const isGap = message?.type === 'report' && message.report.seq > this.next
      // It came before what happened while the feed was closed.
      if (isGap && message.jobId === this.options.job.jobId) await this.readPast(this.store)
      else if (message !== null) {
        this.take(message)
        this.last = placeOf(message, seq)
      }
    })
  }

  changed(record: JobRecord): void {
    this.inTurn(async () => {
      const isEnd = record.state === 'refused' || record.state === 'queued'
      // What workers did before belongs to the transcript.
      if (isEnd && record.attempts > 0 && this.store !== null)
        for (const message of await storedReports(this.address, this.store)) this.take(message)
      this.takeRecord(record)
    })
  }

  private inTurn(work: () => Promise<void>): void {
    this.turn = this.turn
      .then(() => (this.isOver ? undefined : work()))
      .catch((thrown: unknown) => {
        // The message is read again with everything else.
        this.note(
          `${natsFailure(thrown, 'The reports of the worker can’t be read').message} It is tried again.`,
        )
        if (this.store !== null) this.catchUp(this.store)
      })
  }

  get isOver(): boolean {
    return this.over.signal.aborted
  }

  close(): void {
    this.over.abort()
    clearTimeout(this.silence)
  }

  abort(): void {
    this.finish({ kind: 'aborted' })
  }

  private end(end: FollowEnd): void {
    this.options.outbox.setState(this.options.job, 'over')
    this.finish(end)
  }

  get agentId(): string {
    return this.options.job.agentId
  }

  private get address(): JobAddress {
    return { sender: this.options.sender, agentId: this.agentId }
  }

  /** The job as it was sent, while it waits for a worker. */
  get waiting(): WorkerJob | null {
    const { outbox, job } = this.options
    const sent = this.isQueued ? outbox.job(job.agentId)?.job : undefined
    return sent?.jobId === job.jobId ? sent : null
  }

  /** Hands over a message that is new. */
  private take(message: ReportMessage): void {
    const { job, listener, outbox } = this.options
    if (message.jobId !== job.jobId || this.isOver) return
    if (message.type === 'taken') {
      if (message.epoch <= (this.worker?.epoch ?? -1)) return
      const before = this.worker
      this.worker = message.worker
      this.isQueued = false
      const note = before === null ? '' : `${message.worker.host} continues what ${before.host} began.`
      listener.worker(message.worker, 'running', note)
      outbox.setState(job, 'taken')
      this.sign()
    } else if (message.type === 'mail') void this.deliver(message)
    else {
      const { report } = message
      const { event } = report
      if (event.type === 'agent-ended') this.end({ kind: 'ended', report: { ...report, event } })
      else if (report.seq >= this.next) {
        this.next = report.seq + 1
        void listener.report(report)
      }
    }
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
  private takeRecord(record: JobRecord): void {
    if (this.isOver) return
    this.isQueued = record.state === 'queued'
    if (record.state === 'refused')
      this.end({ kind: 'refused', message: record.problem ?? 'The job was refused.' })
    if (!this.isQueued) return
    const { waiting } = this
    const reasons = Object.entries(record.refusals)
    const mayTake = waiting === null ? [] : this.options.workers(waiting).fit
    if (reasons.length > 0 && mayTake.every((id) => id in record.refusals))
      this.end({
        kind: 'refused',
        message: `No worker takes the job. ${[...new Set(reasons.map(([, why]) => why))].join(' ')}`,
      })
    else if (record.problem !== null)
      this.options.listener.worker(null, 'waiting', `${record.problem} Another attempt follows.`)
  }

  /** Told now and then while the job waits. The worker that has what it needs may only have been started again. */
  saw({ why, none }: SeenWorkers): void {
    if (none) this.note(NO_WORKER)
    if (why !== null && this.unfit !== null) this.end({ kind: 'refused', message: why })
    else if (why !== null) this.note(`${why} The job waits a little for another worker.`)
    this.unfit = why
  }

  note(note: string): void {
    if (note === this.lastNote || this.isOver) return
    this.lastNote = note
    this.options.listener.worker(this.worker, this.worker === null ? 'waiting' : 'running', note)
  }

  /** The worker has renewed its lease. */
  sign(): void {
    clearTimeout(this.silence)
    if (this.worker === null || this.store === null || this.isOver) return
    this.silent(false)
    this.silence = setTimeout(() => this.silent(true), this.store.settings.leaseTtl)
  }

  private silent(isSilent: boolean): void {
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

  live(text: string): void {
    const { worker, options } = this
    const read = jsonOrUndefined(text) as LiveMessage | undefined
    if (worker === null || read?.epoch !== worker.epoch) return
    if ('trouble' in read)
      this.note(read.trouble === null ? `${worker.host} continues.` : `${worker.host}: ${read.trouble}`)
    else if (read.event?.agentId === options.job.agentId) options.listener.live(read.event)
  }
}
