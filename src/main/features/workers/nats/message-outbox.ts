/**
 * The sender's side of a mailbox on NATS. A message is on this disk before `put` resolves, and stays there until its
 * reader has confirmed it end to end: a server acknowledges a message before it is on its disk. After each connection
 * every message that is not confirmed is published again, in order; the server refuses those that it has.
 */
import { readdir } from 'node:fs/promises'
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers, type Subscription } from '@nats-io/transport-node'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { mailboxNameFailure, messageSizeFailure } from '../../../../shared/messages/message-limits.ts'
import type { MailboxMessage } from '../../../runtime/ports/ports.ts'
import { encodeMailboxMessage, messageStemOf } from '../../teams/mailbox/mailbox-file.ts'
import { createMaildirMailbox } from '../../teams/mailbox/maildir-mailbox.ts'
import type { NatsLink } from './connect-nats.ts'
import { encodeMessage } from './message-wire.ts'
import { natsFailure } from './nats-failure.ts'
import type { NatsSession } from './nats-session.ts'
import {
  messageEndSubject,
  messageNewSubject,
  messageSubject,
  natsNames,
  OUTBOX_HEADER,
  outboxSubjects,
} from './subjects.ts'
import { pauseAfter } from './waits.ts'

interface OutboxOptions {
  readonly session: NatsSession
  /** The folder of the outbox; created with the first message. */
  readonly folder: string
  /** Tells this outbox from others at the server; the same after a restart. */
  readonly outboxId: string
  /** Called with a text for the user when a message can't be kept or sent. */
  readonly onProblem: (message: string) => void
}

export interface MessageOutbox {
  /** Resolves when the message is on this disk, and if there is a connection, after the attempt to publish it. */
  put(message: MailboxMessage): Promise<Result<void>>
  /** The messages that are kept here until their readers confirm them. */
  waiting(): number
  /** Resolves when nothing is being published or removed. What waits stays on disk. */
  close(): Promise<void>
}

