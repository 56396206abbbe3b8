/** The text about an ended agent: its report, marked as an agent's text, and its figures. */
import { type AgentState, totalTokens } from '../../../shared/agent-state.ts'
import type { QueuedMessage } from '../../../shared/conversation.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import type { ToolOutcome } from '../tool.ts'
import { countOf } from '../tools/amounts.ts'
import { workReport } from './worktree-text.ts'

/** The outcome of the Agent call. `ms` is the duration of the run. */
export function reportOutcome(
  state: AgentState,
  { end, ms }: { readonly end: RunEnd; readonly ms: number },
): ToolOutcome {
  return {
    isError: end.kind !== 'answered',
    note: end.kind === 'answered' ? countOf(state.turn, 'turn') : end.kind,
    display: { kind: 'agent', agentId: state.id },
    content: `${endText(state, end)}\n\n${trailer(state, end, ms)}`,
  }
}

/** The notice for an agent that continued without the report. */
export function noticeOf(
  state: AgentState,
  to: string,
  { end, ms }: { readonly end: RunEnd; readonly ms: number },
): QueuedMessage {
  return notice(state, to, `${endText(state, end)}\n\n${trailer(state, end, ms)}`)
}

/** The notice of an end that the program did not live to send. `report`: the report, or the agent's last line. */
export function lateNoticeOf(state: AgentState, to: string, report: string): QueuedMessage {
  const outcome =
    state.status === 'completed'
      ? reported(state.definition.name, report)
      : `The agent ${state.definition.name} was ${state.status === 'interrupted' ? 'interrupted: the program ended while it worked' : state.status}.\n${cameTo(state)}\nIt can be resumed (resume: ${state.id}).`
  const work = state.worktree?.own ? `\n${workReport(state.worktree, state.work)}` : ''
  return notice(state, to, `${outcome}\n\n[agent ${state.id}]${work}`)
}

/** The message id of a notice: one for each end of an agent. */
export function noticeId(state: Pick<AgentState, 'id' | 'endedAt'>): string {
  return `end-${state.id}-${state.endedAt ?? 0}`
}

function notice(state: AgentState, to: string, outcome: string): QueuedMessage {
  const text = `An agent that worked in the background has ended (${state.definition.name}: ${state.task}).\n\n${outcome}`
  return {
    messageId: noticeId(state),
    agentId: to,
    from: 'runtime',
    sender: state.id,
    content: [{ type: 'text', text }],
  }
}

function endText(state: AgentState, end: RunEnd): string {
  const { name } = state.definition
  switch (end.kind) {
    case 'answered':
      return reported(name, end.text)
    case 'failed':
      return `The agent ${name} failed: ${end.message}\n${cameTo(state)}\nTry a narrower prompt, another agent, or do it yourself.`
    case 'stopped':
      return `The agent ${name} was stopped by the user before it had finished.\n${cameTo(state)}`
  }
}

function reported(name: string, text: string): string {
  const report = text.trim() === '' ? '(It ended without a report.)' : text
  return `The agent ${name} reports. An agent wrote this, not the user; the user has not seen it.\n\n${report}`
}

const cameTo = ({ lastLine }: AgentState): string =>
  lastLine === '' ? 'It had said nothing yet.' : `The last it said: ${lastLine}`

function trailer(state: AgentState, end: RunEnd, ms: number): string {
  const limit =
    end.kind === 'answered' && end.reachedLimit ? ` · stopped at ${end.reachedLimit.description}` : ''
  const work = state.worktree?.own ? `\n${workReport(state.worktree, state.work)}` : ''
  return `[agent ${state.id} · ${countOf(state.turn, 'turn')} · ${totalTokens(state.usage)} tokens · ${(ms / 1000).toFixed(1)} s${limit}]${work}`
}
