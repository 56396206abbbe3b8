/** What is told of an agent that ended: its report, framed as what an agent wrote, and its figures. */
import { type AgentState, totalTokens } from '../../../shared/agent-state.ts'
import type { QueuedWords } from '../../../shared/conversation.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import type { ToolOutcome } from '../tool.ts'
import { workReport } from './worktree-words.ts'

/** The outcome of the Agent call. `ms` is how long the agent took. */
export function reportOutcome(
  state: AgentState,
  { end, ms }: { readonly end: RunEnd; readonly ms: number },
): ToolOutcome {
  return {
    isError: end.kind !== 'answered',
    note: end.kind === 'answered' ? `${state.turn} turns` : end.kind,
    display: { kind: 'agent', agentId: state.id },
    content: `${endWords(state, end)}\n\n${trailer(state, end, ms)}`,
  }
}

/** For the agent that started it and has gone on since. */
export function noticeOf(
  state: AgentState,
  to: string,
  { end, ms }: { readonly end: RunEnd; readonly ms: number },
): QueuedWords {
  return notice(state, to, `${endWords(state, end)}\n\n${trailer(state, end, ms)}`)
}

/** The same for an agent whose process died before it could be told. `report`: its last words, or how far it came. */
export function lateNoticeOf(state: AgentState, to: string, report: string): QueuedWords {
  const words =
    state.status === 'completed'
      ? reported(state.definition.name, report)
      : `The agent ${state.definition.name} was ${state.status === 'interrupted' ? 'interrupted: the program ended while it worked' : state.status}.\n${cameTo(state)}\nIt can be resumed (resume: ${state.id}).`
  const work = state.worktree?.own ? `\n${workReport(state.worktree, state.work)}` : ''
  return notice(state, to, `${words}\n\n[agent ${state.id}]${work}`)
}

/** By which a notice is known again: there is one for each end. */
export function noticeId(state: Pick<AgentState, 'id' | 'endedAt'>): string {
  return `end-${state.id}-${state.endedAt ?? 0}`
}

function notice(state: AgentState, to: string, words: string): QueuedWords {
  const text = `An agent that worked in the background has ended (${state.definition.name}: ${state.task}).\n\n${words}`
  return {
    messageId: noticeId(state),
    agentId: to,
    from: 'runtime',
    sender: state.id,
    content: [{ type: 'text', text }],
  }
}

function endWords(state: AgentState, end: RunEnd): string {
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
  const limit = end.kind === 'answered' && end.reachedLimit ? ` · stopped at ${end.reachedLimit.words}` : ''
  const work = state.worktree?.own ? `\n${workReport(state.worktree, state.work)}` : ''
  return `[agent ${state.id} · ${state.turn} turns · ${totalTokens(state.usage)} tokens · ${(ms / 1000).toFixed(1)} s${limit}]${work}`
}
