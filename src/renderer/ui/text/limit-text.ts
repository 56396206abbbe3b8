/** Limits as text: in fields an amount, or empty for no limit; of an agent that ended, the limit that it reached. */
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import { type AmountKind, readAmount } from '../../../shared/settings/limit-amounts.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  describeLimit,
  firstReached,
  formatAmount,
  type LimitsAbove,
  type UsedLimit,
  usedOf,
} from '../../../shared/state/spending.ts'
import type { LimitLine } from '../limit-list.tsx'
import { formatDuration, formatTokens, formatUsage, moneyText } from './format.ts'

export interface LimitBounds {
  /** `above 0` accepts fractions of the unit. */
  readonly min: number | 'above 0'
  readonly max: number | null
}

export type ReadLimit =
  | { readonly ok: true; readonly value: number | null }
  | { readonly ok: false; readonly message: string }

/** Reads a field. Invalid input returns a message that states the valid input. */
export function readLimit(kind: AmountKind, text: string, bounds: LimitBounds): ReadLimit {
  if (text.trim() === '') return { ok: true, value: null }
  const value = readAmount(kind, text)
  const { min, max } = bounds
  const fits =
    value !== null && (min === 'above 0' ? value > 0 : value >= min) && (max === null || value <= max)
  return fits ? { ok: true, value } : { ok: false, message: expectedRange(kind, bounds) }
}

/** "5,000,000"; empty for no limit. */
export function limitText(value: number | null): string {
  return value === null ? '' : value.toLocaleString('en', { maximumFractionDigits: 6 })
}

function expectedRange(kind: AmountKind, { min, max }: LimitBounds): string {
  const what = { tokens: 'A whole number', agents: 'A whole number', usd: 'An amount', minutes: 'A number' }
  const from = min === 'above 0' ? 'above 0' : `from ${limitText(min)}`
  const to = max === null ? '' : min === 'above 0' ? `, at most ${limitText(max)}` : ` to ${limitText(max)}`
  return `${what[kind]} ${from}${to}. Leave it empty for no limit.`
}

type Limit = NonNullable<AgentState['reachedLimit']>

export interface LimitsAround {
  readonly agents: ReadonlyMap<string, AgentState>
  readonly conversationLimits: SpendLimits
}

/**
 * "its limit of 40 turns", "the conversation's limit of $20"; null: the agent did not end at a limit. Completes
 * "stopped at …".
 */
export function limitReachedText(agent: AgentState, around: LimitsAround): string | null {
  const { reachedLimit, limitOf } = agent
  if (reachedLimit === null) return null
  const of = limitOf ?? 'agent'
  const most = amountOf(agent, reachedLimit, around)
  if (most === null) return `${of === 'agent' ? 'its' : 'a'} limit of ${PLAIN[reachedLimit]}`
  if (of === 'agent') return `its limit of ${formatAmount(reachedLimit, most)}`
  return describeLimit({ limit: reachedLimit, of, most })
}

/**
 * Whether a resumed agent would end at once. Turns and time are counted from the resume, so they never end it at once.
 */
export function endsAtOnce(agent: AgentState, { agents, conversationLimits }: LimitsAround): boolean {
  const { id: agentId, reachedLimit } = agent
  if (reachedLimit === null || reachedLimit === 'turns') return false
  return firstReached({ agentId, states: agents.values(), conversationLimits, now: 0 }) !== null
}

const PLAIN: Readonly<Record<Limit, string>> = {
  turns: 'turns',
  tokens: 'tokens',
  money: 'money',
  time: 'time',
}

/** The current amount of the limit; null if the limit was removed. */
function amountOf(
  agent: AgentState,
  limit: Limit,
  { agents, conversationLimits }: LimitsAround,
): number | null {
  if (limit === 'turns') return agent.maxTurns
  const amount = (limits: SpendLimits) =>
    ({ tokens: limits.tokens, money: limits.usd, time: limits.ms })[limit]
  if (agent.limitOf === 'conversation') return amount(conversationLimits)
  const owner = ownerOfLimit(agent, agents)
  return owner === undefined ? null : amount(owner.limits)
}

