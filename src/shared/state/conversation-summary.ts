import type { AgentEvent, LiveEvent, SpendLimits } from '../events/agent-event.ts'
import type { ConversationTotals, RunOutcome } from '../events/conversation.ts'
import type { ConversationEvent } from '../events/conversation-event.ts'

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
  /** Set for an attempt at a test case: a scratch conversation that is kept. */
  readonly test?: true
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
  /** What its agents came to; of a closed conversation, when its main agent's last run ended. Null: unknown. */
  readonly totals: ConversationTotals | null
  /** Whether lists show it first. */
  readonly pinned: boolean
  /** Whether lists hide it until the user looks for it. */
  readonly archived: boolean
  /**
   * True while another program holds the lock, or if the conversation came from a file: this program can read it, and not
   * continue it.
   */
  readonly readOnly: boolean
  /** The limits in effect for all agents of the conversation together. */
  readonly limits: SpendLimits
}

/** The states by which lists narrow conversations. One that needs the user may run too. */
export const conversationStates = ['needs-you', 'running', 'failed', 'stopped', 'done'] as const
export type ConversationStateName = (typeof conversationStates)[number]

type Standing = Pick<ConversationSummary, 'requests' | 'running' | 'outcome'>

export function isInState({ requests, running, outcome }: Standing, state: ConversationStateName): boolean {
  if (state === 'needs-you') return requests > 0
  if (state === 'running') return running > 0
  if (running > 0) return false
  const kind = outcome?.kind
  if (state === 'failed') return kind === 'failed' || kind === 'interrupted'
  if (state === 'stopped') return kind === 'stopped' || kind === 'limit'
  return requests === 0 && kind === 'done'
}

/** A change to a conversation, as the runtime publishes it and the window receives it. */
export type ConversationDelta =
  | { readonly type: 'event'; readonly conversationId: string; readonly event: AgentEvent }
  | { readonly type: 'live'; readonly conversationId: string; readonly event: LiveEvent }
  | {
      readonly type: 'conversation-event'
      readonly conversationId: string
      readonly event: ConversationEvent
    }
  | { readonly type: 'conversation'; readonly summary: ConversationSummary }
  | { readonly type: 'conversation-gone'; readonly conversationId: string }

/** A failed write to a log. The agents named here are paused until a write succeeds. */
export interface WriteFailure {
  readonly conversationId: string
  /** Empty: everything is saved again. */
  readonly agentIds: readonly string[]
  /** The cause and the next step. */
  readonly message: string
}
