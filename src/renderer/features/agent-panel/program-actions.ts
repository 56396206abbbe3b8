/** The user's actions on the program of an agent: choose a mode or a model of its own, log in. Failures are shown. */

import { create } from 'zustand'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'

/** The actions in progress: a second press does nothing. */
export const useProgramActions = create<{ readonly busy: ReadonlySet<string> }>()(() => ({
  busy: new Set(),
}))

/** Sets an option of the program's session. The agent's state shows the new value when the program confirms it. */
export function setProgramOption(agentId: string, optionId: string, value: string): Promise<void> {
  return once(`${agentId} ${optionId}`, async (conversationId) => {
    const answer = await command('agent.setProgramOption', { conversationId, agentId, optionId, value })
    if (!answer.ok) showFailure(answer.failure)
  })
}

/** Logs in with a method of the program. The program then begins by itself. */
export function logIn(agentId: string, methodId: string): Promise<void> {
  return once(loginKey(agentId, methodId), async (conversationId) => {
    const answer = await command('agent.login', { conversationId, agentId, methodId })
    if (!answer.ok) showFailure(answer.failure)
  })
}

/** The key of a login among the actions in progress. */
export const loginKey = (agentId: string, methodId: string): string => `login ${agentId} ${methodId}`

async function once(key: string, act: (conversationId: string) => Promise<void>): Promise<void> {
  const { conversationId } = useConversation.getState()
  const { busy } = useProgramActions.getState()
  if (conversationId === null || busy.has(key)) return
  useProgramActions.setState({ busy: new Set([...busy, key]) })
  try {
    await act(conversationId)
  } finally {
    const left = new Set(useProgramActions.getState().busy)
    left.delete(key)
    useProgramActions.setState({ busy: left })
  }
}
