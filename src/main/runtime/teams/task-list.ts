/** The task list of a conversation: changes go to the board, which processes share, and then into the log as events. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import type { Conversation } from '../conversation/conversation.ts'
import {
  changedTask,
  dependencyProblem,
  type TaskActor,
  type TaskEdit,
  type TaskFacts,
} from './task-rules.ts'

/** Another process may change a task between reading and writing this often before the change is given up. */
const MOST_ATTEMPTS = 20

interface NewTaskCall {
  readonly subject: string
  readonly description: string
  readonly dependsOn: readonly string[]
}

/** Fails with `invalid` (a text for a model), or with a failure of the board. */
export async function addTask(
  conversation: Conversation,
  { subject, description, dependsOn }: NewTaskCall,
  actor: TaskActor,
): Promise<Result<TeamTask>> {
  const { tasks: board, clock } = conversation.ports
  const listed = await readTasks(conversation)
  if (!listed.ok) return listed
  const wrong = dependencyProblem(dependsOn, { tasks: listed.value, of: null })
  if (wrong !== null) return fail({ type: 'invalid', message: `The task was not created: ${wrong}` })
  const created = await board.create(conversation.id, {
    teamId: teamIdOf(conversation, actor.agentId),
    subject,
    description,
    status: 'pending',
    owner: null,
    dependsOn: [...new Set(dependsOn)],
    createdBy: actor.agentId,
    createdAt: clock.now(),
    claimedAt: null,
    endedAt: null,
  })
  if (created.ok) await recordTasks(conversation, [created.value])
  return created
}

interface ChangedTask {
  readonly before: TeamTask
  /** The same as `before` if nothing had to change. */
  readonly after: TeamTask
  /** All tasks after the change. */
  readonly tasks: readonly TeamTask[]
}

/** Fails with `invalid` (a text for a model), `not-found`, or with a failure of the board. */
export async function changeTask(
  conversation: Conversation,
  { id, edit }: { readonly id: string; readonly edit: TaskEdit },
  actor: TaskActor,
): Promise<Result<ChangedTask>> {
  const { tasks: board, clock } = conversation.ports
  for (let attempt = 1; ; attempt++) {
    const listed = await readTasks(conversation)
    if (!listed.ok) return listed
    const tasks = listed.value
    const before = tasks.find((task) => task.id === id)
    if (before === undefined) return fail({ type: 'not-found', message: noSuchTask(id, tasks) })
    const facts: TaskFacts = { tasks, now: clock.now(), nameOf: nameFor(conversation, actor.agentId) }
    const next = changedTask(before, edit, { actor, facts })
    if (!next.ok) return fail({ type: 'invalid', message: next.failure })
    if (next.value === null) return ok({ before, after: before, tasks })
    const after = next.value
    const written = await board.update(conversation.id, after)
    if (written.ok) {
      await recordTasks(conversation, [after])
      return ok({ before, after, tasks: tasks.map((task) => (task.id === id ? after : task)) })
    }
    if (written.failure.type !== 'changed' || attempt === MOST_ATTEMPTS) return written
  }
}

/** The newest tasks of the board. Changes by other processes become events. */
export async function readTasks(conversation: Conversation): Promise<Result<readonly TeamTask[]>> {
  const listed = await conversation.ports.tasks.list(conversation.id)
  if (!listed.ok) return listed
  await recordTasks(conversation, listed.value.tasks)
  return ok(listed.value.tasks)
}

/** Logs the tasks that are newer than the record's. */
async function recordTasks({ file, lifetime }: Conversation, tasks: readonly TeamTask[]): Promise<void> {
  if (lifetime.signal.aborted) return
  const known = new Map(file.record.tasks.map(({ id, version }) => [id, version]))
  const newer = tasks.filter(({ id, version }) => version > (known.get(id) ?? 0))
  for (const task of newer) file.emit({ type: 'task-changed', task })
  // Not awaited for its result: the board is on disk, and the events follow from it after a crash.
  if (newer.length > 0) await file.save()
}

/** How an agent knows another one. */
export function nameFor({ agents, relay }: Conversation, reader: string | null) {
  return (agentId: string): string => {
    if (agentId === reader) return 'you'
    const listed = relay?.roster.find((entry) => entry.agentId === agentId)?.name
    if (agents.isMain(agentId) || listed === 'main') return 'the leader'
    if (listed !== undefined) return listed
    const state = agents.state(agentId)
    return state?.name ?? agentId
  }
}

/** The working team of an agent; of the main agent, if it leads exactly one. */
export function teamIdOf({ file, agents, relay }: Conversation, agentId: string | null): string | null {
  if (agentId === null) return null
  // The conversation of a worker knows only its own agent.
  if (relay !== null) return agents.state(agentId)?.teamId ?? null
  const teams = file.record.teams.filter(({ endedAt }) => endedAt === null)
  const led = teams.filter(({ leaderId }) => leaderId === agentId)
  if (agents.isMain(agentId)) return led.length === 1 ? (led[0]?.id ?? null) : null
  return teams.find(({ members }) => members.some((member) => member.agentId === agentId))?.id ?? null
}

function noSuchTask(id: string, tasks: readonly TeamTask[]): string {
  return `There is no task ${id}. ${tasks.length === 0 ? 'The list is empty.' : `Ids: ${tasks.map((task) => task.id).join(', ')}.`}`
}
