/** The main agent of the conversation on the screen, or of the next new one: Troupe's own, or an external agent. */
import type { DefinitionInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { useConversation } from '../conversation-store.ts'
import { type SessionState, useSession } from '../session-store.ts'
import { isOutside } from '../text/program-text.ts'
import { useStable } from '../use-stable.ts'
import { coordinatesNext } from './coordinator-mode.ts'

/** The main agent of the next new conversation, by name; null: Troupe's own. The settings don't count in coordinator mode. */
export function mainAgentNext(
  state: Pick<SessionState, 'draft' | 'settings' | 'info' | 'access'>,
): string | null {
  const { draft, settings, access } = state
  if (draft.mainAgent !== undefined) return draft.mainAgent
  return coordinatesNext(state) || access.kind === 'rehearsal' ? null : settings.mainAgent
}

/** The external agents that can be started in this folder. */
export function useOutsideDefinitions(): readonly DefinitionInfo[] {
  return useSession(
    useStable(
      ({ definitions }) => definitions.filter(({ isProgram, hidden }) => isProgram === true && !hidden),
      (a, b) => a.length === b.length && a.every((one, index) => one === b[index]),
    ),
  )
}

/** The main agent of the conversation on the screen, if an external agent carries it out. */
export function useOutsideMain(): AgentState | null {
  return useConversation(({ agents, record }) => {
    const main = agents.get(record?.mainAgentId ?? '')
    return main !== undefined && isOutside(main) ? main : null
  })
}

/** Whether the main agent needs no model of Troupe: it is an external agent, here or in the next conversation. */
export function useNeedsNoModel(): boolean {
  const hasMain = useConversation(({ agents, record }) => agents.has(record?.mainAgentId ?? ''))
  const outside = useOutsideMain() !== null
  const next = useSession((state) => {
    const name = mainAgentNext(state)
    return state.definitions.some((one) => one.isProgram === true && one.name === name)
  })
  return hasMain ? outside : next
}

/** Chooses the main agent of the next new conversation; null: Troupe's own. */
export function chooseMainAgent(name: string | null): void {
  useSession.setState(({ draft }) => ({ draft: { ...draft, mainAgent: name } }))
}
