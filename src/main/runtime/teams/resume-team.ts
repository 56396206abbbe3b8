/** Gets a stuck team going again for the user: resumes the holders of its tasks, releases tasks, tells the leader the rest. */
import { countOf } from '../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { type StuckCause, stuckState, tasksOf } from '../../../shared/state/stuck-team.ts'
import type { TeamResumed } from '../../../shared/teams/contract.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { limitFor } from '../agent/spend-limit.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { queueMessage } from '../run/send-message.ts'
import { changeTask } from './task-list.ts'
import type { TaskOffers } from './task-offers.ts'

/** Fails with `not-stuck`, or if nothing could be done. */
export async function resumeTeam(
  conversation: Conversation,
  team: Team,
  offers: TaskOffers,
): Promise<Result<TeamResumed>> {
  const tasks = tasksOf(conversation.file.record.tasks, team)
  const agents = new Map(conversation.agents.states().map((state) => [state.id, state]))
  const { causes, marks } = stuckState({ tasks, agents, team })
  if (causes.length === 0)
    return fail({ type: 'not-stuck', message: 'This team is not stuck any more: its agents work.' })
  const resumed: string[] = []
  const released: string[] = []
  for (const [agentId, held] of heldBy(causes)) {
    const own = tasks.filter(({ id }) => held.includes(id))
    const waiting = tasks.filter(({ id }) => !held.includes(id) && held.includes(marks.get(id)?.taskId ?? ''))
    if (await resumeHolder(conversation, agentId, promptFor(own, waiting))) resumed.push(agentId)
    else released.push(...(await release(conversation, own, offers)))
  }
  const left = causes.filter(({ kind }) => kind !== 'holder')
  const told = left.length > 0 && (await tellLeader(conversation, team, { left, tasks }))
  if (resumed.length + released.length === 0 && !told)
    return fail({
      type: 'not-possible',
      message: 'Nobody could be resumed: neither the holders of the tasks nor the leader can work on.',
    })
  return ok({ resumed, released, told })
}

/** The tasks of each holder that does not work. */
function heldBy(causes: readonly StuckCause[]): ReadonlyMap<string, readonly string[]> {
  const held = new Map<string, string[]>()
  for (const cause of causes)
    if (cause.kind === 'holder') held.set(cause.agentId, [...(held.get(cause.agentId) ?? []), cause.taskId])
  return held
}

/** False: the agent can't work on. */
async function resumeHolder(conversation: Conversation, agentId: string, text: string): Promise<boolean> {
  const state = conversation.agents.state(agentId)
  if (state === null || state.definition.oneShot || state.child !== null || isLive(state)) return false
  const isLimited = state.reachedLimit !== null && state.reachedLimit !== 'turns'
  if (isLimited && limitFor(conversation, agentId) !== null) return false
  const said = await queueMessage(conversation, {
    agentId,
    from: 'runtime',
    sender: null,
    content: [{ type: 'text', text }],
    note: 'You resumed the team.',
  })
  return said.ok
}

function promptFor(own: readonly TeamTask[], waiting: readonly TeamTask[]): string {
  const isOne = own.length === 1
  return [
    `The user resumed you, because ${listOf(own)} ${isOne ? 'is' : 'are'} claimed for you and nobody works on ${isOne ? 'it' : 'them'}.`,
    `Continue ${isOne ? 'it' : 'them'} where you left off. What was interrupted may or may not have taken effect, so check first.`,
    `Set ${isOne ? 'the' : 'each'} task to "completed" when it is done and checked. If you can’t do it, set it to "pending", which releases it, and say why in your report.`,
    ...(waiting.length === 0
      ? []
      : [`${countOf(waiting.length, 'task')} can’t begin before that: ${named(waiting)}.`]),
  ].join(' ')
}

/** Makes tasks free again, for an agent that is left. @returns their ids */
async function release(
  conversation: Conversation,
  tasks: readonly TeamTask[],
  offers: TaskOffers,
): Promise<readonly string[]> {
  const released: string[] = []
  for (const { id } of tasks) {
    const changed = await changeTask(
      conversation,
      { id, edit: { status: 'pending' } },
      { agentId: null, leads: true },
    )
    if (!changed.ok) continue
    released.push(id)
    offers.changed(changed.value.after, null)
  }
  return released
}

interface Left {
  readonly left: readonly StuckCause[]
  readonly tasks: readonly TeamTask[]
}

/** The leader decides about free tasks that nobody takes, and about tasks that wait for a canceled one. */
async function tellLeader(conversation: Conversation, team: Team, { left, tasks }: Left): Promise<boolean> {
  const members = team.members.map(
    ({ name, agentId }) => `${name} (${conversation.agents.state(agentId)?.status ?? 'gone'})`,
  )
  const lines = left.map((cause) => {
    const about = tasks.filter(({ id }) => id === cause.taskId)
    if (cause.kind === 'unclaimed') return `- ${named(about)} is free, and nobody takes it.`
    const behind = tasks.filter(
      ({ status, dependsOn }) => status === 'pending' && dependsOn.includes(cause.taskId),
    )
    return `- ${named(behind)} can never become free, because task ${cause.taskId} ${about.length === 0 ? 'does not exist' : 'is canceled'}. Change depends_on with TaskUpdate, or cancel what nobody needs.`
  })
  const text = [
    `The user resumed the team ${team.name}: it has tasks that nobody works on, and no agent of it works.`,
    ...lines,
    `Members: ${members.length === 0 ? 'none. Add one with Agent, a name and team_name' : members.join(', ')}. Give each free task to a member (TaskUpdate with owner), do it yourself, or cancel it. If the work is done, end the team with TeamDelete.`,
  ].join('\n')
  const said = await queueMessage(conversation, {
    agentId: team.leaderId,
    from: 'runtime',
    sender: null,
    content: [{ type: 'text', text }],
    note: `You resumed the team ${team.name}. The leader decides about tasks that nobody works on.`,
  })
  return said.ok
}

const listOf = (tasks: readonly TeamTask[]): string =>
  `${tasks.length === 1 ? 'task' : 'the tasks'} ${tasks.map(({ id, subject }) => `${id} (${subject})`).join(', ')}`

const named = (tasks: readonly TeamTask[]): string =>
  tasks.map(({ id, subject }) => `task ${id} (${subject})`).join(', ')
