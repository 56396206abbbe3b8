/** Remote workers as the sender sees them: jobs and commands leave through the outbox, reports come back. */
import { headers } from '@nats-io/transport-node'
import { fail, messageOf, ok, type Result, sentence } from '../../../../../shared/kernel/result.ts'
import type { WorkerJob } from '../../../../../shared/workers/worker-protocol.ts'
import type { TaskBoard } from '../../../../runtime/ports/task-board.ts'
import type { WorkerLink } from '../../../../runtime/ports/worker-link.ts'
import { openWatch } from '../open-watch.ts'
import { nameOf } from '../subjects.ts'
import { commandsDone } from './command-queue.ts'
import { seal } from './envelope.ts'
import { type FollowOptions, followJob } from './follow-job.ts'
import {
  cancelSubject,
  commandSubject,
  commandsKey,
  jobNames,
  jobSubject,
  reportSubject,
} from './job-names.ts'
import { changeRecord, getRecord, isOver, newRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { JobStores } from './job-stores.ts'
import type { NumberedCommand, Outbox } from './outbox.ts'
import { outputObject } from './output-object.ts'
import type { SenderKey } from './sender-keys.ts'

interface RemoteOptions {
  readonly stores: JobStores
  readonly outbox: Outbox
  readonly key: SenderKey
  /** The ids of the remote workers that are seen now. */
  readonly workers: () => readonly string[]
  /** Why none of the workers seen now can take the job; null: one can, or it is not known. */
  readonly whyRefused?: (job: WorkerJob) => string | null
  readonly deliver: FollowOptions['deliver']
  readonly board: TaskBoard
  readonly now: () => number
  readonly onProblem: (message: string) => void
}

export interface RemoteLink extends WorkerLink {
  /** Resolves when the outbox is on the disk. */
  close(): Promise<void>
}

export function createRemoteLink(options: RemoteOptions): RemoteLink {
  const { stores, outbox, onProblem } = options
  const closed = new AbortController()
  const post = createPost(options)

  function sendAll(): void {
    const store = stores.current()
    if (store === null || closed.signal.aborted) return
    for (const { job } of outbox.jobs()) void post.job(job)
    for (const agentId of outbox.agents()) void post.commands(agentId, true)
  }
  function opened(): void {
    const store = stores.current()
    if (store === null) return
    closed.signal.addEventListener('abort', store.onReconnect(sendAll), { once: true })
    void settleCommands(store, outbox, closed.signal).catch(() => undefined)
    sendAll()
  }
  closed.signal.addEventListener('abort', stores.onOpen(opened), { once: true })
  opened()

  const link: RemoteLink = {
    kind: 'remote',
    async submit(job) {
      const why = options.whyRefused?.(job) ?? null
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
          void post.commands(agentId, false)
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
      followJob({ ...options, job, listener, signal: AbortSignal.any([signal, closed.signal]) }),
    isAlive: async ({ agentId, jobId }) => outbox.job(agentId)?.job.jobId === jobId,
    async output({ agentId }, path) {
      const unavailable = (why: string): Result<string> =>
        fail({ type: 'not-found', message: `The whole output is at the NATS server, but ${sentence(why)}` })
      const store = stores.current()
      if (store === null) return unavailable('there is no connection')
      try {
        const bytes = await store.objects.getBlob(outputObject(agentId, path))
        return bytes === null ? unavailable('it was removed there') : ok(new TextDecoder().decode(bytes))
      } catch (thrown) {
        onProblem(messageOf(thrown))
        return unavailable(messageOf(thrown))
      }
    },
    close() {
      closed.abort()
      return outbox.settled()
    },
  }
  return link
}

/** Removes commands from the outbox as soon as they were carried out. */
async function settleCommands(store: JobStore, outbox: Outbox, signal: AbortSignal): Promise<void> {
  const entries = await openWatch(store.connection, store.records, { key: commandsKey('*', '*') })
  const stop = () => entries.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  for await (const entry of entries) {
    const [, agent = '', series] = entry.key.split('.')
    const agentId = nameOf(agent)
    if (entry.operation === 'PUT' && outbox.commands(agentId).series === series)
      await outbox.commandsDone(agentId, Number(entry.string()))
  }
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

/** Brings what is in the outbox to the server. What fails stays in the outbox until the next connection. */
function createPost({ stores, outbox, key, now }: RemoteOptions) {
  /** Work for one agent is serialized, so that its commands keep their order. */
  const turns = new Map<string, Promise<void>>()
  function inTurn(agentId: string, work: (store: JobStore) => Promise<void>): Promise<void> {
    const store = stores.current()
    if (store === null) return Promise.resolve()
    const turn = (turns.get(agentId) ?? Promise.resolve()).then(() => work(store).catch(() => undefined))
    turns.set(agentId, turn)
    return turn
  }

  async function publishJob(store: JobStore, job: WorkerJob): Promise<void> {
    const record = await getRecord(store.records, job.jobId)
    const state = outbox.job(job.agentId)?.state
    if (state === 'canceled') return tombstone(store, job)
    if (state !== 'waiting') return
    if (record !== null && (record.state === 'running' || isOver(record)))
      return outbox.setState(job, 'taken')
    if (record === null) {
      // The reports of the agent's earlier jobs are in the sender's log.
      await store.jsm.streams.purge(jobNames.reports, { filter: reportSubject(job.agentId) })
      await changeRecord(store.records, job, () => newRecord(job))
    }
    const about = headers()
    about.set('Troupe-Job', job.jobId)
    about.set('Troupe-Agent', job.agentId)
    const message = { subject: jobSubject, content: job, sentAt: now() }
    await store.js.publish(jobSubject, await seal(message, { key, store }), {
      msgID: job.jobId,
      headers: about,
    })
  }

  async function tombstone(store: JobStore, job: WorkerJob): Promise<void> {
    let wasQueued = false
    const record = await changeRecord(store.records, job, (current) => {
      wasQueued = current.state === 'queued'
      return isOver(current) || current.state === 'canceled' ? null : { ...current, state: 'canceled' }
    })
    store.connection.publish(cancelSubject(job.agentId))
    // A worker that carries it out reports the end.
    outbox.setState(job, wasQueued || record.attempts === 0 ? 'withdrawn' : 'taken')
  }

  return {
    job: ({ agentId }: WorkerJob) =>
      inTurn(agentId, async (store) => {
        const found = outbox.job(agentId)
        if (found) await publishJob(store, found.job)
      }),
    async cancel(job: WorkerJob): Promise<void> {
      outbox.setState(job, 'canceled')
      await inTurn(job.agentId, (store) => tombstone(store, job))
    },
    /** @param again whether the server may have forgotten commands that it has acknowledged */
    commands: (agentId: string, again: boolean) =>
      inTurn(agentId, async (store) => {
        const { series } = outbox.commands(agentId)
        await outbox.commandsDone(agentId, await commandsDone(store, agentId, series))
        const { waiting } = outbox.commands(agentId)
        const after = (waiting[0]?.number ?? 1) - 1
        for (const numbered of withoutWithdrawn(waiting)) {
          const subject = commandSubject(agentId)
          const message = { subject, content: { ...numbered, series, after }, sentAt: now() }
          await store.js.publish(subject, await seal(message, { key, store }), {
            msgID: `${series}.${numbered.number}${again ? `.${now()}` : ''}`,
          })
        }
      }),
  }
}
