/**
 * The spending of agents against their limits. The runtime checks it before each request, and the window's meters show
 * it. Linear in the number of agents.
 */

import type { SpendLimits } from '../events/agent-event.ts'
import { periodUntil, workedUntil } from '../events/lifecycle.ts'
import { countOf } from '../kernel/amounts.ts'
import type { AgentState } from './agent-state.ts'

/** The spending in the four units of `SpendLimits`. */
export interface Spent {
  /** Input and output tokens, and cached tokens by their share of the input price. */
  readonly tokens: number
  /** US dollars, for the turns on models with a known price. */
  readonly usd: number
  /** False after a turn on a model without a known price: then `usd` is only a part of the cost. */
  readonly priced: boolean
  /** Ms of work in the current run, which the time limit counts; 0 while the agent is not running. */
  ms(now: number): number
  /** Ms of work in all runs. */
  totalMs(now: number): number
  /** Started agents. For an agent: those that it started itself. For a conversation: all but the main agent. */
  readonly spawns: number
}

/** The owner of a limit: the agent, an agent above it, or the conversation. */
type LimitOwner = 'agent' | 'parent' | 'conversation'

/** Limits that apply to an agent, and the spending against them. */
export interface LimitsAbove {
  readonly of: LimitOwner
  /** The agent that has the limits; null: the conversation. */
  readonly agentId: string | null
  readonly limits: SpendLimits
  readonly spent: Spent
}

/** One limit and the spending against it. `most` and `spent` are tokens, US dollars, ms or turns. */
export interface UsedLimit {
  readonly limit: 'tokens' | 'money' | 'time'
  readonly of: LimitOwner
  readonly agentId: string | null
  readonly most: number
  readonly spent: number
  /** False if the cost of some turns is unknown: `spent` then counts the known costs. */
  readonly counted: boolean
}

interface SpendingQuestion {
  readonly agentId: string
  /** All agents of the conversation, in any order. */
  readonly states: Iterable<AgentState>
  /** The limits of all agents of the conversation together. */
  readonly conversationLimits: SpendLimits
  /** Ms since the epoch. */
  readonly now: number
}

/** The spending of an agent with all agents below it; nothing if the agent is unknown. */
export function spentBy(agentId: string, states: Iterable<AgentState>): Spent {
  const all = byId(states)
  const agent = all.get(agentId)
  const [spent] = agent === undefined ? [] : spentAlong([agent], all)
  return spent ?? spentOf(nothing(), agent)
}

/** The spending of all agents of a conversation; the time is the main agent's. */
export function spentIn(states: Iterable<AgentState>): Spent {
  const sum = nothing()
  let main: AgentState | undefined
  for (const state of states) {
    addTo(sum, ownOf(state))
    if (state.parentId === null) main ??= state
    else sum.spawns += 1
  }
  return spentOf(sum, main)
}

/** All limits that apply to an agent: its own, those of each agent above it, and last the conversation's. */
export function limitsAbove({
  agentId,
  states,
  conversationLimits,
}: Omit<SpendingQuestion, 'now'>): readonly LimitsAbove[] {
  const all = byId(states)
  const line = lineOf(agentId, all)
  const spent = spentAlong(line, all)
  const agents = line.map(
    (agent, index): LimitsAbove => ({
      of: index === 0 ? 'agent' : 'parent',
      agentId: agent.id,
      limits: agent.limits,
      spent: spent[index] ?? spentOf(nothing(), agent),
    }),
  )
  const ofAll = spentIn(all.values())
  return [...agents, { of: 'conversation', agentId: null, limits: conversationLimits, spent: ofAll }]
}

/**
 * The reached limit that ends this agent, or null. Its own limits come first, then those of agents above it, then the
 * conversation's.
 */
export function firstReached(question: SpendingQuestion): UsedLimit | null {
  return usedLimits(question).find((used) => shareOf(used) >= 1) ?? null
}

/** The limit of an agent with the largest share spent; null if there is no limit. */
export function mostSpent(question: SpendingQuestion): UsedLimit | null {
  return mostUsed(usedLimits(question))
}

/** The limit with the largest share spent; the first if several are equal. */
export function mostUsed(used: readonly UsedLimit[]): UsedLimit | null {
  return used.reduce<UsedLimit | null>(
    (most, one) => (most === null || shareOf(one) > shareOf(most) ? one : most),
    null,
  )
}

/** The share of a limit that is spent: 0 to 1, or more if the limit was exceeded. */
export function shareOf({ spent, most }: UsedLimit): number {
  return spent / most
}

/** The set limits of tokens, money and time, each with the spending against it. */
export function usedOf({ of, agentId, limits, spent }: LimitsAbove, now: number): readonly UsedLimit[] {
  const whose = { of, agentId }
  return [
    limits.tokens === null
      ? null
      : { ...whose, limit: 'tokens', most: limits.tokens, spent: spent.tokens, counted: true },
    limits.usd === null
      ? null
      : { ...whose, limit: 'money', most: limits.usd, spent: spent.usd, counted: spent.priced },
    limits.ms === null
      ? null
      : { ...whose, limit: 'time', most: limits.ms, spent: spent.ms(now), counted: true },
  ].filter((used): used is UsedLimit => used !== null)
}

