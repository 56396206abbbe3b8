/** Teams, their task list and the phases of coordinator mode, as the events and the window know them. */

/**
 * Where a member of a team can run. `in-process`: in the runtime of its conversation. `pane`: in a `troupe worker`
 * process on this machine. `remote`: in a `troupe worker` on another machine.
 */
export const memberBackings = ['in-process', 'pane', 'remote'] as const
export type MemberBacking = (typeof memberBackings)[number]

/** The names of agents and teams: a mailbox can have the same name. */
export const agentNameRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  rule: 'up to 100 letters, digits, dots and dashes',
} as const

export const taskStatuses = ['pending', 'in_progress', 'completed', 'canceled'] as const
type TaskStatus = (typeof taskStatuses)[number]

export const phases = ['research', 'synthesis', 'implementation', 'verification'] as const
export type Phase = (typeof phases)[number]

/** What decides whether a task can be claimed. */
interface Dependent {
  readonly id: string
  readonly status: TaskStatus
  readonly dependsOn: readonly string[]
}

/** Whether every task that this one depends on is completed. A task that does not exist never is. */
export function isReady(task: Dependent, tasks: readonly Dependent[]): boolean {
  return task.dependsOn.every((id) => tasks.find((other) => other.id === id)?.status === 'completed')
}

/** The fields of a conversation without a coordinator, teams, tasks, phases, verifications, comparisons and refused messages. Not beside their schema, which the window does not load. */
export const noTeams = {
  coordinator: false,
  teams: [],
  tasks: [],
  phases: [],
  verifications: [],
  comparisons: [],
  refusals: [],
}

/** The name of the definition of a coordinator: the main agent in coordinator mode. */
export const COORDINATOR = 'coordinator'

/** In the environment and in `env` of settings files, in order of precedence. */
const COORDINATOR_VARIABLES = ['TROUPE_COORDINATOR_MODE', 'CLAUDE_CODE_COORDINATOR_MODE'] as const

/** Null: no variable says on or off. */
export function coordinatorModeIn(variables: Readonly<Record<string, unknown>>): boolean | null {
  for (const name of COORDINATOR_VARIABLES) {
    const text = String(variables[name] ?? '').trim()
    if (/^(1|true|yes|on)$/i.test(text)) return true
    if (/^(0|false|no|off)$/i.test(text)) return false
  }
  return null
}
