/** Gets the user's attention: always through the title, and by system notifications while the window is in the background. */
import { useEffect } from 'react'
import { isLive } from '../../shared/agent-state.ts'
import { agentName } from '../stores/agent-text.ts'
import { type ShownConversation, useConversation } from '../stores/conversation-store.ts'
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

/** Notifies of the conversation on the screen: a permission request, a failure, the end of all agents. */
function watchConversation(state: ShownConversation, before: ShownConversation): void {
  if (isInFront() || state.phase !== 'ready' || before.phase !== 'ready') return
  if (state.conversationId !== before.conversationId || state.agents === before.agents) return
  const title = state.record?.title ?? 'Troupe'
  const question = state.needs.find(
    (need) => !before.needs.includes(need) && !wasAsked(before, need.request.requestId),
  )
  if (question !== undefined) {
    const agent = state.agents.get(question.agentId)
    const name = agent === undefined ? 'An agent' : agentName(agent)
    notify(`${name} needs your permission`, `${title}: wants to ${question.request.subject.action}.`)
    return
  }
  for (const agent of state.agents.values()) {
    const earlier = before.agents.get(agent.id)
    if (agent.status === 'failed' && earlier !== undefined && earlier.status !== 'failed') {
      notify(`${agentName(agent)} failed`, `${title}: ${agent.failure?.message ?? 'unknown reason'}`)
      return
    }
  }
  if (countLive(before) > 0 && countLive(state) === 0) notify('All agents are done', title)
}

/** Notifies of the other conversations, which run in the background. */
function watchOthers(state: SessionState, before: SessionState): void {
  if (isInFront() || state.conversations === before.conversations) return
  for (const summary of state.conversations) {
    if (summary.id === state.conversationId) continue
    const earlier = before.conversations.find((other) => other.id === summary.id)
    if (earlier === undefined) continue
    if (summary.requests > earlier.requests)
      notify(`${summary.title} needs your permission`, 'An agent waits for your answer.')
    else if (summary.running === 0 && earlier.running > 0) notify('All agents are done', summary.title)
  }
}

/** A hidden window may still have the focus. */
function isInFront(): boolean {
  return document.hasFocus() && document.visibilityState === 'visible'
}

function wasAsked(state: ShownConversation, requestId: string): boolean {
  return state.needs.some((need) => need.request.requestId === requestId)
}

function countLive(state: ShownConversation): number {
  let live = 0
  for (const agent of state.agents.values()) if (isLive(agent)) live += 1
  return live
}
