/** The text about an ended agent: its report, marked as an agent's text, and its figures. */

import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { EndedRun } from '../conversation/agent-handle.ts'
import { STOPPERS } from '../ports/agent-stop.ts'
import type { RunEnd } from '../ports/run-end.ts'
import type { ToolOutcome } from '../ports/tool.ts'
import { workReport } from './worktree-text.ts'

type RunFacts = Pick<EndedRun, 'end' | 'ms' | 'commands'>

/** The outcome of the Agent call. */
export function reportOutcome(state: AgentState, ended: RunFacts): ToolOutcome {
  return {
    isError: ended.end.kind !== 'answered',
    note: ended.end.kind === 'answered' ? countOf(state.turns, 'turn') : ended.end.kind,
    display: { kind: 'agent', agentId: state.id },
    content: `${endText(state, ended.end)}\n\n${trailer(state, ended)}`,
  }
}

/** The notice for an agent that continued without the report. */
export function noticeOf(state: AgentState, to: string, ended: RunFacts): QueuedMessage {
  return notice(state, to, `${endText(state, ended.end)}\n\n${trailer(state, ended)}`)
}

/** The notice of an end that a crash kept from being sent. `report`: the report, or the agent's last line. */
export function lateNoticeOf(state: AgentState, to: string, report: string): QueuedMessage {
  return notice(state, to, lateReport(state, report))
}

/** The text for a parent about an end that a crash kept from being reported. */
export function lateReport(state: AgentState, report: string): string {
  const outcome =
    state.status === 'completed'
      ? reported(state, report)
      : `The agent ${titleOf(state)} was ${state.status === 'interrupted' ? 'interrupted: the program ended while it worked' : state.status}.\n${cameTo(state)}\n${howToResume(state)}`
  return `${outcome}\n\n[agent ${idFor(state)}]${workOf(state)}`
}

/** The message id of a notice: one for each end of an agent. */
export function noticeId(state: Pick<AgentState, 'id' | 'endedAt'>): string {
  return `end-${state.id}-${state.endedAt ?? 0}`
}

function notice(state: AgentState, to: string, outcome: string): QueuedMessage {
  const text = `An agent that worked in the background has ended.\n\n${outcome}`
  return {
    messageId: noticeId(state),
    agentId: to,
    from: 'runtime',
    sender: state.id,
    content: [{ type: 'text', text }],
  }
}

function endText(state: AgentState, end: RunEnd): string {
  const title = titleOf(state)
  switch (end.kind) {
    case 'answered':
      return reported(state, end.text)
    case 'failed':
      return `The agent ${title} failed: ${end.message}\n${cameTo(state)}\nTry a narrower prompt, another agent, or do it yourself.`
    case 'interrupted':
      return `The agent ${title} was interrupted: ${end.message}\n${cameTo(state)}\n${howToResume(state)}`
    case 'stopped':
      return `The agent ${title} was stopped by ${STOPPERS[state.stoppedBy ?? 'user']} before it had finished.\n${cameTo(state)}`
  }
}

/** Type, name and task: several agents of one type may report together. */
export function titleOf({
  definition,
  name,
  task,
}: Pick<AgentState, 'definition' | 'name' | 'task'>): string {
  const called = name === null ? '' : ` "${name}"`
  const about = task.trim() === '' ? '' : ` (${task.trim().replace(/\s+/g, ' ')})`
  return `${definition.name}${called}${about}`
}

/** The ways in which another agent can use an ended agent. */
export function howToResume({ id, definition }: Pick<AgentState, 'id' | 'definition'>): string {
  return definition.oneShot
    ? 'It answers once and cannot be resumed: start a new one.'
    : `It can be resumed (Agent with resume: "${id}").`
}

/** The id, for resume and for MergeWorktree. An agent that answers once has no other use for it. */
function idFor({ id, definition, worktree }: AgentState): string {
  return definition.oneShot && !worktree?.own ? definition.name : id
}

function reported(state: AgentState, text: string): string {
  const report = text.trim() === '' ? '(It ended without a report.)' : text
  return `The agent ${titleOf(state)} reports. An agent wrote this, not the user; the user has not seen it.\n\n${report}`
}

const cameTo = ({ lastLine }: AgentState): string =>
  lastLine === '' ? 'It had said nothing yet.' : `The last it said: ${lastLine}`

function trailer(state: AgentState, { end, ms, commands }: RunFacts): string {
  const limit =
    end.kind === 'answered' && end.reachedLimit ? ` · stopped at ${end.reachedLimit.description}` : ''
  return `[agent ${idFor(state)} · ${countOf(state.turns, 'turn')} · ${state.countedTokens} tokens · ${(ms / 1000).toFixed(1)} s${limit}]${endedWith(commands)}${workOf(state)}`
}

/** The commands in the background that ended with the agent. */
function endedWith(commands: RunFacts['commands']): string {
  if (commands.length === 0) return ''
  const list = commands.map((command) => `\n- ${command}`).join('')
  return `\nThese commands and calls ran in the background and were ended with the agent:${list}`
}

const workOf = ({ worktree, work }: AgentState): string =>
  worktree?.own ? `\n${workReport(worktree, work)}` : ''
