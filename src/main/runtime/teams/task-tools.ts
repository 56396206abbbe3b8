/** Carries out TaskCreate, TaskUpdate and TaskList calls. */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { isReady } from '../../../shared/teams/team.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { intercept } from '../loop/intercept.ts'
import type { PointFacts } from '../ports/interceptors.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import type { TaskCreateCall } from '../tools/task-create.ts'
import type { TaskListCall } from '../tools/task-list.ts'
import type { TaskUpdateCall } from '../tools/task-update.ts'
import { addTask, changeTask, nameFor, readTasks, teamIdOf } from './task-list.ts'
import type { TaskOffers } from './task-offers.ts'
import { describedStatus, freeText, type TaskActor } from './task-rules.ts'
import { tellOwner } from './tell-owner.ts'

type Caller = Pick<ToolContext, 'agentId' | 'signal'>

const actorOf = ({ agents }: Conversation, { agentId }: Caller): TaskActor => ({
  agentId,
  leads: agents.isMain(agentId),
})

export async function taskCreate(
  conversation: Conversation,
  { subject, description, depends_on }: TaskCreateCall,
  { caller, offers }: { readonly caller: Caller; readonly offers: TaskOffers },
): Promise<ToolOutcome> {
  const actor = actorOf(conversation, caller)
  // The next id, as far as this process knows.
  const expected = 1 + Math.max(0, ...conversation.file.record.tasks.map(({ id }) => Number(id)))
  const refused = await refusalOf(conversation, caller, {
    point: 'task-created',
    task: { id: String(expected), subject, description },
  })
  if (refused !== null) return toolError(`The task was not created. ${refused}`, 'denied')
  const created = await addTask(conversation, { subject, description, dependsOn: depends_on }, actor)
  if (!created.ok) return toolError(created.failure.message, 'not created')
  const { id, dependsOn } = created.value
  const { tasks } = conversation.file.record
  const open = dependsOn.filter((one) => tasks.find((task) => task.id === one)?.status !== 'completed')
  offers.review()
  return {
    isError: false,
    note: `task ${id}`,
    content: `Task ${id} is on the list: ${subject}. ${open.length === 0 ? 'It is free.' : `It waits for ${open.length === 1 ? 'task' : 'tasks'} ${open.join(', ')}.`}`,
  }
}

export async function taskUpdate(
  conversation: Conversation,
  { task_id, status, owner, depends_on, result }: TaskUpdateCall,
  { caller, offers }: { readonly caller: Caller; readonly offers: TaskOffers },
): Promise<ToolOutcome> {
  const actor = actorOf(conversation, caller)
  const given = owner === undefined ? undefined : ownerId(conversation, owner, caller)
  if (given === null)
    return toolError(`There is no agent "${owner}". ${memberNames(conversation)}`, 'unknown agent')
  const claims = status === 'in_progress' || (status === undefined && given !== undefined)
  if (claims && isEnding(conversation, given ?? caller.agentId))
    return toolError(
      'The team is ending, so nobody takes another task. Finish what you have begun, report and end your turn.',
      'team ends',
    )
  const task = conversation.file.record.tasks.find(({ id }) => id === task_id)
  if (status === 'completed' && task !== undefined && task.status !== 'completed') {
    const refused = await refusalOf(conversation, caller, { point: 'task-completed', task })
    if (refused !== null) return toolError(`Task ${task_id} was not set to completed. ${refused}`, 'denied')
  }
  const changed = await changeTask(
    conversation,
    { id: task_id, edit: { status, owner: given, dependsOn: depends_on, result } },
    actor,
  )
  if (!changed.ok) return toolError(changed.failure.message, 'not changed')
  const { before, after, tasks } = changed.value
  const isNew = after !== before
  const isTold = isNew && actor.leads && (await tellOwner(conversation, { before, after }, actor))
  if (isNew) offers.changed(after, caller.agentId)
  return {
    isError: false,
    note: describedStatus(after, { nameOf: nameFor(conversation, caller.agentId) }),
    content: updateText(conversation, { before, after, tasks, isNew, isTold, caller }),
  }
}

/** Why interceptors refuse it; null: they don't. */
async function refusalOf(
  { agents, loop }: Conversation,
  { agentId, signal }: Caller,
  {
    point,
    task: { id, subject, description },
  }: { readonly point: 'task-created' | 'task-completed'; readonly task: PointFacts['task-created'] },
): Promise<string | null> {
  const agent = agents.get(agentId)?.agent
  if (!agent) return null
  return (await intercept({ agent, deps: loop, signal }, point, { id, subject, description })).denial
}

interface Update {
  readonly before: TeamTask
  readonly after: TeamTask
  readonly tasks: readonly TeamTask[]
  readonly isNew: boolean
  /** Whether the agent that got or lost the task was told. */
  readonly isTold: boolean
  readonly caller: Caller
}

