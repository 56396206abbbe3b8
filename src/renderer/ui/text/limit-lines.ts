/** All limits of an agent, as lines of a `LimitList`. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type LimitsAbove, type UsedLimit, usedOf } from '../../../shared/state/spending.ts'
import type { LimitLine } from '../limit-list.tsx'
import { formatDuration, formatTokens } from './format.ts'
import { formatUsage, moneyText } from './spending-text.ts'

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
    text: formatUsage(used).replace(/ tokens$/, ''),
    whose: limitOwner(used, nameOf),
    spent: used.spent,
    most: used.most,
  }))
}

function unlimited(limit: UsedLimit['limit'], own: LimitsAbove | undefined, now: number): string {
  switch (limit) {
    case 'tokens':
      return formatTokens(own?.spent.tokens ?? 0)
    case 'money':
      return moneyText(own?.spent.usd ?? 0, own?.spent.priced ?? true)
    case 'time':
      return formatDuration(own?.spent.ms(now) ?? 0)
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
