/** Teams, their task list and the phases of coordinator mode, as the events and the window know them. */

/**
 * Where a member of a team can run. `in-process`: in the runtime of its conversation. `pane`: in a `troupe worker`
 * process on this machine. `remote`: in a `troupe worker` on another machine.
 */
export const memberBackings = ['in-process', 'pane', 'remote'] as const
export type MemberBacking = (typeof memberBackings)[number]

/** The names of agents and teams: a mailbox can have the same name. */
export const agentName = {
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
