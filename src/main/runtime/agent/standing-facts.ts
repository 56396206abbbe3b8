/**
 * What an agent was told, or did, before a summary and still needs after it: its folder, its team, its work in the
 * background, its to-do list, and the files it knows. A summary may omit them.
 */

import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { titleOf } from './report.ts'
import { worktreeText } from './worktree-text.ts'

interface StandingAgent {
  readonly state: AgentState
  readonly record: Pick<ConversationRecord, 'teams' | 'phases' | 'coordinator' | 'mainAgentId'>
  /** The agents that it started, directly or through others, oldest first. */
  readonly started: readonly AgentState[]
  /** Its commands that run in the background: "b-1 (npm start)". */
  readonly commands: readonly string[]
  /** Tools whose removal was announced to it. */
  readonly removedTools: readonly string[]
  /** The files it has read or written, in that order. */
  readonly files: readonly string[]
  /** The shell's folder. */
  readonly cwd: string
}

/** Null: nothing to tell, or the agent is not in memory. */
export function standingFacts({ agents, file, commands }: Conversation, agentId: string): string | null {
  const agent = agents.get(agentId)?.agent
  if (!agent) return null
  const { session, transcript } = agent
  return factsOf({
    state: agent.state(),
    record: file.record,
    started: agents.states().filter(({ id }) => agents.isBelow(id, agentId)),
    commands: commands.listFor(agentId),
    removedTools: [...transcript.history.told.removed],
    files: [...session.seen.values()].map(({ path }) => path),
    cwd: session.cwd,
  })
}

function factsOf(agent: StandingAgent): string | null {
  const parts = [
    memberText(agent.record, agent.state.id),
    worktreeOf(agent.state),
    agent.cwd === agent.state.cwd ? null : `Your shell is in ${agent.cwd}.`,
    leaderText(agent),
    phaseText(agent),
    list('Your commands in the background, which still run (TaskOutput reads their output)', agent.commands),
    list('The agents that you started', agent.started.map(agentLine)),
    list(
      'Your to-do list',
      agent.state.todos.map(({ status, content }) => `${status}: ${content}`),
    ),
    list('These tools were removed, so calls of them fail', agent.removedTools),
    list(
      'The files that you read or changed. Their text is no longer above: read again what you need of it',
      agent.files,
    ),
  ].filter((part) => part !== null)
  return parts.length === 0
    ? null
    : `This still holds after the summary, as it is now; where the summary differs, this counts.\n\n${parts.join('\n\n')}`
}

function worktreeOf({ worktree, cwd }: AgentState): string | null {
  return worktree?.own ? worktreeText(worktree, cwd) : null
}

function leaderText({ state, record }: StandingAgent): string | null {
  const teams = record.teams.filter(({ endedAt, leaderId }) => endedAt === null && leaderId === state.id)
  if (teams.length === 0) return null
  return teams
    .map(
      ({ name, members }) =>
        `You lead the team "${name}": ${members.map((member) => `${member.name} (${member.agent})`).join(', ') || 'no members yet'}. TaskList shows its tasks.`,
    )
    .join('\n')
}

function phaseText({ state, record }: StandingAgent): string | null {
  const phase = record.phases.at(-1)
  if (!record.coordinator || state.id !== record.mainAgentId || phase === undefined) return null
  return `You are in the phase ${phase.phase}${phase.note === '' ? '.' : `: ${phase.note}`}`
}

function agentLine(state: AgentState): string {
  const { id, status, background, worktree, work } = state
  const where = isLive(state) && background !== 'no' ? ' in the background' : ''
  const branch =
    worktree?.own && work !== null && !work.unchanged ? `, its work is on the branch ${worktree.branch}` : ''
  return `${id}: ${titleOf(state)}, ${status}${where}${branch}`
}

/** The newest ones: the list stays short. */
const MOST_LISTED = 30

function list(title: string, entries: readonly string[]): string | null {
  if (entries.length === 0) return null
  const shown = entries.slice(-MOST_LISTED)
  const left = entries.length - shown.length
  const lines = [...(left > 0 ? [`… and ${left} older`] : []), ...shown]
  return `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`
}

/** Tells a member of a team who it is and who else is there. Null: the agent is in no team that works. */
export function memberText({ teams }: Pick<ConversationRecord, 'teams'>, agentId: string): string | null {
  const team = teams.find(
    ({ endedAt, members }) => endedAt === null && members.some((member) => member.agentId === agentId),
  )
  const me = team?.members.find((member) => member.agentId === agentId)
  if (team === undefined || me === undefined) return null
  const others = team.members.filter((member) => member !== me).map(({ name, agent }) => `${name} (${agent})`)
  return `You are "${me.name}" in the team "${team.name}". The leader is the main agent: write to it as "leader". ${others.length === 0 ? 'There are no other members yet.' : `The other members: ${others.join(', ')}.`}`
}
