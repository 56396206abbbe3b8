/** The answered permission requests of the conversation on the screen. */
import { useMemo } from 'react'
import type { AnsweredRequest } from '../../../shared/state/answered-request.ts'
import { useConversation } from '../../stores/conversation-store.ts'

export interface AnsweredByAgent extends AnsweredRequest {
  readonly agentId: string
  /** Its key in the queue, where the same request may still be a pending place. */
  readonly key: string
}

const MOST = 50

/** Newest first. The same array until another request is answered. */
export function useAnswered(): readonly AnsweredByAgent[] {
  const version = useConversation(({ agents }) => {
    let last = ''
    let amount = 0
    for (const { answered } of agents.values()) {
      amount += answered.length
      last += `${answered.at(-1)?.requestId ?? ''},`
    }
    return `${amount} ${last}`
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the answers
  return useMemo(() => {
    const all: AnsweredByAgent[] = []
    for (const [agentId, { answered }] of useConversation.getState().agents)
      for (const one of answered) all.push({ ...one, agentId, key: `answered ${one.requestId}` })
    return all.sort((a, b) => b.at - a.at).slice(0, MOST)
  }, [version])
}

/** How a request was answered; null: it is open, or was withdrawn. */
export function useOutcome(agentId: string, requestId: string): AnsweredRequest | null {
  return useConversation(
    ({ agents }) => agents.get(agentId)?.answered.find((one) => one.requestId === requestId) ?? null,
  )
}
