/** Why a team is stuck, and why a task does not advance, in words. */

import { useMemo } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  type HolderEnd,
  type StuckCause,
  type StuckState,
  stuckState,
  tasksOf,
} from '../../../shared/state/stuck-team.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { partyName } from './teams-store.ts'

type Agents = ReadonlyMap<string, AgentState>

const NO_TASKS: readonly TeamTask[] = []

/** `team` null: the tasks of all agents. The same object until a task or the state of a holder changes. */
export function useStuck(team: Team | null): StuckState {
  const tasks = useConversation((state) => state.record?.tasks ?? NO_TASKS)
  // Agents change with each event; what can hold up a team rarely does.
  const states = useConversation(({ agents }) => holderStates(agents))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `states` stands for the agents
  return useMemo(() => {
    const { agents } = useConversation.getState()
    return stuckState({ tasks: tasksOf(tasks, team), agents, team })
  }, [tasks, states, team])
}

const holderStates = (agents: Agents): string =>
  [...agents.values()]
    .map(({ status, waitingFor, reachedLimit, workerState }) =>
      [status, waitingFor, reachedLimit, workerState].join(' '),
    )
    .join()

const ENDS: Readonly<Record<HolderEnd, string>> = {
  failed: 'failed',
  stopped: 'was stopped',
  interrupted: 'was interrupted',
  limit: 'reached a limit',
  idle: 'has ended its run',
  lost: 'has lost its worker',
  unknown: 'is gone',
}

/** "builder was stopped": why nobody works on the task of a cause. */
export function causeText(cause: StuckCause, agents: Agents): string {
  switch (cause.kind) {
    case 'holder':
      return `${partyName(cause.agentId, agents)} ${ENDS[cause.end]}`
    case 'unclaimed':
      return 'nobody takes it'
    case 'never':
      return 'it will never be done'
  }
}

/** "Stuck: builder was stopped and holds #3; #4 and #5 wait for it." Empty: the team is not stuck. */
export function stuckSentence({ causes, marks }: StuckState, agents: Agents): string {
  if (causes.length === 0) return ''
  const own = new Set(causes.flatMap((cause) => (cause.kind === 'never' ? [] : [cause.taskId])))
  const waiting = [...marks.keys()].filter((id) => !own.has(id))
  const parts = [...holders(causes, agents), ...unclaimed(causes), ...never(causes)]
  const behind =
    waiting.length === 0 ? '' : `; ${named(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for that`
  return `Stuck: ${parts.join(', ')}${behind}.`
}

/** More holders than this are counted, not named. */
const MOST_NAMED = 2

function holders(causes: readonly StuckCause[], agents: Agents): readonly string[] {
  const held = new Map<string, { end: HolderEnd; ids: string[] }>()
  for (const cause of causes)
    if (cause.kind === 'holder') {
      const one = held.get(cause.agentId) ?? { end: cause.end, ids: [] }
      held.set(cause.agentId, { ...one, ids: [...one.ids, cause.taskId] })
    }
  const all = [...held]
  if (all.length > MOST_NAMED)
    return [`${all.length} agents have ended and still hold ${named(all.flatMap(([, { ids }]) => ids))}`]
  return all.map(
    ([agentId, { end, ids }]) => `${partyName(agentId, agents)} ${ENDS[end]} and still holds ${named(ids)}`,
  )
}

function unclaimed(causes: readonly StuckCause[]): readonly string[] {
  const ids = causes.flatMap((cause) => (cause.kind === 'unclaimed' ? [cause.taskId] : []))
  return ids.length === 0 ? [] : [`nobody is left to take ${named(ids)}`]
}

function never(causes: readonly StuckCause[]): readonly string[] {
  const ids = causes.flatMap((cause) => (cause.kind === 'never' ? [cause.taskId] : []))
  return ids.length === 0 ? [] : [`${named(ids)} will never be done`]
}

/** "#4", "#4 and #5", "#4, #5 and 3 more". */
function named(ids: readonly string[]): string {
  const shown = ids.slice(0, ids.length > 3 ? 2 : 3).map((id) => `#${id}`)
  const more = ids.length - shown.length
  const parts = more > 0 ? [...shown, `${more} more`] : shown
  return parts.length === 1 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
