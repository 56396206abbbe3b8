/** Announces the results of the user's actions to screen readers: paused, running again, stopped. */
import { useEffect, useState } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { agentMention, useConversation } from '../../stores/conversation-store.ts'

/** More agents than this are counted instead of named. */
const MAX_NAMED = 2

/** Rendered once per window, for screen readers only. */
export function AgentAnnouncer() {
  const [text, setText] = useState('')
  useEffect(
    () =>
      useConversation.subscribe((now, before) => {
        // Switching the conversation is no change of its agents.
        if (now.agents === before.agents || now.conversationId !== before.conversationId) return
        const news = newsOf(before.agents, now.agents)
        if (news !== '') setText(news)
      }),
    [],
  )
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  )
}

type News = 'paused' | 'working again' | 'stopped' | 'in the background'

function newsOf(before: ReadonlyMap<string, AgentState>, now: ReadonlyMap<string, AgentState>): string {
  const named = new Map<News, string[]>()
  for (const agent of now.values()) {
    const old = before.get(agent.id)
    const news = old === undefined || old === agent ? null : changeOf(old, agent)
    if (news !== null) named.set(news, [...(named.get(news) ?? []), agentMention(agent, now)])
  }
  return [...named].map(([news, names]) => sentence(names, news)).join(' ')
}

function changeOf(before: AgentState, now: AgentState): News | null {
  if (now.background === 'moved' && before.background !== 'moved') return 'in the background'
  if (now.status === before.status) return null
  if (now.status === 'paused' || now.status === 'stopped') return now.status
  const wasInactive = before.status === 'paused' || before.endedAt !== null
  return wasInactive && now.status === 'running' ? 'working again' : null
}

function sentence(names: readonly string[], news: News): string {
  if (names.length > MAX_NAMED) return `${names.length} agents are ${news}.`
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} ${news}.`
}