function updateText(
  conversation: Conversation,
  { before, after, tasks, isNew, isTold, caller }: Update,
): string {
  const { id, subject, description, status, owner } = after
  const name = nameFor(conversation, caller.agentId)
  const already = isNew ? '' : ' already'
  switch (status) {
    case 'in_progress': {
      const isMine = owner === caller.agentId
      const whose = isMine ? 'yours' : `${owner === null ? 'nobody' : name(owner)}’s`
      const first = `Task ${id} (${subject}) is ${whose}${already}.`
      if (!isMine) return isTold ? `${first} It was told, and works on it.` : first
      const others = tasks.filter((task) => task.owner === owner && task.status === status && task.id !== id)
      return [
        first,
        description,
        ...resultLines(after, tasks),
        others.length === 0
          ? ''
          : `You also have ${others.map((task) => `${task.id} (${task.subject})`).join(', ')}.`,
        'Set it to "completed" when it is done and checked.',
      ]
        .filter((part) => part !== '')
        .join('\n')
    }
    case 'completed': {
      const freed = tasks.filter(
        (task) => task.status === 'pending' && task.dependsOn.includes(id) && isReady(task, tasks),
      )
      const what =
        isNew && freed.length > 0
          ? ` It was the last thing that ${freed.map((task) => `task ${task.id}`).join(', ')} waited for.`
          : ''
      return `Task ${id} is completed${already}.${what} ${openText(tasks)}`
    }
    case 'canceled': {
      const waiting = tasks.filter((task) => task.status === 'pending' && task.dependsOn.includes(id))
      const stuck =
        waiting.length === 0
          ? ''
          : ` ${countOf(waiting.length, 'task')} can never become free while ${waiting.length === 1 ? 'it waits' : 'they wait'} for it: ${waiting.map((task) => task.id).join(', ')}. Cancel ${waiting.length === 1 ? 'it' : 'them'} too, or change depends_on.`
      return `Task ${id} is canceled${already}.${stuck}${isTold ? ` ${name(before.owner ?? '')} works on it and was told.` : ''}`
    }
    case 'pending':
      return `Task ${id} is ${before.status === 'pending' ? 'pending' : 'pending again'}: ${isReady(after, tasks) ? 'any member can claim it' : `it waits for ${after.dependsOn.join(', ')}`}.`
  }
}

/** What came out of the tasks that a task depends on. */
function resultLines({ dependsOn }: TeamTask, tasks: readonly TeamTask[]): readonly string[] {
  return tasks.flatMap(({ id, subject, result }) =>
    dependsOn.includes(id) && result !== undefined ? [`Result of task ${id} (${subject}): ${result}`] : [],
  )
}

/** What is left to do, for an agent that has completed a task. */
function openText(tasks: readonly TeamTask[]): string {
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress')
  if (open.length === 0) return 'All tasks are done.'
  const running = tasks.filter(({ status }) => status === 'in_progress').length
  const free = freeText({ tasks })
  return free.startsWith('Free')
    ? `${free} Claim one, or end your turn.`
    : `No task is free now: ${countOf(open.length, 'task')} not done, ${running} of them in progress. End your turn; you are told when a task is free for you.`
}

export async function taskList(
  conversation: Conversation,
  { task_id }: TaskListCall,
  caller: Caller,
): Promise<ToolOutcome> {
  const listed = await conversation.ports.tasks.list(conversation.id)
  if (!listed.ok) return toolError(listed.failure.message, 'not read')
  const read = await readTasks(conversation)
  const tasks = read.ok ? read.value : listed.value.tasks
  const problems = listed.value.problems
  const wanted = task_id?.replace(/^#/, '')
  const one = tasks.find(({ id }) => id === wanted)
  if (wanted !== undefined && wanted !== '' && one === undefined)
    return toolError(
      `There is no task ${wanted}. Ids: ${tasks.map(({ id }) => id).join(', ') || 'none'}.`,
      'unknown task',
    )
  const facts = { tasks, nameOf: nameFor(conversation, caller.agentId) }
  if (one !== undefined)
    return {
      isError: false,
      note: describedStatus(one, facts),
      content: [
        taskLine(one, facts),
        one.description,
        ...(one.result === undefined ? [] : [`Result: ${one.result}`]),
        ...resultLines(one, tasks),
      ]
        .filter((part) => part !== '')
        .join('\n'),
    }
  const number = (status: TeamTask['status']) => tasks.filter((task) => task.status === status).length
  const head =
    tasks.length === 0
      ? 'The task list is empty.'
      : `${countOf(tasks.length, 'task')}: ${number('completed')} completed, ${number('in_progress')} in progress, ${number('pending')} pending${number('canceled') > 0 ? `, ${number('canceled')} canceled` : ''}.`
  return {
    isError: false,
    note: tasks.length === 0 ? 'empty' : `${number('completed')} of ${tasks.length} done`,
    content: [head, ...tasks.map((task) => taskLine(task, facts)), ...problems].join('\n'),
  }
}

function taskLine(
  task: TeamTask,
  facts: { readonly tasks: readonly TeamTask[]; nameOf(id: string): string },
): string {
  const open = task.dependsOn.filter(
    (id) => facts.tasks.find((other) => other.id === id)?.status !== 'completed',
  )
  const state =
    task.status !== 'pending'
      ? `${describedStatus(task, facts)}${task.status === 'completed' && task.owner !== null ? `, by ${facts.nameOf(task.owner)}` : ''}`
      : open.length === 0
        ? 'free'
        : `waits for ${open.join(', ')}`
  return `${task.id}. [${state}] ${task.subject}`
}

/** By id or name; null: there is no such agent. */
function ownerId({ agents }: Conversation, owner: string, { agentId }: Caller): string | null {
  if (/^(?:me|self|you)$/i.test(owner)) return agentId
  if (/^leader$/i.test(owner)) return agents.main?.id ?? null
  return agents.find(owner)?.id ?? null
}

function memberNames({ file }: Pick<Conversation, 'file'>): string {
  const teams = file.record.teams.filter(({ endedAt }) => endedAt === null)
  return teams.length === 0
    ? 'There is no team now.'
    : `Members: ${teams.map(({ name, members }) => `${members.map((member) => member.name).join(', ') || 'none'} (team ${name})`).join('; ')}.`
}

function isEnding(conversation: Conversation, agentId: string): boolean {
  const teamId = conversation.agents.isMain(agentId) ? null : teamIdOf(conversation, agentId)
  const team = conversation.file.record.teams.find(({ id }) => id === teamId)
  return team !== undefined && team.endingAt !== null
}
