/** Everything that limits an agent, as lines of a `LimitList`. */
import type { AgentState } from '../../shared/agent-state.ts'
import { type LimitsAbove, type UsedLimit, usedOf } from '../../shared/spending.ts'
import { formatDuration, formatTokens } from './format.ts'
import type { LimitLine } from './limit-list.tsx'
import { moneyWords, usedWords } from './spending-words.ts'

interface Around {
  /** All limits that hold for the agent, its own first. */
  readonly above: readonly LimitsAbove[]
  readonly nameOf: (agentId: string) => string
  /** Ms since the epoch. */
  readonly now: number
}

/** Each limit with whose it is. What nobody limits is there with what it has spent. */
export function limitLines(agent: AgentState, around: Around): readonly LimitLine[] {
  const { maxTurns } = agent
  // The one for the report at the limit does not count.
  const turn = Math.min(agent.turn, maxTurns)
  return [
    { what: 'Turns', words: `${turn} of ${maxTurns}`, whose: 'its own', spent: turn, most: maxTurns },
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
    return [{ what, words: unlimited(limit, above[0], now), whose: 'no limit', spent: 0, most: null }]
  return limited.map((used) => ({
    what,
    words: usedWords(used).replace(/ tokens$/, ''),
    whose: whoseWords(used, nameOf),
    // What can't be counted is not shown as little.
    spent: used.counted ? used.spent : used.most,
    most: used.most,
  }))
}

function unlimited(limit: UsedLimit['limit'], own: LimitsAbove | undefined, now: number): string {
  switch (limit) {
    case 'tokens':
      return formatTokens(own?.spent.tokens ?? 0)
    case 'money':
      return moneyWords(own?.spent.usd ?? 0, own?.spent.priced ?? true)
    case 'time':
      return formatDuration(own?.spent.ms(now) ?? 0)
  }
}

function startedLine(own: LimitsAbove | undefined): LimitLine {
  const spent = own?.spent.spawns ?? 0
  const most = own?.limits.spawns ?? null
  return {
    what: 'Agents started',
    words: most === null ? String(spent) : `${spent} of ${most}`,
    whose: most === null ? 'no limit' : 'its own',
    spent,
    most,
  }
}

function whoseWords({ of, agentId }: UsedLimit, nameOf: (agentId: string) => string): string {
  if (of === 'agent') return 'its own'
  return of === 'conversation' ? 'the conversation’s' : `${nameOf(agentId ?? '')}’s`
}
