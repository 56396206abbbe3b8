/** The limits of conversations: the shown limits, and commands to change them. */
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { SpendLimits } from '../../shared/events/agent-event.ts'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import { moneyLimit, defaultLimits as standard } from '../../shared/settings/limit-amounts.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { isLimited, limitedInOrder } from '../../shared/state/limit-wait.ts'
import { command } from '../bridge.ts'
import { useConversation } from './conversation-store.ts'
import { receiveSession } from './session-feed.ts'
import { useSession } from './session-store.ts'

export const useLimits = create<{
  /** The conversation whose limits are shown; null: none. */
  readonly shownFor: string | null
}>()(() => ({ shownFor: null }))

/** Shows the limits of a conversation, for changing them. */
export function openLimits(conversationId: string): void {
  useLimits.setState({ shownFor: conversationId })
}

export function closeLimits(): void {
  useLimits.setState({ shownFor: null })
}

/** Sets the limits; null: the limits of the settings. The caller shows a failure. */
export async function setLimits(
  conversationId: string,
  limits: SpendLimits | null,
): Promise<Answer<ConversationSummary>> {
  const answer = await command('conversation.setLimits', { conversationId, limits })
  if (answer.ok) receiveSession([{ type: 'conversation', summary: answer.value }])
  return answer
}

/** The limits of all agents of the shown conversation together. */
export function useConversationLimits(): SpendLimits {
  const conversationId = useConversation((state) => state.conversationId)
  const recorded = useConversation((state) => state.record?.limits ?? null)
  // A summary comes with every change of a conversation, mostly with the same limits.
  const summarized = useSession(
    useShallow((state) => state.conversations.find((summary) => summary.id === conversationId)?.limits),
  )
  const defaults = useDefaultLimits()
  return summarized ?? recorded ?? defaults
}

/** The current limits of the shown conversation, for code outside components. */
export function conversationLimitsNow(): SpendLimits {
  const { conversationId, record } = useConversation.getState()
  const { conversations, settings } = useSession.getState()
  const summarized = conversations.find((summary) => summary.id === conversationId)?.limits
  return summarized ?? record?.limits ?? defaultLimits(settings)
}

/** The default limits of a conversation. */
export function useDefaultLimits(): SpendLimits {
  return useSession(useShallow((state) => defaultLimits(state.settings)))
}

function defaultLimits(settings: Settings): SpendLimits {
  const { conversationTokens, conversationUsd, conversationMinutes } = settings
  return {
    tokens: conversationTokens,
    ...moneyLimit(conversationUsd, standard.conversationUsd),
    ms: conversationMinutes === null ? null : conversationMinutes * 60_000,
    spawns: null,
  }
}

/**
 * Summaries contain the limits in effect. A change of the default limits also changes summaries with the old defaults.
 */
useSession.subscribe((now, before) => {
  if (now.settings === before.settings) return
  const [was, is] = [defaultLimits(before.settings), defaultLimits(now.settings)]
  if (isSame(was, is) || !now.conversations.some(({ limits }) => isSame(limits, was))) return
  useSession.setState({
    conversations: now.conversations.map((summary) =>
      isSame(summary.limits, was) ? { ...summary, limits: is } : summary,
    ),
  })
})

function isSame(a: SpendLimits, b: SpendLimits): boolean {
  return (
    a.tokens === b.tokens &&
    a.usd === b.usd &&
    a.usdByDefault === b.usdByDefault &&
    a.ms === b.ms &&
    a.spawns === b.spawns
  )
}

// Agents of the shown conversation that wait for a usage limit of the API.

/** The place of an agent among those that wait, from 1, and their number; null: it does not wait. */
export function useLimitPlace(agentId: string): { readonly place: number; readonly of: number } | null {
  const [place, of] = useConversation(
    useShallow(({ agents }) => {
      const agent = agents.get(agentId)
      if (agent === undefined || !isLimited(agent)) return [0, 0]
      const waiting = limitedInOrder(agents.values())
      return [waiting.findIndex(({ id }) => id === agentId) + 1, waiting.length]
    }),
  )
  return place === undefined || of === undefined || place === 0 ? null : { place, of }
}

/** The number of agents that wait, and the latest end of their limit, ms since the epoch; null: none waits. */
export function useLimited(): { readonly agents: number; readonly until: number } | null {
  const [agents, until] = useConversation(
    useShallow((state) => {
      let [count, latest] = [0, 0]
      for (const agent of state.agents.values())
        if (isLimited(agent)) {
          count += 1
          latest = Math.max(latest, agent.retry.at)
        }
      return [count, latest]
    }),
  )
  return agents === undefined || until === undefined || agents === 0 ? null : { agents, until }
}
