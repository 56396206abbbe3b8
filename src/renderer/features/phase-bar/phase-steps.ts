/** What a coordinator's phases look like at one moment: a pure function of the conversation's state. */

import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { type Phase, phases } from '../../../shared/teams/team.ts'

/**
 * `current`: the phase that began last. `done`: it began, and a later one followed. `again`: it began, but the coordinator
 * went back before it. `next`: it has not begun.
 */
export type StepState = 'done' | 'current' | 'again' | 'next'

export interface PhaseStep {
  readonly phase: Phase
  readonly state: StepState
  /** Agents that the coordinator started in the phase and that have ended. */
  readonly reports: number
  /** Agents that were started in the phase and work. */
  readonly working: number
  /** The time in the phase in ms, without the current stretch. */
  readonly pastMs: number
  /** When the current stretch began, ms since the epoch; null: the phase is not the current one. */
  readonly since: number | null
}

/** One step for each phase, in order. */
export function phaseSteps(
  { phases: begun, mainAgentId }: Pick<ConversationRecord, 'phases' | 'mainAgentId'>,
  agents: Iterable<AgentState>,
): readonly PhaseStep[] {
  const current = begun.at(-1)
  const now = current === undefined ? -1 : phases.indexOf(current.phase)
  const started = [...agents].filter(({ parentId }) => parentId === mainAgentId)
  return phases.map((phase, at) => {
    const stretches = begun.flatMap((entry, index) =>
      entry.phase === phase ? [{ from: entry.at, to: begun[index + 1]?.at ?? null }] : [],
    )
    const mine = started.filter(({ spawnedAt }) =>
      stretches.some(({ from, to }) => spawnedAt >= from && (to === null || spawnedAt < to)),
    )
    const working = mine.filter(isLive).length
    return {
      phase,
      state: stretches.length === 0 ? 'next' : at === now ? 'current' : at < now ? 'done' : 'again',
      reports: mine.length - working,
      working,
      pastMs: stretches.reduce((sum, { from, to }) => sum + (to === null ? 0 : to - from), 0),
      since: at === now ? (current?.at ?? null) : null,
    }
  })
}
