/** Ends teams: by agreement, when the members that work have finished, or by force. */
import type { Stopper } from '../../../shared/events/agent-event.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import { stopAgent } from '../run/control.ts'
import { queueMessage } from '../run/send-message.ts'
import type { TeamDeleteCall } from '../tools/team-delete.ts'
import { changeTask } from './task-list.ts'

export function workingTeams({ file }: Pick<Conversation, 'file'>): readonly Team[] {
  return file.record.teams.filter(({ endedAt }) => endedAt === null)
}

export async function deleteTeam(
  conversation: Conversation,
  { name, force, timeout }: TeamDeleteCall,
  { agentId, signal }: ToolContext,
): Promise<ToolOutcome> {
  const teams = workingTeams(conversation)
  const team = teams.find((one) => one.name.toLowerCase() === name.toLowerCase())
  if (team === undefined) {
    const known = teams.map((one) => one.name).join(', ')
    return toolError(
      `There is no team "${name}". ${known === '' ? 'No team works now.' : `Teams: ${known}.`}`,
      'no team',
    )
  }
  await endTeam(conversation, team.id, { force, by: 'agent' })
  const caller = conversation.agents.get(agentId)?.agent
  if (!force && caller) {
    const waiting = new AbortController()
    const end = () => waiting.abort()
    signal.addEventListener('abort', end, { once: true })
    const time = conversation.ports.clock.sleep(timeout, waiting.signal).then(end)
    await caller.slot.waitFor(
      'children',
      Promise.race([time, allEnded(conversation, team.id, waiting.signal)]),
    )
    signal.removeEventListener('abort', end)
    end()
  }
  return endOutcome(conversation, team)
}

function endOutcome(conversation: Conversation, { id, name, members }: Team): ToolOutcome {
  const left = conversation.file.record.teams.find((team) => team.id === id)
  const open = conversation.file.record.tasks.filter(
    ({ status }) => status === 'pending' || status === 'in_progress',
  )
  const tasks =
    open.length === 0
      ? ''
      : ` ${countOf(open.length, 'task')} of the list ${open.length === 1 ? 'is' : 'are'} not done: ${open.map((task) => `${task.id} (${task.subject})`).join(', ')}.`
  if (left?.endedAt !== null && left !== undefined) {
    const reports = members.length === 0 ? '' : ' A report that you have not seen yet comes with a notice.'
    return {
      isError: false,
      note: 'ended',
      content: `The team ${name} has ended.${reports} SendMessage still resumes a former member by its name.${tasks}`,
    }
  }
  const working = (left?.members ?? []).map((member) => {
    const state = conversation.agents.state(member.agentId)
    const doing = state?.action?.running ? `: ${state.action.tool} ${state.action.summary}`.trimEnd() : ''
    return `${member.name} (${state?.status ?? 'unknown'}, turn ${state?.turn ?? 0}${doing})`
  })
  return {
    isError: false,
    note: `${working.length} still ${working.length === 1 ? 'works' : 'work'}`,
    content: `The team ${name} has not ended yet: ${working.join(', ')} still ${working.length === 1 ? 'works' : 'work'}. Everyone was asked to finish; the team ends with its last member, and notices bring you the reports. Continue meanwhile, or call TeamDelete with force to stop them.${tasks}`,
  }
}

/** Asks the members to finish, or stops them. Resolves when that is said or done; the team ends with its last member. */
export async function endTeam(
  conversation: Conversation,
  teamId: string,
  { force, by }: { readonly force: boolean; readonly by: Stopper },
): Promise<void> {
  const { file, agents } = conversation
  const team = teamWith(conversation, teamId)
  if (team === null || team.endedAt !== null) return
  const wasEnding = team.endingAt !== null
  if (!wasEnding) file.emit({ type: 'team-ending', teamId })
  await Promise.all(
    team.members.map(async ({ agentId }) => {
      const handle = agents.get(agentId)
      // A member whose run is over is not asked to finish: that would resume it.
      if (handle?.isEnding || handle?.isStopping) await handle.done?.catch(() => undefined)
      if (!handle?.isRunning) await leaveTeam(conversation, agentId)
      else if (force) await stopAgent(conversation, agentId, by)
      else if (!wasEnding) await queueMessage(conversation, { agentId, ...shutdown(by) })
    }),
  )
  finishIfEmpty(conversation, teamId, { forced: false })
  await file.save()
}

const shutdown = (by: Stopper) => ({
  from: 'runtime' as const,
  sender: null,
  content: [
    {
      type: 'text' as const,
      text: `${by === 'user' ? 'The user' : 'The leader'} ends the team. Finish the task that you have begun, set it to "completed" (or release it with "pending" if you can't finish it soon), take no other task, and end your turn with your report.`,
    },
  ],
  note: 'The team is ending. This agent was asked to finish.',
})

/** The member's agent has ended: it leaves, and its tasks are released. */
export async function leaveTeam(conversation: Conversation, agentId: string): Promise<void> {
  const { file, assembly } = conversation
  const team = workingTeams(conversation).find(({ members }) =>
    members.some((one) => one.agentId === agentId),
  )
  const member = team?.members.find((one) => one.agentId === agentId)
  if (team === undefined || member === undefined) return
  await releaseTasks(conversation, agentId)
  file.emit({ type: 'team-member-removed', teamId: team.id, name: member.name })
  assembly.workers?.released?.(conversation.id, agentId)
}

/** Ends a team that is ending and has no members left. `forced`: they were stopped. */
export function finishIfEmpty(
  conversation: Conversation,
  teamId: string,
  { forced }: { readonly forced: boolean },
): void {
  const team = teamWith(conversation, teamId)
  if (team === null || team.endedAt !== null || team.endingAt === null || team.members.length > 0) return
  conversation.file.emit({ type: 'team-ended', teamId, forced })
}

/** Releases the tasks that an agent has claimed. @returns their ids */
export async function releaseTasks(conversation: Conversation, agentId: string): Promise<readonly string[]> {
  const released: string[] = []
  for (const { id, status, owner } of conversation.file.record.tasks) {
    if (status !== 'in_progress' || owner !== agentId) continue
    const changed = await changeTask(
      conversation,
      { id, edit: { status: 'pending' } },
      { agentId, leads: false },
    )
    if (changed.ok) released.push(id)
  }
  return released
}

function teamWith({ file }: Conversation, teamId: string): Team | null {
  return file.record.teams.find(({ id }) => id === teamId) ?? null
}

/** Resolves when the team has ended or the signal aborts. */
async function allEnded(conversation: Conversation, teamId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const team = teamWith(conversation, teamId)
    if (team === null || team.endedAt !== null) return
    const runs = team.members.flatMap(({ agentId }) => conversation.agents.get(agentId)?.done ?? [])
    if (runs.length === 0) return
    await Promise.race(runs.map((run) => run.catch(() => undefined)))
  }
}
