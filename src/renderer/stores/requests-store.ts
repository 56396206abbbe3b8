/**
 * What agents of all conversations and folders ask the user. The conversation on the screen has its own events; those of
 * the others are asked for when their entries in the list say that something is open, or was.
 */
import { useMemo } from 'react'
import { create } from 'zustand'
import type { ConversationRequests } from '../../shared/conversations/contract.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import { command, LatestAnswer } from '../bridge.ts'
import { DelayedCall } from '../ui/machine.ts'
import { type Need, useConversation } from './conversation-store.ts'
import { useSession } from './session-store.ts'

/** A permission request or a form with the agent that asks, of any conversation. */
export type Asked = Need & {
  readonly conversationId: string
  readonly agent: AgentState
  /** Of another conversation than the one on the screen: its title and its folder. */
  readonly elsewhere: Pick<ConversationRequests, 'title' | 'folder'> | null
}

interface RequestsState {
  /** As they were asked for last, the conversation on the screen included. */
  readonly conversations: readonly ConversationRequests[]
}

export const useRequests = create<RequestsState>()(() => ({ conversations: [] }))

const latest = new LatestAnswer()

export async function loadRequests(): Promise<void> {
  const isLatest = latest.begin()
  const answer = await command('conversation.requests', {})
  // A failure leaves what is known: the next change of a conversation asks again.
  if (isLatest() && answer.ok) useRequests.setState({ conversations: answer.value })
}

/** Many agents may ask within a moment. In ms. */
const PATIENCE = 60

const loading = new DelayedCall(() => void loadRequests(), PATIENCE)

/** Asks again after changes that may concern requests of other conversations. Before the session takes the changes. */
export function followRequests(deltas: readonly WindowDelta[]): void {
  const { conversations } = useRequests.getState()
  const had = (id: string) => conversations.some(({ conversationId }) => conversationId === id)
  const concerns = (delta: WindowDelta): boolean =>
    delta.type === 'conversation'
      ? delta.summary.requests > 0 || had(delta.summary.id)
      : delta.type === 'conversation-gone' && had(delta.conversationId)
  if (deltas.some(concerns)) loading.schedule()
}

/** Everything that waits for the user: that of the conversation on the screen first, then that of the others. */
export function useAsked(): readonly Asked[] {
  const conversationId = useConversation((state) => state.conversationId)
  const needs = useConversation((state) => state.needs)
  // The requests of a past moment are no longer open: those of now come with the other conversations.
  const isPast = useConversation((state) => state.pastAt !== null)
  const isScratch = useSession((state) => state.scratch !== null)
  const conversations = useRequests((state) => state.conversations)
  return useMemo(() => {
    const { agents } = useConversation.getState()
    // A scratch conversation shows its requests beside the editor.
    const own = isScratch || isPast || conversationId === null ? [] : needs
    return [
      ...own.flatMap((need): readonly Asked[] => {
        const agent = agents.get(need.agentId)
        return agent === undefined || conversationId === null
          ? []
          : [{ ...need, conversationId, agent, elsewhere: null }]
      }),
      ...conversations.flatMap((one) =>
        one.conversationId === conversationId && !isPast ? [] : askedIn(one),
      ),
    ]
  }, [needs, conversations, conversationId, isScratch, isPast])
}

function askedIn({ conversationId, title, folder, agents }: ConversationRequests): readonly Asked[] {
  const asked: Asked[] = []
  const elsewhere = { title, folder }
  for (const agent of agents) {
    const common = { conversationId, agentId: agent.id, agent, elsewhere }
    for (const request of agent.requests) asked.push({ ...common, request })
    for (const form of agent.forms) asked.push({ ...common, form })
  }
  return asked
}
