/** The limits of a run: their flags, and the message when one is reached. */
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type AmountKind, readAmount } from '../../../shared/settings/limit-amounts.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { describeLimit } from '../../../shared/state/spending.ts'
import { type ReadOptions, usage } from '../../platform/command-line/read-options.ts'

/** The options that limit a conversation. */
export const LIMIT_OPTIONS = { 'max-tokens': 'text', 'max-usd': 'text', 'max-minutes': 'text' } as const

/** Only the limits given. */
export type RunLimits = Partial<Pick<SpendLimits, 'tokens' | 'usd' | 'ms'>>

const FLAGS = [
  {
    key: 'tokens',
    flag: 'max-tokens',
    kind: 'tokens',
    wanted: 'a whole number from 1, such as 500000 or 500k',
  },
  { key: 'usd', flag: 'max-usd', kind: 'usd', wanted: 'US dollars above 0, such as 2 or 0.50' },
  { key: 'ms', flag: 'max-minutes', kind: 'minutes', wanted: 'minutes above 0, such as 30 or 0.5' },
] as const satisfies readonly { key: keyof RunLimits; flag: string; kind: AmountKind; wanted: string }[]

export function runLimits({ text }: Pick<ReadOptions, 'text'>): Result<RunLimits> {
  const limits: RunLimits = {}
  for (const { key, flag, kind, wanted } of FLAGS) {
    const given = text(flag)
    if (given === null) continue
    const amount = readAmount(kind, given)
    if (amount === null || amount <= 0) return usage(`--${flag} must be ${wanted}, not "${given}".`)
    limits[key] = kind === 'minutes' ? amount * 60_000 : amount
  }
  return ok(limits)
}

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
