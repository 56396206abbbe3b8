/** An estimate of what the subagents at work will still spend: shown once many were started. */

import { type AgentState, isLive } from './agent-state.ts'

/** With more subagents at work, an estimate is shown. */
export const FAN_OUT = 10

/**
 * The tokens of a run if no agent of the conversation has ended yet: rough figures, with cached tokens by their price.
 * Any type that is not listed counts as `general-purpose`.
 */
const USUAL_TOKENS: Readonly<Record<string, number>> = {
  Explore: 40_000,
  Bash: 15_000,
  Plan: 70_000,
  Verification: 110_000,
  'general-purpose': 80_000,
}

export interface FanOut {
  readonly agents: number
  readonly tokens: number
  /** US dollars; null: no cost of this conversation is known. */
  readonly usd: number | null
  /** Whether agents of this conversation have ended, so that the estimate is their average. */
  readonly isMeasured: boolean
}

interface Average {
  readonly tokens: number
  readonly usd: number | null
}

/** What the subagents at work will still spend. Null: few are at work. Linear in the number of agents. */
export function fanOutOf(states: Iterable<AgentState>): FanOut | null {
  const all = [...states]
  const live = all.filter((state) => state.parentId !== null && isLive(state))
  if (live.length <= FAN_OUT) return null
  return estimate(
    live.map(({ definition, countedTokens, costUsd }) => ({
      type: definition.name,
      spent: { tokens: countedTokens, usd: costUsd },
    })),
    all,
  )
}

/** What new agents of these types will spend. */
export function estimateStarts(types: readonly string[], states: Iterable<AgentState>): FanOut {
  return estimate(
    types.map((type) => ({ type, spent: { tokens: 0, usd: 0 } })),
    [...states],
  )
}

interface Expected {
  readonly type: string
  readonly spent: { readonly tokens: number; readonly usd: number }
}

function estimate(agents: readonly Expected[], all: readonly AgentState[]): FanOut {
  const ended = all.filter(({ parentId, status }) => parentId !== null && status === 'completed')
  const ofAny = averageOf(ended)
  const perToken = pricePerToken(all)
  const averages = new Map<string, Average>()
  let tokens = 0
  let usd: number | null = 0
  for (const { type, spent } of agents) {
    const average =
      averages.get(type) ??
      averageOf(ended.filter(({ definition }) => definition.name === type)) ??
      ofAny ??
      usual(type, perToken)
    averages.set(type, average)
    tokens += Math.max(0, average.tokens - spent.tokens)
    usd = usd === null || average.usd === null ? null : usd + Math.max(0, average.usd - spent.usd)
  }
  return { agents: agents.length, tokens, usd, isMeasured: ofAny !== null }
}

function averageOf(ended: readonly AgentState[]): Average | null {
  if (ended.length === 0) return null
  const tokens = ended.reduce((sum, { countedTokens }) => sum + countedTokens, 0) / ended.length
  const isPriced = ended.every(({ priced }) => priced)
  return {
    tokens,
    usd: isPriced ? ended.reduce((sum, { costUsd }) => sum + costUsd, 0) / ended.length : null,
  }
}

function usual(name: string, perToken: number | null): Average {
  const tokens = USUAL_TOKENS[name] ?? USUAL_TOKENS['general-purpose'] ?? 0
  return { tokens, usd: perToken === null ? null : tokens * perToken }
}

/** US dollars per token of this conversation so far; null: unknown. */
function pricePerToken(states: readonly AgentState[]): number | null {
  const tokens = states.reduce((sum, { countedTokens }) => sum + countedTokens, 0)
  const usd = states.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return tokens === 0 || states.some(({ priced }) => !priced) ? null : usd / tokens
}
