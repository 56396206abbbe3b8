/** Carries out TeamCreate calls: all members start, or none. */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { MemberBacking } from '../../../shared/teams/team.ts'
import type { BackingKind, Team, TeamMember } from '../../../shared/teams/team-schema.ts'
import type { FolderCatalog } from '../agent/agent-tools.ts'
import { catalogOf } from '../agent/spawn-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import { askForStarts } from '../run/ask-fan-out.ts'
import {
  definitionFor,
  discardPrepared,
  type Membership,
  type PreparedStart,
  prepareAgent,
} from '../run/prepare-agent.ts'
import { startSubagent } from '../run/run-agents.ts'
import type { Calling } from '../run/run-child.ts'
import { userContext } from '../run/run-child.ts'
import { joinTeam, launchAgent } from '../run/start-agent.ts'
import { whyNoMore, whyNotNamed } from '../run/start-checks.ts'
import { describedBy } from '../tools/agent.ts'
import type { MemberCall, TeamCreateCall } from '../tools/team-create.ts'
import { readTasks } from './task-list.ts'
import { freeTasks } from './task-rules.ts'

export async function createTeam(
  conversation: Conversation,
  call: TeamCreateCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const leader = conversation.agents.get(context.agentId)?.agent
  if (!leader) return toolError('The calling agent no longer exists.')
  const problems = await problemsOf(conversation, call, leader)
  if (problems.length > 0) return notCreated(problems)
  const types = call.members.map(({ agent }) => agent)
  const refusal = await askForStarts(conversation, types, { parent: leader, context })
  if (refusal !== null) return toolError(refusal, 'not created')
  const start = conversation.starts.begin(leader.id)
  const prepared: PreparedStart[] = []
  try {
    const teamId = conversation.ports.ids.next('t')
    for (const member of call.members) {
      const one = await prepareAgent(conversation, callFor(member, { leader, context }), {
        earlier: start.earlier,
        member: membershipOf(member, teamId),
      })
      if (one.ok) prepared.push(one.value)
      problems.push(...(await unusableMember(conversation, member, one)))
      if (context.signal.aborted) problems.push('The call was stopped.')
      if (problems.length > 0) break
    }
    // Checked last, without an await before the spawns: calls run in parallel.
    if (problems.length === 0) problems.push(...namesAndLimits(conversation, call, leader))
    if (problems.length > 0) {
      for (const one of prepared) await discardPrepared(conversation, one)
      return notCreated(problems)
    }
    const team = begin(conversation, { call, teamId, leader }, prepared)
    start.done()
    return await created(conversation, team, prepared, context)
  } finally {
    start.done()
  }
}

/** Names the team in the log, then starts its members. */
function begin(
  conversation: Conversation,
  {
    call,
    teamId,
    leader,
  }: { readonly call: TeamCreateCall; readonly teamId: string; readonly leader: LiveAgent },
  prepared: readonly PreparedStart[],
): Team {
  const members = prepared.map(
    ({ id, plan: { spawn } }): TeamMember => ({
      name: spawn.name ?? id,
      agentId: id,
      agent: spawn.definition.name,
      backing: spawn.backing,
    }),
  )
  const team: Team = {
    id: teamId,
    name: call.name,
    leaderId: leader.id,
    members,
    createdAt: conversation.ports.clock.now(),
    endingAt: null,
    endedAt: null,
  }
  conversation.file.emit({ type: 'team-created', team })
  for (const one of prepared) {
    const { handle } = launchAgent(conversation, one)
    void startSubagent(conversation, handle)
  }
  return team
}

