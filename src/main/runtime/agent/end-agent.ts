/** What is logged when an agent's run ends, and when an earlier program died during the run. */
import type { AgentEventDraft, Stopper } from '../../../shared/events/agent-event.ts'
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { OpenCall } from '../loop/history.ts'
import { notBegun, stopOf, stopOfRun, whoStopped } from '../ports/agent-stop.ts'
import type { RunEnd } from '../ports/run-end.ts'
import type { ToolOutcome } from '../ports/tool.ts'

/** Answers open calls first, and releases the agent's slot. `signal`: of the run; its reason says who stopped it. */
export function endAgent(agent: LiveAgent, end: RunEnd, signal: AbortSignal): void {
  const { by, id } = end.kind === 'stopped' ? stopOfRun(end, signal) : stopOf(signal)
  closeCalls(agent, end.kind === 'interrupted' ? { status: 'interrupted' } : { status: 'stopped', by })
  agent.transcript.live({ type: 'live-clear', agentId: agent.id, reason: 'stopped' })
  const stop = end.kind === 'stopped' ? { stoppedBy: by, ...(id === null ? {} : { stopId: id }) } : {}
  agent.emit({ type: 'agent-ended', ...outcomeOf(end, agent.state().lastLine), ...stop })
  agent.slot.release()
}

function outcomeOf(
  end: RunEnd,
  lastLine: string,
): Omit<Extract<AgentEventDraft, { type: 'agent-ended' }>, 'type'> {
  switch (end.kind) {
    case 'answered':
      return {
        status: 'completed',
        report: end.text,
        failure: null,
        reachedLimit: end.reachedLimit?.kind ?? null,
        limitOf: end.reachedLimit?.of ?? null,
      }
    case 'failed': {
      const failure = { type: end.cause?.type ?? end.type, message: end.message }
      return {
        status: 'failed',
        report: lastLine,
        failure,
        reachedLimit: end.limit?.kind ?? null,
        limitOf: end.limit?.of ?? null,
      }
    }
    case 'interrupted':
    case 'stopped':
      return { status: end.kind, report: lastLine, failure: null, reachedLimit: null, limitOf: null }
    default:
      return assertNever(end)
  }
}

type CallsEnd = { readonly status: 'stopped'; readonly by: Stopper } | { readonly status: 'interrupted' }

/**
 * Answers calls that will never get a result, so that the history stays valid for the API. `known`: results by call id, for calls
 * whose result follows from the logs of other agents.
 */
export function closeCalls(
  agent: LiveAgent,
  why: CallsEnd,
  known: ReadonlyMap<string, ToolOutcome> = new Map(),
): void {
  for (const open of agent.transcript.history.openCalls())
    agent.emit({
      type: 'tool-ended',
      toolUseId: open.call.id,
      name: open.call.name,
      durationMs: 0,
      outputFile: null,
      isError: true,
      content: resultFor(open, why),
      note: why.status,
      ...known.get(open.call.id),
      display: known.get(open.call.id)?.display ?? null,
    })
}

function resultFor({ started }: OpenCall, why: CallsEnd): string {
  const isStopped = why.status === 'stopped'
  if (started === 'no')
    return isStopped ? notBegun(why.by) : 'Not run. The program ended before this call began.'
  if (isStopped) return `${whoStopped(why.by)} this before it finished.`
  return started === 'with-side-effects'
    ? 'Interrupted: the program ended while this ran, and it may or may not have taken effect. Check before you repeat it.'
    : 'Interrupted: the program ended while this ran. Run it again if you still need it.'
}

/**
 * Records the changes of calls and of commands in the background that were running when their program ended. An
 * external agent may change files without a call.
 */
export async function recoverChanges(
  agent: LiveAgent,
  { id: conversationId, ports }: Pick<Conversation, 'id' | 'ports'>,
): Promise<void> {
  const open = agent.transcript.history.openCalls().map(({ call }) => call.id)
  const calls = [...open, ...agent.state().commands.map(({ toolUseId }) => toolUseId)]
  if (calls.length === 0 && agent.state().definition.program === undefined) return
  const found = await ports.changes?.recover({ conversationId, agentId: agent.id }, calls)
  for (const changes of found ?? []) agent.transcript.emit({ type: 'files-changed', ...changes })
}
