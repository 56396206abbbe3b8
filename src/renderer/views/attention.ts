/** Gets the user's attention: always through the title, and by system notifications while the window is in the background. */

import { useEffect } from 'react'
import { formAction, formLine } from '../../shared/forms/form.ts'
import { isLive } from '../../shared/state/agent-state.ts'
import {
  agentMention,
  needId,
  type ShownConversation,
  useConversation,
} from '../stores/conversation-store.ts'
import { useSession } from '../stores/session-store.ts'
import { notify } from '../stores/shown-conversation.ts'

export function useAttention(): void {
  useTitle()
  useEffect(() => useConversation.subscribe(watchConversation), [])
}

function useTitle(): void {
  const needs = useConversation((state) => state.needs.length)
  const title = useConversation((state) => state.record?.title)
  // The folder tells several windows apart.
  const folder = useSession((state) => state.folder?.name)
  useEffect(() => {
    const parts = [title, folder, 'Troupe'].filter((part) => part !== undefined)
    document.title = `${needs > 0 ? `(${needs}) ` : ''}${parts.join(' — ')}`
  }, [needs, title, folder])
}

/**
 * Notifies of the conversation on the screen: a permission request or a form, a failure, the end of all agents. The main process
 * notifies of conversations that no window shows.
 */
function watchConversation(state: ShownConversation, before: ShownConversation): void {
  if (isInFront() || state.phase !== 'ready' || before.phase !== 'ready') return
  if (state.conversationId !== before.conversationId || state.agents === before.agents) return
  // A past moment is no news.
  if (state.pastAt !== null || before.pastAt !== null) return
  const title = state.record?.title ?? 'Troupe'
  const question = state.needs.find((need) => !before.needs.includes(need) && !wasAsked(before, needId(need)))
  if (question !== undefined) {
    const agent = state.agents.get(question.agentId)
    const name = agent === undefined ? 'An agent' : agentMention(agent, state.agents)
    const { request, form } = question
    if (request) notify(`${name} needs your permission`, `${title}: wants to ${request.subject.action}.`)
    else notify(`${name} ${formAction(form.form)}`, `${title}: ${formLine(form.form)}`)
    return
  }
  for (const agent of state.agents.values()) {
    const earlier = before.agents.get(agent.id)
    if (agent.status === 'failed' && earlier !== undefined && earlier.status !== 'failed') {
      notify(
        `${agentMention(agent, state.agents)} failed`,
        `${title}: ${agent.failure?.message ?? 'unknown reason'}`,
      )
      return
    }
  }
  if (countLive(before) > 0 && countLive(state) === 0) notify('All agents are done', title)
}

/** A hidden window may still have the focus. */
function isInFront(): boolean {
  return document.hasFocus() && document.visibilityState === 'visible'
}

function wasAsked(state: ShownConversation, id: string): boolean {
  return state.needs.some((need) => needId(need) === id)
}

function countLive(state: ShownConversation): number {
  let live = 0
  for (const agent of state.agents.values()) if (isLive(agent)) live += 1
  return live
}