async function created(
  conversation: Conversation,
  team: Team,
  prepared: readonly PreparedStart[],
  { signal }: ToolContext,
): Promise<ToolOutcome> {
  // The outcome says that the agents exist, so they must be on disk.
  for (const { id } of prepared) await conversation.agents.get(id)?.agent?.flush(signal)
  const lines = prepared.map(({ id, plan: { spawn }, workingFolder }) => {
    const where = [
      WHERE[spawn.backing],
      workingFolder.worktree?.own ? `branch ${workingFolder.worktree.branch}` : null,
    ]
    const note = workingFolder.forParent === null ? '' : ` ${workingFolder.forParent}`
    return `- ${spawn.name} (${spawn.definition.name}, id ${id}): ${where.filter((part) => part !== null).join(', ')}.${note}`
  })
  const tasks = await readTasks(conversation)
  const free = tasks.ok ? freeTasks(tasks.value).length : 0
  const taskText =
    free > 0
      ? `The task list has ${countOf(free, 'free task')}.`
      : 'The task list has no free task: members with nothing in their prompt end their run, and TaskCreate wakes them.'
  return {
    isError: false,
    note: countOf(prepared.length, 'member'),
    content:
      prepared.length === 0
        ? `The team ${team.name} has no members yet. Create its tasks with TaskCreate, then add each member with Agent: a name, team_name "${team.name}" and a prompt.`
        : `The team ${team.name} works in the background:\n${lines.join('\n')}\n${taskText}\nA notice brings you the report of each member when it ends its run; then it is idle until a message or a free task resumes it. Write to one with SendMessage and its name, to all with "*". Do not wait for them, and do not guess their reports: continue with what needs no report, or end your turn.`,
  }
}

const WHERE: Readonly<Record<BackingKind, string>> = {
  acp: 'in an external agent',
  'acp-child': 'in an external agent',
  'in-process': 'in this program',
  pane: 'in a process of its own on this machine',
  remote: 'on another machine',
}

const membershipOf = (member: MemberCall, teamId: string): Membership => ({
  teamId,
  backing: backingOf(member),
  ...(member.platform && { platform: member.platform }),
})

const backingOf = ({ backing }: Pick<MemberCall, 'backing'>): MemberBacking => backing ?? 'in-process'

function callFor(
  { name, agent, prompt, isolation, model, backing }: MemberCall,
  { leader, context }: { readonly leader: LiveAgent; readonly context: ToolContext },
): Calling {
  const call = {
    description: describedBy({ prompt }),
    prompt,
    subagent_type: agent,
    name,
    run_in_background: true,
    // On another machine the agent can only work in a checkout of its own.
    isolation: backing === 'remote' ? ('worktree' as const) : isolation,
    model,
  }
  return { parent: leader, call, context }
}

/** Adds a member to a team for the user. Fails with `not-possible`: what is wrong with the member. */
export async function addMember(
  conversation: Conversation,
  team: Team,
  member: MemberCall,
): Promise<Result<{ readonly agentId: string }>> {
  const leader = conversation.agents.get(team.leaderId)?.agent
  if (!leader) return fail({ type: 'not-possible', message: 'The leader of this team no longer exists.' })
  const call = { name: null, members: [member] }
  const problems = await problemsOf(conversation, call, leader)
  if (problems.length > 0) return fail({ type: 'not-possible', message: problems.join(' ') })
  const context = userContext(leader, conversation.lifetime.signal)
  const start = conversation.starts.begin(leader.id)
  try {
    const prepared = await prepareAgent(conversation, callFor(member, { leader, context }), {
      earlier: start.earlier,
      member: membershipOf(member, team.id),
    })
    if (!prepared.ok) return prepared
    const late = [
      ...(await unusableMember(conversation, member, prepared)),
      ...namesAndLimits(conversation, call, leader),
    ]
    if (late.length > 0) {
      await discardPrepared(conversation, prepared.value)
      return fail({ type: 'not-possible', message: late.join(' ') })
    }
    joinTeam(conversation, prepared.value)
    const { handle, agent } = launchAgent(conversation, prepared.value)
    void startSubagent(conversation, handle)
    const saved = await conversation.file.tryFlush(agent.id)
    return saved.ok ? ok({ agentId: agent.id }) : saved
  } finally {
    start.done()
  }
}

// ---- checks ------------------------------------------------------------------------------------

