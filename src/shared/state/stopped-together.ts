import type { AgentState } from './agent-state.ts'

/**
 * The stop of agents whose program died, as a reader sees them before the conversation is opened. Opening it logs
 * their end, with an id of its own.
 */
export const DIED = 'died'

/**
 * The agents of the last stop that were not resumed since, in the order given. A stop is by the user or the closing
 * program; the death of the program counts as one. Subagents that an external agent started by itself are left
 * out: only that program can start them again.
 */
export function stoppedTogether(states: Iterable<AgentState>): readonly AgentState[] {
  const stopped = [...states].filter(({ stopId, child }) => stopId !== null && child === null)
  const last = stopped.reduce<AgentState | null>(
    (latest, state) => (latest === null || endOf(state) >= endOf(latest) ? state : latest),
    null,
  )
  return stopped.filter(({ stopId }) => stopId === last?.stopId)
}

/** The death of the program ends everything, whatever an agent's last event was. */
const endOf = ({ stopId, endedAt }: AgentState): number =>
  stopId === DIED ? Number.POSITIVE_INFINITY : (endedAt ?? 0)
