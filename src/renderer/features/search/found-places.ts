/** What a search has found: its order, and the rows of the list. */
import type { SearchedAgent, SearchedConversation, SearchHit } from '../../../shared/search/search.ts'

export interface AgentHits extends SearchedAgent {
  readonly hits: readonly SearchHit[]
}

export interface FoundConversation extends SearchedConversation {
  readonly agents: readonly AgentHits[]
  readonly places: number
}

/** By the last use of a conversation; `best`: see `sortFound`. */
export const searchOrders = ['newest', 'oldest', 'best'] as const
export type SearchOrder = (typeof searchOrders)[number]

/** Hits of an agent that are shown until the user asks for more. */
const SHOWN = 4

export type ResultRow =
  | { readonly kind: 'conversation'; readonly conversation: FoundConversation }
  | { readonly kind: 'agent'; readonly agent: AgentHits }
  | { readonly kind: 'hit'; readonly hit: SearchHit; readonly agent: AgentHits }
  /** `lost`: further places, which the search has counted and not kept. */
  | { readonly kind: 'more'; readonly agent: AgentHits; readonly hidden: number; readonly lost: number }

export const agentKey = ({ conversationId, id }: Pick<SearchedAgent, 'conversationId' | 'id'>): string =>
  `${conversationId} ${id}`

/** The rows of the list of results. */
export function resultRows(
  found: readonly FoundConversation[],
  opened: ReadonlySet<string>,
): readonly ResultRow[] {
  const rows: ResultRow[] = []
  for (const conversation of found) {
    rows.push({ kind: 'conversation', conversation })
    for (const agent of conversation.agents) {
      rows.push({ kind: 'agent', agent })
      const shown = opened.has(agentKey(agent)) ? agent.hits : agent.hits.slice(0, SHOWN)
      for (const hit of shown) rows.push({ kind: 'hit', hit, agent })
      const hidden = agent.hits.length - shown.length
      const lost = agent.places - agent.hits.length
      if (hidden + lost > 0) rows.push({ kind: 'more', agent, hidden, lost })
    }
  }
  return rows
}

/**
 * Puts what was found into an order. The best match first: where the title has the text, then where a word is as the user
 * typed it, then with the most places.
 */
export function sortFound(
  found: readonly FoundConversation[],
  order: SearchOrder,
  text: string,
): readonly FoundConversation[] {
  if (order !== 'best') {
    const sign = order === 'newest' ? -1 : 1
    return [...found]
      .sort((one, other) => sign * (one.updatedAt - other.updatedAt))
      .map((one) => withHits(one, (a, b) => sign * (a.at - b.at)))
  }
  const wanted = text.trim()
  const isWord = new RegExp(`(?<![\\p{L}\\p{N}_])${escapeRegExp(wanted)}(?![\\p{L}\\p{N}_])`, 'u')
  const worth = ({ line }: SearchHit) => (isWord.test(line) ? 2 : line.includes(wanted) ? 1 : 0)
  const best = ({ title, agents }: FoundConversation) =>
    (title.toLowerCase().includes(wanted.toLowerCase()) ? 4 : 0) +
    agents.reduce((most, { hits }) => Math.max(most, ...hits.map(worth)), 0)
  return found
    .map((one) => withHits(one, (a, b) => worth(b) - worth(a) || b.at - a.at))
    .map((one) => ({ one, worth: best(one) }))
    .sort((a, b) => b.worth - a.worth || b.one.places - a.one.places || b.one.updatedAt - a.one.updatedAt)
    .map(({ one }) => one)
}

const withHits = (
  one: FoundConversation,
  compare: (a: SearchHit, b: SearchHit) => number,
): FoundConversation => ({
  ...one,
  agents: one.agents.map((agent) => ({ ...agent, hits: [...agent.hits].sort(compare) })),
})

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