/** `name: null`: the members join a team that works. */
type CheckedCall = Pick<TeamCreateCall, 'members'> & { readonly name: string | null }

/** Every reason why the team can't be created. */
async function problemsOf(
  conversation: Conversation,
  call: CheckedCall,
  leader: LiveAgent,
): Promise<string[]> {
  const catalog = await catalogOf(conversation)
  return [
    ...namesAndLimits(conversation, call, leader),
    ...unknownAgents(call, leader, catalog),
    ...(await unusableBackings(conversation, call)),
  ]
}

function namesAndLimits(conversation: Conversation, { name, members }: CheckedCall, leader: LiveAgent) {
  const problems: string[] = []
  const same = conversation.file.record.teams.find(
    (team) => team.endedAt === null && team.name.toLowerCase() === name?.toLowerCase(),
  )
  if (same !== undefined)
    problems.push(
      `There is a team ${same.name} already, with ${same.members.map((member) => member.name).join(', ') || 'no members'}. Add a member with Agent and team_name, end it with TeamDelete, or choose another name.`,
    )
  const seen = new Set<string>()
  for (const member of members) {
    const taken = whyNotNamed(conversation, member.name)
    if (taken !== null) problems.push(`${member.name}: ${taken}`)
    if (seen.has(member.name.toLowerCase())) problems.push(`Two members have the name "${member.name}".`)
    seen.add(member.name.toLowerCase())
  }
  const full = whyNoMore(conversation, leader, members.length)
  if (full !== null) problems.push(full)
  return problems
}

function unknownAgents(
  { members }: CheckedCall,
  leader: LiveAgent,
  catalog: FolderCatalog,
): readonly string[] {
  const types = [...new Set(members.map(({ agent }) => agent))]
  return types.flatMap((subagent_type) => {
    const found = definitionFor(
      { parent: leader, call: { subagent_type } },
      { catalog, forksByDefault: false },
    )
    if (found.ok) return []
    const names = members.filter(({ agent }) => agent === subagent_type).map(({ name }) => name)
    return [`${names.join(', ')}: ${found.failure.message}`]
  })
}

const noWorkers = fail({ message: 'This program runs no workers. Leave out backing.' })

async function unusableBackings(
  { assembly, file }: Conversation,
  { members }: CheckedCall,
): Promise<readonly string[]> {
  const kinds = [...new Set(members.map(backingOf))].filter((kind) => kind !== 'in-process')
  const problems = members
    .filter((member) => member.platform !== undefined && backingOf(member) !== 'remote')
    .map(({ name }) => `${name}: platform needs the backing remote.`)
  for (const kind of kinds) {
    const checked = (await assembly.workers?.check(kind, { folder: file.record.folder })) ?? noWorkers
    if (checked.ok) continue
    const names = members.filter((member) => backingOf(member) === kind).map(({ name }) => name)
    problems.push(cannotRun(names, kind, checked.failure.message))
  }
  return problems
}

/** Why the member can't start: it could not be prepared, or no worker has what it needs. */
async function unusableMember(
  { assembly, file }: Conversation,
  member: MemberCall,
  prepared: Result<PreparedStart>,
): Promise<readonly string[]> {
  if (!prepared.ok) return [`${member.name}: ${prepared.failure.message}`]
  const kind = backingOf(member)
  if (kind === 'in-process') return []
  const { spawn } = prepared.value.plan
  const checked = await assembly.workers?.check(kind, { folder: file.record.folder, agent: spawn })
  return checked?.ok === false ? [cannotRun([member.name], kind, checked.failure.message)] : []
}

const cannotRun = (names: readonly string[], kind: MemberBacking, why: string) =>
  `${names.join(', ')}: can't run ${WHERE[kind]} (${kind}). ${why}`

function notCreated(problems: readonly string[]): ToolOutcome {
  const text =
    problems.length === 1 ? ` ${problems[0]}` : `\n${problems.map((problem) => `- ${problem}`).join('\n')}`
  return toolError(`The team was not created, and no agent was started.${text}`, 'not created')
}
