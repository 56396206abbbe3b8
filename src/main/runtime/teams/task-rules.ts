/** The rules of the task list: who may change a task in which way. Pure; the texts speak to a model. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isReady } from '../../../shared/teams/team.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'

/** The author of a change. */
export interface TaskActor {
  /** Null: the user. */
  readonly agentId: string | null
  /** Whether it may change the tasks of others: the user, the leader, and the program itself. */
  readonly leads: boolean
}

export interface TaskEdit {
  readonly status?: TeamTask['status'] | undefined
  /** An agent's id. */
  readonly owner?: string | undefined
  readonly dependsOn?: readonly string[] | undefined
  /** What came out of a completed task. */
  readonly result?: string | undefined
}

/** A task list at one moment. */
export interface TaskFacts {
  readonly tasks: readonly TeamTask[]
  /** ms since the epoch. */
  readonly now: number
  /** The name of an agent in texts for a model: `ada`, `you`. */
  nameOf(agentId: string): string
}

/** The changed task with its next version; null: the task has these values already. The failure is an error for a model. */
export function changedTask(
  task: TeamTask,
  edit: TaskEdit,
  { actor, facts }: { readonly actor: TaskActor; readonly facts: TaskFacts },
): Result<TeamTask | null, string> {
  const status = edit.status ?? (edit.owner === undefined ? undefined : 'in_progress')
  const rewired =
    edit.dependsOn === undefined ? ok(task) : withDependencies(task, edit.dependsOn, actor, facts)
  if (!rewired.ok) return rewired
  const next = status === undefined ? rewired : CHANGES[status](rewired.value, { edit, actor, facts })
  if (!next.ok) return next
  if (next.value === task) return ok(null)
  const { status: after, owner, dependsOn } = next.value
  const change = {
    ...{ at: facts.now, by: actor.agentId, status: after, owner },
    ...(dependsOn !== task.dependsOn && { dependsOn }),
  }
  const history = [...(task.history ?? []), change].slice(-MOST_CHANGES)
  return ok({ ...next.value, history, version: task.version + 1 })
}

/** The last changes of a task are kept. */
const MOST_CHANGES = 100

interface Change {
  readonly edit: TaskEdit
  readonly actor: TaskActor
  readonly facts: TaskFacts
}

const CHANGES: Readonly<
  Record<TeamTask['status'], (task: TeamTask, change: Change) => Result<TeamTask, string>>
> = { pending: released, in_progress: claimed, completed, canceled }

function claimed(task: TeamTask, { edit, actor, facts }: Change): Result<TeamTask, string> {
  const owner = edit.owner ?? actor.agentId
  if (owner === null) return fail('Say which agent the task is for.')
  if (owner !== actor.agentId && !actor.leads)
    return fail('You can claim a task only for yourself. To give it to another member, write to that member.')
  if (task.status === 'in_progress') {
    if (task.owner === owner) return ok(task)
    if (!actor.leads || edit.owner === undefined)
      return fail(`${nameOf(task.owner, facts)} works on task ${task.id} already. ${nextText(facts, actor)}`)
  }
  if (task.status === 'completed' || task.status === 'canceled')
    return fail(
      `Task ${task.id} is ${task.status}. ${actor.leads ? 'Set it to "pending" first to open it again.' : nextText(facts, actor)}`,
    )
  const open = openDependencies(task, facts)
  if (open !== null)
    return fail(`Task ${task.id} can't be claimed yet: it waits for ${open}. ${nextText(facts, actor)}`)
  return ok({ ...task, status: 'in_progress', owner, claimedAt: facts.now, endedAt: null })
}

function released(task: TeamTask, { actor, facts }: Change): Result<TeamTask, string> {
  if (task.status === 'pending') return ok(task)
  if (task.status === 'in_progress' && task.owner !== actor.agentId && !actor.leads)
    return fail(
      `${nameOf(task.owner, facts)} works on task ${task.id}. Only its owner or the leader releases it.`,
    )
  if (task.status !== 'in_progress' && !actor.leads)
    return fail(`Task ${task.id} is ${task.status}. Only the leader opens it again.`)
  const { result: _, ...open } = task
  return ok({ ...open, status: 'pending', owner: null, claimedAt: null, endedAt: null })
}

function completed(task: TeamTask, { edit, actor, facts }: Change): Result<TeamTask, string> {
  if (task.status === 'completed') return ok(task)
  if (task.status === 'canceled')
    return fail(`Task ${task.id} was canceled, so nobody needs it. ${nextText(facts, actor)}`)
  if (task.status === 'in_progress' && task.owner !== actor.agentId && !actor.leads)
    return fail(
      `${nameOf(task.owner, facts)} works on task ${task.id}, so you can't complete it. If you have done it already, tell ${nameOf(task.owner, facts)} now.`,
    )
  const open = openDependencies(task, facts)
  if (open !== null) return fail(`Task ${task.id} can't be completed yet: it waits for ${open}.`)
  return ok({
    ...task,
    status: 'completed',
    owner: task.owner ?? actor.agentId,
    claimedAt: task.claimedAt ?? facts.now,
    endedAt: facts.now,
    ...(edit.result === undefined ? {} : { result: edit.result }),
  })
}

