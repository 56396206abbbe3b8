/** Carries out an Agent call, or the call of a skill that an agent of its own carries out: starts a new agent, or resumes one. */
import type { Team } from '../../../shared/teams/team-schema.ts'
import { forkEvents } from '../agent/fork.ts'
import { memberText } from '../agent/standing-facts.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { LoadedSkill } from '../ports/definitions.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import { commandFrame } from '../slash/expand-text.ts'
import type { AgentCall } from '../tools/agent.ts'
import { askForCalls } from './ask-fan-out.ts'
import { discardPrepared, type PreparedStart, prepareAgent } from './prepare-agent.ts'
import { resumeAgent } from './resume-agent.ts'
import { type Calling, promptChild, runChild } from './run-child.ts'
import { roomFor, whyNoMore, whyNotDeeper, whyNotNamed } from './start-checks.ts'

/** A failure is an outcome that says what went wrong, and how far the agent came. */
export async function callAgent(
  conversation: Conversation,
  call: AgentCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const parent = conversation.agents.get(context.agentId)?.agent
  if (!parent) return toolError('The calling agent no longer exists.')
  const asked = call.resume === undefined ? askForCalls(conversation, parent, context) : null
  const refusal = asked === null ? null : await asked
  if (refusal !== null)
    return { ...toolError(refusal, 'not started'), display: { kind: 'not-started', limit: null } }
  return call.resume === undefined
    ? startNew(conversation, { parent, call, context })
    : resumeAgent(conversation, { parent, call: { ...call, resume: call.resume }, context })
}

async function startNew(conversation: Conversation, given: Calling): Promise<ToolOutcome> {
  const joining = teamOf(conversation, given)
  if (typeof joining === 'string') return toolError(joining, 'no team')
  // A member of a team never keeps its leader waiting.
  const calling =
    joining === null ? given : { ...given, call: { ...given.call, run_in_background: true as const } }
  const start = conversation.starts.begin(calling.parent.id)
  try {
    const member = joining === null ? undefined : { teamId: joining.id, backing: 'in-process' as const }
    const prepared = await prepareAgent(conversation, calling, { earlier: start.earlier, member })
    if (!prepared.ok) return notPrepared(conversation, calling.parent, prepared.failure)
    const { plan, workingFolder } = prepared.value
    // Checked last, without an await before the spawn: calls run in parallel.
    const refused = whyNotNow(conversation, calling)
    if (refused !== null) {
      await discardPrepared(conversation, prepared.value)
      return refused
    }
    if (joining !== null) joinTeam(conversation, prepared.value)
    const { handle, agent } = launchAgent(conversation, prepared.value)
    const running = runChild(conversation, calling, { handle, agent, background: plan.spawn.background })
    start.done()
    const outcome = await running
    const { forParent } = workingFolder
    return forParent ? { ...outcome, content: `${outcome.content}\n${forParent}` } : outcome
  } finally {
    start.done()
  }
}

/** The team that the new agent joins; null: none. A text: why it can't join the team that the call names. */
function teamOf({ file }: Conversation, { parent, call }: Calling): Team | null | string {
  if (call.team_name === undefined) return null
  const wanted = call.team_name.trim().toLowerCase()
  const teams = file.record.teams.filter(({ endedAt }) => endedAt === null)
  const team = teams.find(({ name }) => name.toLowerCase() === wanted)
  const names = teams.map(({ name }) => name).join(', ')
  if (team === undefined)
    return `Not started: there is no team "${call.team_name}". ${names === '' ? 'There is no team now: create one with TeamCreate.' : `Teams: ${names}.`}`
  if (team.leaderId !== parent.id)
    return `Not started: only the leader of the team ${team.name} adds members. Ask it with SendMessage to "leader".`
  if (team.endingAt !== null)
    return `Not started: the team ${team.name} is ending, so nobody joins it. Start the agent without team_name.`
  if (call.name === undefined) return `Not started: a member of a team needs a name. Call again with name.`
  return team
}

/** Names the new agent as a member, and tells those that work, with their next step. To be called just before its launch. */
export function joinTeam(conversation: Conversation, { id, plan: { spawn } }: PreparedStart): void {
  const { teamId, name, backing, definition } = spawn
  if (teamId === null || name === null) return
  const member = { name, agentId: id, agent: definition.name, backing }
  const earlier = conversation.file.record.teams.find((team) => team.id === teamId)?.members ?? []
  for (const { agentId } of earlier)
    conversation.agents.get(agentId)?.agent?.notes.push(`${name} (${definition.name}) has joined your team.`)
  conversation.file.emit({ type: 'team-member-added', teamId, member })
}

/** The outcome of a call whose agent could not be prepared. */
function notPrepared(
  conversation: Conversation,
  parent: LiveAgent,
  { type, message }: { readonly type: string; readonly message: string },
): ToolOutcome {
  return type === 'full'
    ? atLimit(conversation, parent, message)
    : toolError(message, NOTES[type] ?? 'no worktree')
}