/** The agent whose limit was reached: the agent itself or the nearest one above with such a limit; undefined: none. */
export function ownerOfLimit(
  agent: AgentState,
  agents: ReadonlyMap<string, AgentState>,
): AgentState | undefined {
  const { reachedLimit, limitOf } = agent
  if (reachedLimit === null || limitOf === 'conversation') return undefined
  if (limitOf !== 'parent' || reachedLimit === 'turns') return agent
  const key = ({ tokens: 'tokens', money: 'usd', time: 'ms' } as const)[reachedLimit]
  for (let above = parentOf(agent, agents); above !== undefined; above = parentOf(above, agents))
    if (above.limits[key] !== null) return above
  return undefined
}

function parentOf(agent: AgentState, agents: ReadonlyMap<string, AgentState>): AgentState | undefined {
  return agent.parentId === null ? undefined : agents.get(agent.parentId)
}

/** All limits of an agent, as lines of a `LimitList`. */
interface Around {
  /** All limits that apply to the agent, its own first. */
  readonly above: readonly LimitsAbove[]
  readonly nameOf: (agentId: string) => string
  /** Ms since the epoch. */
  readonly now: number
}

/** One line for each limit, with its owner. An unlimited amount has a line with the amount spent. */
export function limitLines(agent: AgentState, around: Around): readonly LimitLine[] {
  const { maxTurns } = agent
  // The extra turn for the report at the limit does not count.
  const turn = Math.min(agent.turn, maxTurns)
  return [
    { what: 'Turns', text: `${turn} of ${maxTurns}`, whose: 'its own', spent: turn, most: maxTurns },
    ...linesOf('tokens', 'Tokens', around),
    ...linesOf('money', 'Money', around),
    ...linesOf('time', 'Time', around),
    startedLine(around.above[0]),
  ]
}

function linesOf(
  limit: UsedLimit['limit'],
  what: string,
  { above, nameOf, now }: Around,
): readonly LimitLine[] {
  const limited = above.flatMap((limits) => usedOf(limits, now)).filter((used) => used.limit === limit)
  if (limited.length === 0)
    return [{ what, text: unlimited(limit, above[0], now), whose: 'no limit', spent: 0, most: null }]
  return limited.map((used) => ({
    what,
    text:
      limit === 'time'
        ? timeText(used, ownerOf(used, above), now)
        : formatUsage(used).replace(/ tokens$/, ''),
    whose: limitOwner(used, nameOf),
    spent: used.spent,
    most: used.most,
  }))
}

const ownerOf = (used: UsedLimit, above: readonly LimitsAbove[]) =>
  above.find(({ of, agentId }) => of === used.of && agentId === used.agentId)

/** A time limit counts one run: between runs the time of all runs is what was spent. */
function timeText(used: UsedLimit, owner: LimitsAbove | undefined, now: number): string {
  const total = owner?.spent.totalMs(now) ?? 0
  return used.spent === 0 && total > 0
    ? `${formatDuration(total)}, at most ${formatAmount('time', used.most)} a run`
    : formatUsage(used)
}

function unlimited(limit: UsedLimit['limit'], own: LimitsAbove | undefined, now: number): string {
  switch (limit) {
    case 'tokens':
      return formatTokens(own?.spent.tokens ?? 0)
    case 'money':
      return moneyText(own?.spent.usd ?? 0, own?.spent.priced ?? true)
    case 'time':
      return formatDuration(own?.spent.totalMs(now) ?? 0)
  }
}

function startedLine(own: LimitsAbove | undefined): LimitLine {
  const spent = own?.spent.spawns ?? 0
  const most = own?.limits.spawns ?? null
  return {
    what: 'Agents started',
    text: most === null ? String(spent) : `${spent} of ${most}`,
    whose: most === null ? 'no limit' : 'its own',
    spent,
    most,
  }
}

function limitOwner({ of, agentId }: UsedLimit, nameOf: (agentId: string) => string): string {
  if (of === 'agent') return 'its own'
  return of === 'conversation' ? 'the conversation’s' : `${nameOf(agentId ?? '')}’s`
}
