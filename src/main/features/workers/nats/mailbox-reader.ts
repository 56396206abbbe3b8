/**
 * The reader's side of a mailbox on NATS. A process that takes messages holds the mailbox for as long as it has
 * messages that it has not confirmed, and renews that; others find the mailbox empty. When it is silent for the time of
 * the lease, the next process takes everything that is not confirmed, in order.
 */
import { JetStreamApiError, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { LARGEST_MESSAGE, mailboxNameFailure } from '../../../../shared/messages/message-limits.ts'
import type { MailboxMessage } from '../../../runtime/ports/ports.ts'
import { messageStemOf } from '../../teams/mailbox/mailbox-file.ts'
import type { NatsLink } from './connect-nats.ts'
import { decodeMessage } from './message-wire.ts'
import { natsFailure } from './nats-failure.ts'
import type { NatsSession } from './nats-session.ts'
import {
  mailboxSubjects,
  messageEndSubject,
  messageNewSubject,
  messageSubject,
  natsNames,
  OUTBOX_HEADER,
  tokenOf,
} from './subjects.ts'

interface ReaderOptions {
  readonly session: NatsSession
  /** Tells this process from others; new for each start. */
  readonly processId: string
  /** ms after which a silent process loses its mailboxes: that of `ensureStreams`. */
  readonly lease: number
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (message: string) => void
}

interface Held {
  readonly message: MailboxMessage
  /** Its number in the stream, valid in the connection of the box. */
  readonly seq: number
  readonly stem: string
  readonly outbox: string
}

/** A mailbox that this process holds. */
interface HeldBox {
  revision: number
  /** Our time of the last renewal. */
  renewedAt: number
  /** The number of the first message that was not read, and the connection in which that number is valid. */
  next: number
  generation: number
  /** Our time of the last call that found or confirmed a message. */
  usedAt: number
  readonly messages: Map<string, Held>
}

export interface NatsMailboxReader {
  take(name: string): Promise<Result<readonly MailboxMessage[]>>
  done(name: string, messageIds: readonly string[]): Promise<void>
  /** Calls the function when the mailbox may have new messages, until the returned function is called. */
  watch(name: string, onNew: () => void): () => void
  /** Lets other processes read the mailboxes. */
  close(): Promise<void>
}

export function createMailboxReader(options: ReaderOptions): NatsMailboxReader {
  const { session, processId, lease, now, onProblem } = options
  const boxes = new Map<string, HeldBox>()
  /** Messages that were confirmed while there was no connection. */
  const unsaid = new Map<string, Set<string>>()
  const lock = createLocks()

  const take = async (name: string): Promise<Result<readonly MailboxMessage[]>> => {
    const refused = mailboxNameFailure(name)
    if (refused) return fail(refused)
    const link = session.link()
    if (link === null) return offline(session)
    return lock(name, async () => {
      try {
        return ok(await takeHeld(name, link))
      } catch (thrown) {
        return fail({ ...natsFailure(thrown, `The mailbox of ${name} can’t be read`), type: 'io' })
      }
    })
  }

  const takeHeld = async (name: string, link: NatsLink): Promise<readonly MailboxMessage[]> => {
    const manager = await jetstreamManager(link.connection, { checkAPI: false })
    await confirmUnsaid(name, link, manager)
    const box = boxes.get(name) ?? (await hold(name, link, manager))
    if (box === null) return []
    if (box.generation !== link.generation()) {
      // A server that was killed may have forgotten messages, and may give their numbers to others.
      box.next = 1
      box.generation = link.generation()
      box.messages.clear()
    }
    await readNew(name, box, manager)
    // The lease was lost during the read: another process may have the mailbox.
    if (boxes.get(name) !== box) return []
    const found = [...box.messages.values()]
    if (found.length > 0) box.usedAt = now()
    found.sort((one, other) => one.message.at - other.message.at || (one.stem < other.stem ? -1 : 1))
    return found.map(({ message }) => message)
  }

  /** Null: the mailbox is empty, or another process holds it. */
  const hold = async (name: string, link: NatsLink, manager: JetStreamManager): Promise<HeldBox | null> => {
    const generation = link.generation()
    if ((await nextMessage(manager, name, 1)) === null) return null
    const revision =
      (await leaseOf(link, (readers) => readers.create(tokenOf(name), processId))) ??
      (await leaseOf(link, (readers) => updateOwn(readers, name)))
    if (revision === null) return null
    const heldAt = now()
    const box: HeldBox = {
      revision,
      renewedAt: heldAt,
      usedAt: heldAt,
      next: 1,
      generation,
      messages: new Map(),
    }
    boxes.set(name, box)
    startRenewing()
    return box
  }

  /** Another mailbox of this process may have the lease. */
  const updateOwn = async (readers: KV, name: string): Promise<number | null> => {
    const entry = await readers.get(tokenOf(name))
    if (entry?.operation !== 'PUT' || entry.string() !== processId) return null
    return readers.update(tokenOf(name), processId, entry.revision)
  }

  const readNew = async (name: string, box: HeldBox, manager: JetStreamManager) => {
    for (;;) {
      const stored = await nextMessage(manager, name, box.next)
      if (stored === null) return
      box.next = stored.seq + 1
      const decoded = decodeMessage(stored.data, LARGEST_MESSAGE)
      const problem = decoded.ok
        ? decoded.value.to === name
          ? null
          : `is addressed to ${JSON.stringify(decoded.value.to)}`
        : decoded.failure
      if (decoded.ok && problem === null) {
        const stem = messageStemOf(decoded.value.messageId)
        box.messages.set(stem, {
          message: decoded.value,
          seq: stored.seq,
          stem,
          outbox: stored.header.get(OUTBOX_HEADER),
        })
      } else {
        onProblem(
          `A message at the NATS server for ${name} ${problem}. It is removed; other messages are not affected.`,
        )
        await manager.streams.purge(natsNames.messages, { filter: stored.subject })
      }
    }
  }

  const done = async (name: string, messageIds: readonly string[]): Promise<void> => {
    if (mailboxNameFailure(name) !== null || messageIds.length === 0) return
    await lock(name, async () => {
      const link = session.link()
      const left = unsaid.get(name) ?? new Set()
      unsaid.set(name, left)
      for (const id of messageIds) left.add(id)
      if (link === null) return
      try {
        await confirmUnsaid(name, link, await jetstreamManager(link.connection, { checkAPI: false }))
        const box = boxes.get(name)
        if (box) box.usedAt = now()
      } catch (thrown) {
        // The message is confirmed before the next one is taken.
        if (session.link() === link)
          onProblem(natsFailure(thrown, `A message that ${name} has read can’t be removed`).message)
      }
    })
  }

  /** Confirm to the sender's outbox first, then delete the message at the server. */
  const confirmUnsaid = async (name: string, link: NatsLink, manager: JetStreamManager) => {
    const left = [...(unsaid.get(name) ?? [])]
    const generation = link.generation()
    const stream = jetstream(link.connection)
    await Promise.all(
      left.map(async (messageId) => {
        const stem = messageStemOf(messageId)
        const box = boxes.get(name)
        const held = box?.generation === link.generation() ? box.messages.get(stem) : undefined
        const found = held ?? (await findMessage(manager, name, stem))
        if (found !== null) {
          await stream.publish(
            messageEndSubject({ outbox: found.outbox, box: name, stem }),
            JSON.stringify({ box: name, messageId }),
          )
          // Numbers are valid within one connection. The message is confirmed, so skipping this loses nothing.
          if (link.generation() === generation && link.state().kind === 'connected')
            await manager.streams.deleteMessage(natsNames.messages, found.seq, false).catch(unlessGone)
        }
        box?.messages.delete(stem)
        unsaid.get(name)?.delete(messageId)
      }),
    )
    if (unsaid.get(name)?.size === 0) unsaid.delete(name)
  }

  // ---- the lease of a mailbox

  const release = async (name: string, link: NatsLink) => {
    const box = boxes.get(name)
    if (!box) return
    boxes.delete(name)
    await leaseOf(link, (readers) => readers.delete(tokenOf(name), { previousSeq: box.revision }))
  }

  let timer: NodeJS.Timeout | null = null
  const startRenewing = () => {
    timer ??= setInterval(() => void renewAll(), lease / 3).unref()
  }
  const renewAll = async () => {
    const link = session.link()
    await Promise.all([...boxes].map(([name, box]) => renew(name, box, link)))
    if (boxes.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
  const renew = async (name: string, box: HeldBox, link: NatsLink | null) => {
    const lost = () => {
      if (boxes.get(name) === box) boxes.delete(name)
    }
    const startedAt = now()
    try {
      // Lets another process read the mailbox once this one is done with it.
      if (link !== null && box.messages.size === 0 && startedAt - box.usedAt > lease / 3)
        return await lock(name, async () => {
          if (box.messages.size === 0) await release(name, link)
        })
      const revision =
        link && (await leaseOf(link, (kv) => kv.update(tokenOf(name), processId, box.revision)))
      if (link !== null && revision === null) return lost()
      if (revision === null) throw new Error('no connection')
      box.revision = revision
      box.renewedAt = startedAt
    } catch {
      if (now() - box.renewedAt > lease * 0.8) lost()
    }
  }

  const watch = (name: string, onNew: () => void): (() => void) => {
    let stopSubscription = () => {}
    const stop = session.whenReady((link) => {
      stopSubscription()
      const subscription = link.connection.subscribe(messageNewSubject(name), { callback: () => onNew() })
      stopSubscription = () => subscription.unsubscribe()
      onNew()
    })
    return () => {
      stop()
      stopSubscription()
    }
  }

  return {
    take,
    done,
    watch,
    async close() {
      if (timer) clearInterval(timer)
      const link = session.link()
      if (link === null) return
      await Promise.all([...boxes.keys()].map((name) => release(name, link).catch(() => undefined)))
    },
  }
}

/** The first message of a mailbox from that number on. */
async function nextMessage(manager: JetStreamManager, name: string, seq: number) {
  return manager.direct.getMessage(natsNames.messages, { seq, next_by_subj: mailboxSubjects(name) })
}

async function findMessage(manager: JetStreamManager, name: string, stem: string) {
  const stored = await manager.direct.getMessage(natsNames.messages, {
    last_by_subj: messageSubject(name, stem),
  })
  return stored && { seq: stored.seq, outbox: stored.header.get(OUTBOX_HEADER) }
}

/** The server says that a message is gone in different words. */
function unlessGone(thrown: unknown): void {
  if (!(thrown instanceof JetStreamApiError) || !/not found|no message/.test(thrown.message)) throw thrown
}

/** A change of a lease. Null: another process has changed it. */
async function leaseOf<T>(link: NatsLink, change: (readers: KV) => Promise<T>): Promise<T | null> {
  try {
    return await change(await new Kvm(link.connection).open(natsNames.readers))
  } catch (thrown) {
    if (thrown instanceof JetStreamApiError && thrown.code === 10071) return null
    throw thrown
  }
}

function offline(session: NatsSession) {
  const state = session.state()
  const message =
    state.kind === 'failed'
      ? state.message
      : 'There is no connection to NATS yet. It is being made; try again.'
  return fail({ type: 'io', message })
}

/** Runs functions of one name one after another. */
function createLocks(): <T>(name: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (name, run) => {
    const result = (last.get(name) ?? Promise.resolve()).then(run, run)
    const settled = result.catch(() => undefined)
    last.set(name, settled)
    void settled.then(() => {
      if (last.get(name) === settled) last.delete(name)
    })
    return result
  }
}
