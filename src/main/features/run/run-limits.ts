/** The limits of a run, and the message when one is reached. */
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { describeLimit } from '../../../shared/state/spending.ts'

/** Only the limits given. */
export type RunLimits = Partial<Pick<SpendLimits, 'tokens' | 'usd' | 'ms'>>

/** The limit that ended an agent. */
export interface StoppedAt {
  readonly limit: 'turns' | 'tokens' | 'money' | 'time'
  readonly of: 'agent' | 'parent' | 'conversation'
  /** Tokens, US dollars or ms; null if no longer known. */
  readonly most: number | null
}

/** Null if no limit ended the agent. */
export function stoppedAt(state: AgentState, conversationLimits: SpendLimits): StoppedAt | null {
  const { reachedLimit: limit, limitOf } = state
  if (limit === null) return null
  const of = limitOf ?? 'agent'
  if (limit === 'turns') return { limit, of, most: state.maxTurns }
  const limits = of === 'conversation' ? conversationLimits : of === 'agent' ? state.limits : null
  const most = { tokens: limits?.tokens, money: limits?.usd, time: limits?.ms }[limit] ?? null
  return { limit, of, most }
}

/** The limit reached, and how to resume. */
export function stoppedText({ limit, of, most }: StoppedAt, mainAgentId: string): string {
  const what = most === null ? `a limit of ${limit}` : describeLimit({ limit, of, most })
  if (limit === 'turns')
    return `Stopped at ${what}. Turns count from each message. To resume: troupe run "…" --resume ${mainAgentId}`
  const flag = of === 'conversation' ? FLAG_OF[limit] : undefined
  const raised = flag === undefined ? '' : ` --${flag} N`
  return `Stopped at ${what}. To resume with a higher limit: troupe run "…" --resume ${mainAgentId}${raised}`
}

const FLAG_OF: Partial<Record<StoppedAt['limit'], string>> = {
  tokens: 'max-tokens',
  money: 'max-usd',
  time: 'max-minutes',
}
