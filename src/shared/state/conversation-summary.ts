import type { SpendLimits } from '../events/agent-event.ts'
import type { RunOutcome } from '../events/conversation.ts'

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
  /**
   * How the main agent's last run ended, ms since the epoch. `interrupted`: the program died. Null: no run has ended,
   * or the log is older than outcomes.
   */
  readonly outcome: { readonly kind: RunOutcome | 'interrupted'; readonly at: number } | null
  /** The conversation whose history this one began with; null: it began anew. */
  readonly branchOf: string | null
  /** True while another program holds the lock: this program can read the conversation but not continue it. */
  readonly readOnly: boolean
  /** The limits in effect for all agents of the conversation together. */
  readonly limits: SpendLimits
}
