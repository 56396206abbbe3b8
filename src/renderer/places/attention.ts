/** Calls the person back: the title always, the system's notifications while the window is not in front. */
import { useEffect } from 'react'
import { isLive } from '../../shared/agent-state.ts'
import { agentName } from '../stores/agent-words.ts'
import { type ConversationState, useConversation } from '../stores/conversation-store.ts'
import { notify } from '../stores/notify.ts'
import { type SessionState, useSession } from '../stores/session-store.ts'

export function useAttention(): void {
  useTitle()
  useEffect(() => {
    const unwatch = [useConversation.subscribe(watchConversation), useSession.subscribe(watchOthers)]
    return () => {
      for (const stop of unwatch) stop()
    }
  }, [])
}

function useTitle(): void {
  const needs = useConversation((state) => state.needs.length)
  const title = useConversation((state) => state.record?.title)
  useEffect(() => {
    document.title = `${needs > 0 ? `(${needs}) ` : ''}${title === undefined ? '' : `${title} — `}Troupe`
  }, [needs, title])
}

/** The conversation on the screen: a question, a failure, all done. */
function watchConversation(state: ConversationState, before: ConversationState): void {
  if (isLookedAt() || state.phase !== 'ready' || before.phase !== 'ready') return
  if (state.conversationId !== before.conversationId || state.agents === before.agents) return
  const title = state.record?.title ?? 'Troupe'
  const question = state.needs.find(
    (need) => !before.needs.includes(need) && !wasAsked(before, need.prompt.promptId),
  )
  if (question !== undefined) {
    const agent = state.agents.get(question.agentId)
    const name = agent === undefined ? 'An agent' : agentName(agent)
    notify(`${name} needs your permission`, `${title}: it wants to ${question.prompt.subject.action}.`)
    return
  }
  for (const agent of state.agents.values()) {
    const earlier = before.agents.get(agent.id)
    if (agent.status === 'failed' && earlier !== undefined && earlier.status !== 'failed') {
      notify(`${agentName(agent)} failed`, `${title}: ${agent.failure?.message ?? 'no reason was given'}`)
      return
    }
  }
  if (countLive(before) > 0 && countLive(state) === 0) notify('All agents are done', title)
}

/** Other conversations go on by themselves too. */
function watchOthers(state: SessionState, before: SessionState): void {
  if (isLookedAt() || state.conversations === before.conversations) return
  for (const summary of state.conversations) {
    if (summary.id === state.conversationId) continue
    const earlier = before.conversations.find((other) => other.id === summary.id)
    if (earlier === undefined) continue
    if (summary.prompts > earlier.prompts)
      notify(`${summary.title} needs your permission`, 'An agent waits for your word.')
    else if (summary.running === 0 && earlier.running > 0) notify('All agents are done', summary.title)
  }
}

/** A window that is hidden may still have the focus. */
function isLookedAt(): boolean {
  return document.hasFocus() && document.visibilityState === 'visible'
}

function wasAsked(state: ConversationState, promptId: string): boolean {
  return state.needs.some((need) => need.prompt.promptId === promptId)
}

function countLive(state: ConversationState): number {
  let live = 0
  for (const agent of state.agents.values()) if (isLive(agent)) live += 1
  return live
}