/** "the agent's limit of 5,000,000 tokens", "the conversation's limit of $20". Completes "stopped at …". */
export function describeLimit({
  limit,
  of,
  most,
}: {
  readonly limit: UsedLimit['limit'] | 'turns'
  readonly of: LimitOwner
  readonly most: number
}): string {
  const amount = formatAmount(limit, most)
  return of === 'parent'
    ? `the limit of ${amount} that an agent above it has`
    : `the ${of}'s limit of ${amount}`
}

/** "5,000,000 tokens", "$20", "$0.50", "90 minutes", "20 turns". A time is given in ms. */
export function formatAmount(of: UsedLimit['limit'] | 'turns', amount: number): string {
  switch (of) {
    case 'tokens':
      return countOf(amount, 'token')
    case 'turns':
      return countOf(amount, 'turn')
    case 'money':
      return moneyText(amount)
    case 'time':
      return amount % 60_000 === 0 || amount > 600_000
        ? countOf(Math.round(amount / 6000) / 10, 'minute')
        : countOf(Math.round(amount / 100) / 10, 'second')
  }
}

function moneyText(usd: number): string {
  if (Number.isInteger(usd)) return `$${usd.toLocaleString('en')}`
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: usd < 0.01 ? 6 : 2 })}`
}

/** Limits of which some are changed. A money limit that somebody chose is no default. */
export function changedLimits(
  limits: SpendLimits,
  changes: { readonly [K in keyof SpendLimits]?: SpendLimits[K] | undefined },
): SpendLimits {
  const { usdByDefault: _, ...own } = limits
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...(changes.usd === undefined ? limits : own), ...Object.fromEntries(given) }
}

interface Sum {
  tokens: number
  usd: number
  priced: boolean
  spawns: number
}

const nothing = (): Sum => ({ tokens: 0, usd: 0, priced: true, spawns: 0 })

function addTo(sum: Sum, { tokens, usd, priced }: Omit<Sum, 'spawns'>): void {
  sum.tokens += tokens
  sum.usd += usd
  sum.priced &&= priced
}

const ownOf = ({ countedTokens, costUsd, priced }: AgentState) => ({
  tokens: countedTokens,
  usd: costUsd,
  priced,
})

/** A sum with its agent's own time. */
function spentOf(sum: Sum, agent: AgentState | undefined): Spent {
  return {
    ...sum,
    ms: (now) => (agent === undefined ? 0 : periodUntil(agent, now)),
    totalMs: (now) => (agent === undefined ? 0 : workedUntil(agent, now)),
  }
}

function usedLimits({ now, ...question }: SpendingQuestion): readonly UsedLimit[] {
  return limitsAbove(question).flatMap((limits) => usedOf(limits, now))
}

function byId(states: Iterable<AgentState>): ReadonlyMap<string, AgentState> {
  return new Map([...states].map((state) => [state.id, state]))
}

/** The agent, its parent, and so on up to the main agent. */
function lineOf(agentId: string, all: ReadonlyMap<string, AgentState>): readonly AgentState[] {
  const line = new Set<AgentState>()
  let agent = all.get(agentId)
  while (agent !== undefined && !line.has(agent)) {
    line.add(agent)
    agent = agent.parentId === null ? undefined : all.get(agent.parentId)
  }
  return [...line]
}

/**
 * The spending of a chain of agents from parent to child. Each agent is counted where its ancestors meet the chain,
 * and each sum is added to the agent above.
 */
function spentAlong(line: readonly AgentState[], all: ReadonlyMap<string, AgentState>): readonly Spent[] {
  const sums = line.map(nothing)
  const locations = new Map(line.map((agent, index) => [agent.id, index]))
  const sumOf = (location: number | null | undefined) => (location == null ? undefined : sums[location])
  const meetings = new Map<string, number | null>(locations)
  for (const state of all.values()) {
    const sum = sumOf(meetingOf(state, { meetings, all }))
    if (sum !== undefined) addTo(sum, ownOf(state))
    const parent = sumOf(locations.get(state.parentId ?? ''))
    if (parent !== undefined) parent.spawns += 1
  }
  sums.forEach((sum, index) => {
    const above = sums[index + 1]
    if (above !== undefined) addTo(above, sum)
  })
  return sums.map((sum, index) => spentOf(sum, line[index]))
}

interface Meetings {
  /** For each visited agent the link of the chain that its ancestors meet; null: none. Grows. */
  readonly meetings: Map<string, number | null>
  readonly all: ReadonlyMap<string, AgentState>
}

/** The result is stored for all agents on the path, so that each is visited once. */
function meetingOf(state: AgentState, { meetings, all }: Meetings): number | null {
  const path: string[] = []
  let agent: AgentState | undefined = state
  while (agent !== undefined && !meetings.has(agent.id)) {
    path.push(agent.id)
    meetings.set(agent.id, null)
    agent = agent.parentId === null ? undefined : all.get(agent.parentId)
  }
  const meeting = agent === undefined ? null : (meetings.get(agent.id) ?? null)
  for (const id of path) meetings.set(id, meeting)
  return meeting
}
