/** Stops the clock of parents while all subagents that they wait for wait for a usage limit. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { AgentRegistry } from '../agent/agent-registry.ts'

/** Called when an agent began or ended such a wait. Children come before their parents. */
export function holdParents(agents: AgentRegistry): void {
  const waits = new Map<string, boolean>()
  for (const handle of agents.all().toReversed()) {
    const state = handle.state()
    const areAllResting = waits.get(state.id)
    const { agent } = handle
    if (areAllResting !== undefined && agent !== null && waitsForOthers(state)) {
      const waitingFor = areAllResting ? 'limit' : 'children'
      if (state.waitingFor !== waitingFor)
        agent.emit({ type: 'status-changed', status: 'waiting', waitingFor })
    }
    const { parentId } = state
    if (parentId === null || !handle.isAwaited || !isLive(state)) continue
    waits.set(parentId, (waits.get(parentId) ?? true) && handle.state().waitingFor === 'limit')
  }
}

/** Whether the agent makes no request itself: it waits for its subagents, or with them. */
const waitsForOthers = ({ status, waitingFor, retry }: AgentState): boolean =>
  status === 'waiting' && (waitingFor === 'children' || (waitingFor === 'limit' && retry === null))
