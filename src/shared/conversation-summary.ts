import type { SpendLimits } from './agent-event.ts'

/** A conversation in the list of conversations. */
export interface ConversationSummary {
  readonly id: string
  /** Absolute. */
  readonly folder: string
  readonly title: string
  /** ms since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly rehearsal: boolean
  /** True if the conversation only tries out a definition. No list shows it. */
  readonly scratch: boolean
  /** Number of live agents. */
  readonly running: number
  /** Number of pending permission requests. */
  readonly requests: number
  /** True while another program holds the lock: this program can read the conversation but not continue it. */
  readonly readOnly: boolean
  /** The limits in effect for all agents of the conversation together. */
  readonly limits: SpendLimits
}
