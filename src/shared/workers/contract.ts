/** The window's commands about workers and mailboxes. */
import { z } from 'zod'
import { command, none } from '../kernel/command.ts'
import type { NatsFinding, WorkersState } from './worker-presence.ts'

/** A mailbox on this machine, and the number of messages in it that no agent has taken. */
export interface MailboxInfo {
  readonly name: string
  readonly waiting: number
}

export const workerContract = {
  /** The workers and the connection to NATS. Changes follow as `workers` deltas. */
  'workers.state': command<WorkersState>()(() => none),
  /** Looks whether a NATS server can be used as it is set up: what was found, problems with what to do. */
  'workers.test': command<readonly NatsFinding[]>()(() =>
    z.object({
      url: z.string().trim().min(1).max(500),
      credentials: z.string().trim().max(4096),
      ca: z.string().trim().max(4096),
    }),
  ),
  /** The mailboxes of this machine with messages that no agent has taken. */
  'mailboxes.list': command<readonly MailboxInfo[]>()(() => none),
} as const
