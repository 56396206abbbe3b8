/** Mailboxes that machines share, at a NATS server. See `message-outbox.ts` for senders, `mailbox-reader.ts` for readers. */
import type { Mailbox } from '../../../runtime/ports/ports.ts'
import { createMailboxReader, type NatsMailboxReader } from './mailbox-reader.ts'
import { createMessageOutbox, type MessageOutbox } from './message-outbox.ts'
import type { NatsSession } from './nats-session.ts'

interface NatsMailboxOptions {
  readonly session: NatsSession
  /** The folder of the messages that are not confirmed yet. */
  readonly outboxFolder: string
  /** Tells this outbox from others at the server; the same after a restart. */
  readonly outboxId: string
  /** Tells this process from others; new for each start. All mailboxes of a process are one reader. */
  readonly processId: string
  /** ms since the epoch. */
  readonly now: () => number
  /** ms after which a silent process loses its mailboxes; 15 s by default, as in `ensureStreams`. */
  readonly lease?: number
  readonly onProblem?: (message: string) => void
}

export interface NatsMailbox
  extends Omit<Mailbox, 'watch'>,
    Pick<NatsMailboxReader, 'watch'>,
    Pick<MessageOutbox, 'waiting'> {
  /** Lets others read the mailboxes. Messages that are not confirmed stay in the outbox. */
  close(): Promise<void>
}

export function createNatsMailbox(options: NatsMailboxOptions): NatsMailbox {
  const { session, outboxFolder, outboxId, processId, now, lease = 15_000, onProblem = () => {} } = options
  const outbox = createMessageOutbox({ session, folder: outboxFolder, outboxId, onProblem })
  const reader = createMailboxReader({ session, processId, lease, now, onProblem })
  return {
    put: outbox.put,
    waiting: outbox.waiting,
    take: reader.take,
    done: reader.done,
    watch: reader.watch,
    async close() {
      await outbox.close()
      await reader.close()
    },
  }
}
