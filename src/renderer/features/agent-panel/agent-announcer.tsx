/** Tells a screen reader what became of what the person did with an agent: that it rests, goes on, is stopped. */
import { useEffect, useState } from 'react'
import type { AgentState } from '../../../shared/agent-state.ts'
import { agentName } from '../../stores/agent-words.ts'
import { useConversation } from '../../stores/conversation-store.ts'

/** Above this many at once they are counted, not named. */
const NAMED = 2

/** Once in the window. It is heard, not seen. */
export function AgentAnnouncer() {
  const [words, setWords] = useState('')
  useEffect(
    () =>
      useConversation.subscribe((now, before) => {
        // Another conversation is no news about its agents.
        if (now.agents === before.agents || now.conversationId !== before.conversationId) return
        const news = newsOf(before.agents, now.agents)
        if (news !== '') setWords(news)
      }),
    [],
  )
  return (
    <div role="status" className="sr-only">
      {words}
    </div>
  )
}

type News = 'paused' | 'working again' | 'stopped' | 'in the background'

function newsOf(before: ReadonlyMap<string, AgentState>, now: ReadonlyMap<string, AgentState>): string {
  const named = new Map<News, string[]>()
  for (const agent of now.values()) {
    const old = before.get(agent.id)
    const news = old === undefined || old === agent ? null : changeOf(old, agent)
    if (news !== null) named.set(news, [...(named.get(news) ?? []), agentName(agent)])
  }
  return [...named].map(([news, names]) => sentence(names, news)).join(' ')
}

function changeOf(before: AgentState, now: AgentState): News | null {
  if (now.background === 'moved' && before.background !== 'moved') return 'in the background'
  if (now.status === before.status) return null
  if (now.status === 'paused' || now.status === 'stopped') return now.status
  const rested = before.status === 'paused' || before.endedAt !== null
  return rested && now.status === 'running' ? 'working again' : null
}

function sentence(names: readonly string[], news: News): string {
  if (names.length > NAMED) return `${names.length} agents are ${news}.`
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} ${news}.`
}
