/** Remote workers as the sender sees them: jobs and commands leave through the outbox, reports come back. */
import { headers } from '@nats-io/transport-node'
import { fail, messageOf, ok, type Result, sentence } from '../../../../../shared/kernel/result.ts'
import { Semaphore } from '../../../../../shared/kernel/semaphore.ts'
import { OLDEST_WORKER_PROTOCOL, type WorkerJob } from '../../../../../shared/workers/worker-protocol.ts'
import type { TaskBoard } from '../../../../runtime/ports/task-board.ts'
import type { WorkerLink } from '../../../../runtime/ports/worker-link.ts'
import { natsFailure } from '../nats-failure.ts'
import { tokenOf } from '../subjects.ts'
import { inTime, pauseAfter, TRANSFER_TIME } from '../waits.ts'
import { commandsDone } from './command-queue.ts'
import { seal } from './envelope.ts'
import { createJobFollowers, type FollowOptions, type JobFollowers } from './follow-job.ts'
import {
  cancelSubject,
  commandSubject,
  jobNames,
  jobSubject,
  outputObject,
  reportSubject,
  senderOf,
} from './job-names.ts'
import { changeRecord, isOver, type JobRecord, newRecord } from './job-record.ts'
import { announceRoute, routeOf } from './job-routes.ts'
import type { JobStore } from './job-store.ts'
import type { NumberedCommand } from './outbox.ts'
import { answerBoard } from './remote-board.ts'
import { feedSender } from './sender-feed.ts'
import type { SenderKey } from './sender-keys.ts'

interface RemoteOptions extends Omit<FollowOptions, 'sender'> {
  readonly key: SenderKey
  readonly board: TaskBoard
  readonly now: () => number
}

export interface RemoteLink extends WorkerLink {
  /** Resolves when the outbox is on the disk. */
  close(): Promise<void>
}

export function createRemoteLink(options: RemoteOptions): RemoteLink {
  const { stores, outbox, onProblem, board } = options
  const closed = new AbortController()
  const sender = senderOf(options.key.publicKey)
  const followers = createJobFollowers({ ...options, sender })
  const post = createPost(options, { sender, signal: closed.signal, note: followers.note })

  function opened(): void {
    const store = stores.current()
    if (store === null) return
    const { signal } = closed
    const stops = [
      store.onReconnect(post.all),
      answerBoard(store.connection, sender, {
        board,
        conversationOf: (agentId) => outbox.job(agentId)?.job.conversationId ?? null,
      }),
    ]
    signal.addEventListener('abort', () => stops.forEach((stop) => void stop()), { once: true })
    const listener = {
      ...followers,
      onProblem,
      commandsDone(agentId: string, series: string, number: number) {
        if (outbox.commands(agentId).series === series)
          outbox.commandsDone(agentId, number).catch((thrown: unknown) => onProblem(messageOf(thrown)))
      },
    }
    void feedSender(store, { sender, listener, signal })
    void followers.watchWorkers(store, signal)
    post.all()
  }
  closed.signal.addEventListener('abort', stores.onOpen(opened), { once: true })
  opened()

  const link: RemoteLink = {
    kind: 'remote',
    async submit(job) {
      const { why } = options.workers(job)
      if (why !== null) return fail({ type: 'no-worker', message: why })
      try {
        await outbox.addJob(job)
      } catch (thrown) {
        return fail({
          type: 'io',
          message: `The job can’t be kept on this disk: ${sentence(messageOf(thrown))} Free some space, then resume the agent.`,
        })
      }
      await post.job(job)
      return ok(undefined)
    },
    async send(agentId, command) {
      // A remote worker serves others too: it ends with its own machine.
      if (command.type === 'shutdown') return ok(undefined)
      try {
        if (command.type === 'stop') {
          const found = outbox.job(agentId)
          if (found?.job.jobId !== command.jobId || found.state === 'over') return ok(undefined)
          await post.cancel(found.job)
        } else {
          await outbox.addCommand(agentId, command)
          void post.commands(agentId)
        }
        return ok(undefined)
      } catch (thrown) {
        return fail({
          type: 'io',
          message: `The message can’t be kept on this disk: ${sentence(messageOf(thrown))}`,
        })
      }
    },
    follow: (job, listener, signal) =>
      followers.follow(job, listener, AbortSignal.any([signal, closed.signal])),
    isAlive: async ({ agentId, jobId }) => outbox.job(agentId)?.job.jobId === jobId,
    async output({ agentId }, path) {
      const unavailable = (why: string): Result<string> =>
        fail({ type: 'not-found', message: `The whole output is at the NATS server, but ${sentence(why)}` })
      const store = stores.current()
      if (store === null) return unavailable('there is no connection')
      try {
        const bytes = await inTime(
          'the output of a tool',
          () => store.objects.getBlob(outputObject(agentId, path)),
          TRANSFER_TIME,
        )
        return bytes === null ? unavailable('it was removed there') : ok(new TextDecoder().decode(bytes))
      } catch (thrown) {
        return unavailable(natsFailure(thrown, 'it can’t be read').message)
      }
    },
    close() {
      closed.abort()
      return outbox.settled()
    },
  }
  return link
}