export function createMessageOutbox(options: OutboxOptions): MessageOutbox {
  const { session, folder, outboxId, onProblem } = options
  const store = createMaildirMailbox({ folder, onProblem })
  /** The messages of each mailbox in the order in which they are published. The first is being published. */
  const queues = new Map<string, MailboxMessage[]>()
  const busy = new Map<string, Promise<void>>()
  /** The ids of the messages on disk, with their mailboxes. */
  const waiting = new Set<string>()
  /** Called when a message was published, or will be later. */
  const settled = new Map<string, () => void>()
  /** The connection for which the queues are complete and in order; 0: none. */
  let recovered = 0
  let closed = false
  let subscription: Subscription | null = null

  const keyOf = (box: string, stem: string) => `${box}/${stem}`
  const queueOf = (box: string) => {
    const found = queues.get(box) ?? []
    queues.set(box, found)
    return found
  }

  const put = async (message: MailboxMessage): Promise<Result<void>> => {
    const refused = mailboxNameFailure(message.to) ?? messageSizeFailure(encodeMailboxMessage(message).length)
    if (refused) return fail(refused)
    const copy = structuredClone(message)
    const key = keyOf(message.to, messageStemOf(message.messageId))
    waiting.add(key)
    const stored = await store.put(copy)
    if (!stored.ok) {
      waiting.delete(key)
      return stored
    }
    queueOf(message.to).push(copy)
    if (session.link() === null || closed) return ok(undefined)
    const published = new Promise<void>((resolve) => settled.set(key, resolve))
    pump(message.to)
    await published
    return ok(undefined)
  }
  const settle = (key: string) => {
    settled.get(key)?.()
    settled.delete(key)
  }
  const settleAll = () => {
    for (const key of [...settled.keys()]) settle(key)
  }

  /** Publishes the messages of a mailbox one after another, so that a later one never overtakes an earlier one. */
  const pump = (box: string) => {
    const link = session.link()
    if (link === null || closed || busy.has(box) || recovered !== link.generation()) return
    const run = publishAll(box, link).finally(() => {
      busy.delete(box)
      // A message came after the loop had ended.
      if (queueOf(box).length > 0 && !stuck.has(box)) pump(box)
    })
    busy.set(box, run)
  }
  /** Mailboxes whose next attempt has been scheduled. */
  const stuck = new Map<string, NodeJS.Timeout>()
  let failures = 0
  const retryLater = (box: string) => {
    settleAll()
    if (stuck.has(box) || closed) return
    const again = () => {
      stuck.delete(box)
      pump(box)
    }
    stuck.set(box, setTimeout(again, pauseAfter(failures++)).unref())
  }

  const publishAll = async (box: string, link: NatsLink) => {
    const generation = link.generation()
    const queue = queueOf(box)
    for (let head = queue[0]; head !== undefined && !closed; head = queue[0]) {
      // Messages from before a new connection come first again: `recover` begins anew.
      if (link.generation() !== generation || session.link() !== link) return
      try {
        await publish(link, head)
      } catch (thrown) {
        if (link.generation() !== generation || session.link() !== link) return
        const failure = natsFailure(thrown, `The message to ${box} can’t be sent`)
        // A single answer may be late.
        if (failure.type !== 'offline' && (failure.type !== 'silent' || failures > 1))
          onProblem(`${failure.message} It is kept on this disk and tried again.`)
        return retryLater(box)
      }
      failures = 0
      if (queue[0] === head) queue.shift()
      settle(keyOf(box, messageStemOf(head.messageId)))
    }
  }

  const publish = async (link: NatsLink, message: MailboxMessage) => {
    const { to } = message
    const stem = messageStemOf(message.messageId)
    const marks = headers()
    marks.set(OUTBOX_HEADER, outboxId)
    try {
      await jetstream(link.connection).publish(messageSubject(to, stem), encodeMessage(message), {
        msgID: keyOf(to, stem),
        headers: marks,
        expect: { lastSubjectSequence: 0 },
      })
    } catch (thrown) {
      if (!isThere(thrown)) throw thrown
    }
    link.connection.publish(messageNewSubject(to))
  }

  const forget = async (box: string, messageId: string) => {
    waiting.delete(keyOf(box, messageStemOf(messageId)))
    await store.done(box, [messageId])
  }

  /** After each connection: what was confirmed meanwhile is removed, and everything else is published again. */
  const recover = async (link: NatsLink) => {
    subscription?.unsubscribe()
    subscription = link.connection.subscribe(outboxSubjects(outboxId), {
      callback: (error, message) => {
        if (error) return
        const end = readEnd(message.data)
        if (end) void forget(end.box, end.messageId)
      },
    })
    const generation = link.generation()
    const manager = await jetstreamManager(link.connection, { checkAPI: false })
    for (const box of await namesIn(folder)) {
      await busy.get(box)
      const kept = await store.take(box)
      if (!kept.ok) {
        onProblem(kept.failure.message)
        continue
      }
      const open: MailboxMessage[] = []
      for (const message of kept.value) {
        const stem = messageStemOf(message.messageId)
        waiting.add(keyOf(box, stem))
        const end = await manager.direct
          .getMessage(natsNames.messageEnds, {
            last_by_subj: messageEndSubject({ outbox: outboxId, box, stem }),
          })
          .catch(() => null)
        if (end !== null) await forget(box, message.messageId)
        else open.push(message)
      }
      // What was put during this loop is on disk or behind it in the queue.
      const known = new Set(open.map(({ messageId }) => messageId))
      const later = queueOf(box).filter(({ messageId }) => !known.has(messageId))
      queues.set(box, [
        ...open,
        ...later.filter(({ messageId }) => waiting.has(keyOf(box, messageStemOf(messageId)))),
      ])
    }
    recovered = generation
    for (const box of queues.keys()) pump(box)
  }

  const stopState = session.subscribe((state) => {
    if (state.kind !== 'connected') settleAll()
  })
  let recovery: Promise<void> = Promise.resolve()
  const stop = session.whenReady((link) => {
    recovery = recovery
      .then(() => recover(link))
      .catch((thrown: unknown) => {
        if (!closed) onProblem(natsFailure(thrown, 'The outbox can’t be sent').message)
      })
  })

  return {
    put,
    waiting: () => waiting.size,
    async close() {
      closed = true
      stop()
      stopState()
      settleAll()
      subscription?.unsubscribe()
      for (const timer of stuck.values()) clearTimeout(timer)
      await Promise.all([recovery, ...busy.values()])
    },
  }
}

/** Whether the server refused a message because it has it. */
function isThere(thrown: unknown): boolean {
  return thrown instanceof JetStreamApiError && thrown.code === 10071
}

interface MessageEnd {
  readonly box: string
  readonly messageId: string
}

/** The content of a confirmation; null if it is none. */
function readEnd(bytes: Uint8Array): MessageEnd | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value !== 'object' || value === null || !('box' in value) || !('messageId' in value))
      return null
    const { box, messageId } = value
    return typeof box === 'string' && typeof messageId === 'string' ? { box, messageId } : null
  } catch {
    return null
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