function canceled(task: TeamTask, { actor, facts }: Change): Result<TeamTask, string> {
  if (task.status === 'canceled') return ok(task)
  if (task.status === 'completed') return fail(`Task ${task.id} is completed, so it can't be canceled.`)
  const isOwn = actor.agentId === task.owner || actor.agentId === task.createdBy
  if (!actor.leads && !isOwn)
    return fail(`Only the leader, or the agent that created or claimed task ${task.id}, cancels it.`)
  return ok({ ...task, status: 'canceled', endedAt: facts.now })
}

function withDependencies(
  task: TeamTask,
  dependsOn: readonly string[],
  actor: TaskActor,
  { tasks }: TaskFacts,
): Result<TeamTask, string> {
  if (!actor.leads && actor.agentId !== task.createdBy)
    return fail(`Only the leader, or the agent that created task ${task.id}, changes what it waits for.`)
  if (task.status !== 'pending')
    return fail(`Task ${task.id} is ${statusWord(task)}, so what it waits for can't be changed.`)
  const wrong = dependencyProblem(dependsOn, { tasks, of: task.id })
  if (wrong !== null) return fail(wrong)
  const ids = [...new Set(dependsOn)]
  return ids.join() === task.dependsOn.join() ? ok(task) : ok({ ...task, dependsOn: ids })
}

/** Why a task can't depend on these, or null. `of`: the task, if it exists already. */
export function dependencyProblem(
  dependsOn: readonly string[],
  { tasks, of }: { readonly tasks: readonly TeamTask[]; readonly of: string | null },
): string | null {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const unknown = dependsOn.filter((id) => !byId.has(id))
  if (unknown.length > 0)
    return `There is no task ${unknown.join(', ')}. ${tasks.length === 0 ? 'The list is empty.' : `Ids: ${tasks.map(({ id }) => id).join(', ')}.`}`
  const dead = dependsOn.filter((id) => byId.get(id)?.status === 'canceled')
  if (dead.length > 0) return `Task ${dead.join(', ')} was canceled, so it will never be completed.`
  const seen = new Set<string>()
  const reaches = (id: string): boolean => {
    if (id === of) return true
    if (seen.has(id)) return false
    seen.add(id)
    return byId.get(id)?.dependsOn.some(reaches) ?? false
  }
  const circular = of === null ? undefined : dependsOn.find(reaches)
  return circular === undefined
    ? null
    : `Task ${of} can't wait for task ${circular}: ${circular === of ? 'no task waits for itself' : `task ${circular} waits for task ${of}`}.`
}

/** The pending tasks whose dependencies are completed. */
export function freeTasks(tasks: readonly TeamTask[]): readonly TeamTask[] {
  return tasks.filter((task) => task.status === 'pending' && isReady(task, tasks))
}

export function freeText({ tasks }: Pick<TaskFacts, 'tasks'>): string {
  const free = freeTasks(tasks)
  return free.length === 0
    ? 'No task is free now.'
    : `Free now: ${free.map(({ id, subject }) => `${id} (${subject})`).join(', ')}.`
}

/** What an agent does after a refused claim. */
function nextText(facts: TaskFacts, { leads }: TaskActor): string {
  const isNone = freeTasks(facts.tasks).length === 0
  return `${freeText(facts)}${isNone && !leads ? ' End your turn: a message resumes you when one is free for you.' : ''}`
}

function openDependencies(task: TeamTask, facts: TaskFacts): string | null {
  const open = task.dependsOn
    .map((id) => facts.tasks.find((other) => other.id === id))
    .filter((other) => other !== undefined)
    .filter(({ status }) => status !== 'completed')
  if (open.length === 0) return null
  return open.map((other) => `task ${other.id} (${describedStatus(other, facts)})`).join(', ')
}

/** "in progress, ada" */
export function describedStatus(task: TeamTask, facts: Pick<TaskFacts, 'nameOf'>): string {
  return task.status === 'in_progress' ? `in progress, ${nameOf(task.owner, facts)}` : statusWord(task)
}

const statusWord = ({ status }: TeamTask): string => status.replace('_', ' ')

const nameOf = (owner: string | null, facts: Pick<TaskFacts, 'nameOf'>): string =>
  owner === null ? 'Another agent' : facts.nameOf(owner)