/** A message that was withdrawn before it was sent is not sent; its number is still used. */
function withoutWithdrawn(waiting: readonly NumberedCommand[]): readonly NumberedCommand[] {
  const withdrawn = new Map(
    waiting.flatMap(({ command }) =>
      command.type === 'withdraw' ? [[command.messageId, command] as const] : [],
    ),
  )
  return waiting.map((numbered) => {
    const { command } = numbered
    const instead = command.type === 'message' ? withdrawn.get(command.messageId) : undefined
    return instead ? { ...numbered, command: instead } : numbered
  })
}

/** ms after which workers are told again of a route in use. */
const TOLD_AGAIN = 30 * 60_000

/** Jobs and commands that are sent at the same time. */
const SENDERS = 32

/** Brings what is in the outbox to the server. What fails stays in the outbox and is tried again. */
function createPost(
  { stores, outbox, key, now, onProblem }: RemoteOptions,
  {
    sender,
    signal,
    note,
  }: {
    readonly sender: string
    readonly signal: AbortSignal
    readonly note: JobFollowers['note']
  },
) {
  /** Work for one agent is serialized, so that its commands keep their order. */
  const turns = new Map<string, Promise<void>>()
  const sending = new Semaphore(() => SENDERS)
  /** Routes that workers know, with when they were told. */
  const routes = new Map<string, number>()
  let failures = 0
  let isRetrying = false

  function inTurn(agentId: string, work: (store: JobStore) => Promise<void>): Promise<void> {
    const store = stores.current()
    if (store === null || signal.aborted) return Promise.resolve()
    const turn = (turns.get(agentId) ?? Promise.resolve())
      .then(() => sending.run(() => work(store)))
      .then(
        () => {
          failures = 0
        },
        (thrown: unknown) => failed(thrown, store, agentId),
      )
      .finally(() => {
        if (turns.get(agentId) === turn) turns.delete(agentId)
      })
    turns.set(agentId, turn)
    return turn
  }

  function failed(thrown: unknown, store: JobStore, agentId: string): void {
    const { message } = natsFailure(thrown, 'The job or message can’t be sent')
    note(agentId, `${message} It is kept on this disk and tried again.`)
    if (isRetrying || signal.aborted) return
    isRetrying = true
    if (failures === 0) onProblem(`${message} Jobs and messages are kept on this disk and tried again.`)
    void store.sleep(pauseAfter(failures++), signal).then(() => {
      isRetrying = false
      all()
    })
  }

  function all(): void {
    if (stores.current() === null || signal.aborted) return
    for (const { job, state } of outbox.jobs())
      if (state === 'waiting' || state === 'canceled' || isEarlier(job, state)) void sendJob(job.agentId)
    for (const agentId of outbox.agents()) void sendCommands(agentId, true)
  }

  const isEarlier = ({ protocol }: WorkerJob, state: string) =>
    protocol < OLDEST_WORKER_PROTOCOL && state === 'taken'

  const sendJob = (agentId: string) =>
    inTurn(agentId, async (store) => {
      const found = outbox.job(agentId)
      if (found) await publishJob(store, found.job)
    })

  async function publishJob(store: JobStore, job: WorkerJob): Promise<void> {
    const { agentId, jobId } = job
    if (job.protocol < OLDEST_WORKER_PROTOCOL) return endEarlier(store, job)
    const state = outbox.job(agentId)?.state
    if (state === 'canceled') return tombstone(store, job)
    if (state !== 'waiting') return
    const address = { sender, agentId, jobId }
    let wasThere = false
    const make = (record: JobRecord, isNew: boolean) => {
      wasThere = !isNew
      return isNew ? record : null
    }
    const { record } = await changeRecord(store.records, address, make, { record: null, revision: 0 })
    if (record.state === 'running' || isOver(record)) return outbox.setState(job, 'taken')
    // The reports of the agent's earlier jobs are in the sender's log.
    if (!wasThere && job.nextSeq > 0)
      await store.jsm.streams.purge(jobNames.reports, { filter: reportSubject(address) })
    const route = routeOf(job)
    if (route === null) throw new Error('The job does not begin with the start of its agent.')
    await tellRoute(store, route)
    const about = headers()
    about.set('Troupe-Sender', sender)
    about.set('Troupe-Job', jobId)
    about.set('Troupe-Agent', agentId)
    const subject = jobSubject(route.name)
    const message = { subject, content: job, sentAt: now() }
    await store.js.publish(subject, await seal(message, { key, store }), { msgID: jobId, headers: about })
  }

  /** An earlier version of Troupe sent the job: its workers are told that it is canceled. */
  async function endEarlier(store: JobStore, job: WorkerJob): Promise<void> {
    const token = tokenOf(job.agentId)
    const record = { ...newRecord(job), state: 'canceled' }
    await store.records.put(`job.${tokenOf(job.jobId)}`, JSON.stringify(record))
    store.connection.publish(`troupe.cancel.${token}`)
    outbox.setState(job, 'over')
  }

  /** Workers do not ask a route for long that nobody tells them of. */
  async function tellRoute(store: JobStore, route: NonNullable<ReturnType<typeof routeOf>>): Promise<void> {
    if (now() - (routes.get(route.name) ?? Number.NEGATIVE_INFINITY) < TOLD_AGAIN) return
    await announceRoute(store, route)
    routes.set(route.name, now())
  }

  async function tombstone(store: JobStore, job: WorkerJob): Promise<void> {
    const address = { sender, agentId: job.agentId, jobId: job.jobId }
    let wasQueued = false
    const { record } = await changeRecord(store.records, address, (current) => {
      wasQueued = current.state === 'queued'
      return isOver(current) || current.state === 'canceled' ? null : { ...current, state: 'canceled' }
    })
    store.connection.publish(cancelSubject(address))
    // A worker that carries it out reports the end.
    outbox.setState(job, wasQueued || record.attempts === 0 ? 'withdrawn' : 'taken')
  }

  /** @param again whether the server may have forgotten commands that it has acknowledged */
  const sendCommands = (agentId: string, again: boolean) =>
    inTurn(agentId, async (store) => {
      const address = { sender, agentId }
      const { series } = outbox.commands(agentId)
      await outbox.commandsDone(agentId, await commandsDone(store, address, series))
      const { waiting } = outbox.commands(agentId)
      const after = (waiting[0]?.number ?? 1) - 1
      for (const numbered of withoutWithdrawn(waiting)) {
        const subject = commandSubject(address)
        const message = { subject, content: { ...numbered, series, after }, sentAt: now() }
        await store.js.publish(subject, await seal(message, { key, store }), {
          msgID: `${series}.${numbered.number}${again ? `.${now()}` : ''}`,
        })
      }
    })

  return {
    all,
    job: ({ agentId }: WorkerJob) => sendJob(agentId),
    async cancel(job: WorkerJob): Promise<void> {
      outbox.setState(job, 'canceled')
      await inTurn(job.agentId, (store) => tombstone(store, job))
    },
    commands: (agentId: string) => sendCommands(agentId, false),
  }
}
