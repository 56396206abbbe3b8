/** Agents of the shown conversation that wait for a usage limit of the API. */
import { useShallow } from 'zustand/react/shallow'
import { isLimited, limitedInOrder } from '../../shared/state/limit-wait.ts'
import { useConversation } from './conversation-store.ts'

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
