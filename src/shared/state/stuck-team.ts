/** Whether a team is stuck: tasks that nobody works on, and the tasks that wait for them. The runtime and the window share it. */

import { isReady } from '../teams/team.ts'
import type { Team, TeamTask } from '../teams/team-schema.ts'
import { type AgentState, isLive } from './agent-state.ts'

/**
 * Why the holder of a task does not work on it. `limit`: it reported at a limit, before its task was done. `idle`: it ended
 * its run without completing the task. `lost`: the process or machine that carried it out is gone. `unknown`: the
 * conversation has no such agent.
 */
export type HolderEnd = 'failed' | 'stopped' | 'interrupted' | 'limit' | 'idle' | 'lost' | 'unknown'

/** Why nobody works on a task. */
export type StuckCause =
  | { readonly kind: 'holder'; readonly taskId: string; readonly agentId: string; readonly end: HolderEnd }
  /** The task is free, and no agent of the team works that could take it. */
  | { readonly kind: 'unclaimed'; readonly taskId: string }
  /** The task is canceled or does not exist, and other tasks depend on it. */
  | { readonly kind: 'never'; readonly taskId: string }

export interface StuckState {
  /** What the team can't get over by itself, in the order of the tasks. Empty: it is not stuck. */
  readonly causes: readonly StuckCause[]
  /** The cause of each task that does not advance, by its id: its own, or that of a task it waits for. */
  readonly marks: ReadonlyMap<string, StuckCause>
}

interface StuckFacts {
  /** The tasks of the team. */
  readonly tasks: readonly TeamTask[]
  readonly agents: ReadonlyMap<string, AgentState>
  /** Null: the tasks of all agents. */
  readonly team: Team | null
}

/** An ended team is never stuck. */
export function stuckState({ tasks, agents, team }: StuckFacts): StuckState {
  if (team !== null && team.endedAt !== null) return { causes: [], marks: new Map() }
  // While an agent of the team works, it may wake an idle one, take a free task or change what a task waits for.
  const isAtWork = [...agents.values()].some((agent) => isIn(team, agent) && isLive(agent))
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const causes = new Map<string, StuckCause>()
  for (const task of tasks) {
    const cause = ownCause(task, { agents, isAtWork, canClaim: team !== null && isReady(task, tasks) })
    if (cause !== null) causes.set(task.id, cause)
  }
  const marks = new Map(causes)
  const never = new Set<string>()
  for (const task of tasks) {
    if (task.status !== 'pending' || marks.has(task.id)) continue
    const cause = blockerOf(task, { byId, causes, seen: new Set() })
    if (cause === null) continue
    marks.set(task.id, cause)
    if (cause.kind === 'never' && !isAtWork && !never.has(cause.taskId)) {
      never.add(cause.taskId)
      causes.set(`never ${cause.taskId}`, cause)
    }
  }
  return { causes: [...causes.values()], marks }
}

interface OwnFacts extends Pick<StuckFacts, 'agents'> {
  readonly isAtWork: boolean
  readonly canClaim: boolean
}

function ownCause(
  { id: taskId, status, owner }: TeamTask,
  { agents, isAtWork, canClaim }: OwnFacts,
): StuckCause | null {
  if (status === 'pending') return canClaim && !isAtWork ? { kind: 'unclaimed', taskId } : null
  if (status !== 'in_progress' || owner === null) return null
  const end = holderEnd(agents.get(owner))
  if (end === null || (end === 'idle' && isAtWork)) return null
  return { kind: 'holder', taskId, agentId: owner, end }
}

/** Why the agent does not work on its task; null: it works. */
function holderEnd(agent: AgentState | undefined): HolderEnd | null {
  if (agent === undefined) return 'unknown'
  if (agent.workerState === 'gone' && agent.status !== 'completed') return 'lost'
  if (isLive(agent)) return null
  switch (agent.status) {
    case 'failed':
    case 'stopped':
    case 'interrupted':
      return agent.status
    default:
      return agent.reachedLimit === null ? 'idle' : 'limit'
  }
}

interface BlockerFacts {
  readonly byId: ReadonlyMap<string, TeamTask>
  readonly causes: ReadonlyMap<string, StuckCause>
  readonly seen: Set<string>
}

/** The nearest cause among the tasks that a task waits for. */
function blockerOf(task: TeamTask, facts: BlockerFacts): StuckCause | null {
  const { byId, causes, seen } = facts
  const open = task.dependsOn.filter((id) => byId.get(id)?.status !== 'completed' && !seen.has(id))
  for (const id of open) {
    const status = byId.get(id)?.status
    if (status === undefined || status === 'canceled') return { kind: 'never', taskId: id }
    const cause = causes.get(id)
    if (cause !== undefined) return cause
  }
  for (const id of open) {
    seen.add(id)
    const other = byId.get(id)
    const found = other?.status === 'pending' ? blockerOf(other, facts) : null
    if (found !== null) return found
  }
  return null
}

function isIn(team: Team | null, { id, teamId }: Pick<AgentState, 'id' | 'teamId'>): boolean {
  return team === null || id === team.leaderId || teamId === team.id
}

/** The tasks of a team, and those of no team. All for null. */
export function tasksOf(tasks: readonly TeamTask[], team: Team | null): readonly TeamTask[] {
  return team === null ? tasks : tasks.filter(({ teamId }) => teamId === null || teamId === team.id)
}
