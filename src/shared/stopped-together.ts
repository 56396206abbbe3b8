import type { AgentState } from './agent-state.ts'

/** The agents of the last stop by the user or the closing program that were not resumed since, in the order given. */
export function stoppedTogether(states: Iterable<AgentState>): readonly AgentState[] {
  const stopped = [...states].filter(({ stopId }) => stopId !== null)
  const last = stopped.reduce<AgentState | null>(
    (latest, state) => ((state.endedAt ?? 0) >= (latest?.endedAt ?? 0) ? state : latest),
    null,
  )
  return stopped.filter(({ stopId }) => stopId === last?.stopId)
}