/** The outcome of a call at the limit of started agents. */
function atLimit(conversation: Conversation, parent: LiveAgent, text: string): ToolOutcome {
  const { of, most } = roomFor(conversation, parent)
  return { ...toolError(text, 'limit reached'), display: { kind: 'not-started', limit: { of, most } } }
}

const NOTES: Readonly<Record<string, string>> = {
  'unknown-agent': 'unknown agent',
  'no-tools': 'no tools',
  denied: 'denied',
}

/** Why a prepared agent can't start any more, or null. */
function whyNotNow(conversation: Conversation, { parent, call, context }: Calling): ToolOutcome | null {
  const full = whyNoMore(conversation, parent)
  if (full !== null) return atLimit(conversation, parent, full)
  const taken = call.name === undefined ? null : whyNotNamed(conversation, call.name)
  if (taken !== null) return toolError(`Not started: ${taken}`, 'name taken')
  return context.signal.aborted ? toolError('Stopped before the agent was started.', 'stopped') : null
}

/** Spawns a prepared agent and gives it its prompt. The record names a member of a team before. */
export function launchAgent(
  conversation: Conversation,
  prepared: PreparedStart,
): { readonly handle: AgentHandle; readonly agent: LiveAgent } {
  const spawned = spawnChild(conversation, prepared)
  const introduction = memberText(conversation.file.record, prepared.id)
  if (introduction !== null) spawned.agent.transcript.tell(introduction)
  promptChild(conversation, spawned.agent, prepared.calling.call.prompt)
  return spawned
}

/** Spawns the child, with the first events of a fork and with the text about its folder. */
function spawnChild(
  conversation: Conversation,
  { id, calling: { parent, context }, plan, definition, input, workingFolder }: PreparedStart,
): { readonly handle: AgentHandle; readonly agent: LiveAgent } {
  const isFork = plan.spawn.inherits !== null
  const start = isFork
    ? { history: parent.transcript.history.fork(definition.reminder), seen: parent.session.seen }
    : {}
  const spawned = conversation.spawn(id, plan, start)
  const { agent } = spawned
  for (const text of workingFolder.notices) agent.emit({ type: 'notice', level: 'info', text })
  if (isFork)
    for (const event of forkEvents({
      parent,
      toolUseId: context.toolUseId,
      definition,
      memory: input.memory,
      skills: input.skills,
      toolNames: plan.toolNames,
      maxTurns: plan.spawn.maxTurns,
      messageId: conversation.ports.ids.next('m'),
    }))
      agent.emit(event)
  if (workingFolder.message !== null) agent.transcript.tell(workingFolder.message)
  const refused = isFork ? [] : plan.spawn.definition.refused.map(({ tool }) => tool)
  if (refused.length > 0)
    agent.transcript.tell(
      `You work in the background, where calls of these tools are refused: ${refused.join(', ')}.`,
    )
  return spawned
}

interface SkillTask {
  /** With its arguments. */
  readonly text: string
  /** The type of the agent. */
  readonly agent: string
  /** Null: as the definition says. */
  readonly model: string | null
}

/**
 * Starts the agent in the foreground, within the limits of every Agent call. Only the user's own skills allow something:
 * a repository must not bring permissions.
 */
export async function runSkill(
  conversation: Conversation,
  skill: Pick<LoadedSkill, 'name' | 'source' | 'folder' | 'allowedTools'>,
  { task, context }: { readonly task: SkillTask; readonly context: ToolContext },
): Promise<ToolOutcome> {
  const { files } = conversation.ports
  const parent = conversation.agents.get(context.agentId)?.agent
  const refusal = parent ? whyNotDeeper(conversation, parent) : null
  if (refusal !== null)
    return toolError(
      `The skill ${skill.name} was not started, because an agent of its own carries it out: ${refusal} Work without it, and say so in your report.`,
      'not started',
    )
  const folder = await files.realPath(skill.folder)
  return callAgent(
    conversation,
    {
      description: `Skill ${skill.name}`,
      prompt: task.text,
      subagent_type: task.agent,
      ...(task.model !== null && { model: task.model }),
      skill: {
        allowed: skill.source === 'user' ? (skill.allowedTools ?? []) : [],
        folder: folder.ok ? folder.value : skill.folder,
      },
    },
    context,
  )
}

/** Whether the last message of the user to the main agent is the command of this skill. */
export function userRan({ agents }: Conversation, skill: string, agentId: string): boolean {
  const agent = agents.get(agentId)?.agent
  if (!agent || !agents.isMain(agentId)) return false
  const [start = ''] = commandFrame({ name: skill, rest: 'x' }, '').split(' with ')
  const texts = agent.transcript.history
    .messages()
    .flatMap(({ role, content }) => (role === 'user' && typeof content !== 'string' ? content : []))
    .flatMap((block) => (block.type === 'text' && block.text.startsWith('The user ran ') ? [block.text] : []))
  return texts.at(-1)?.startsWith(`${start} `) === true
}
