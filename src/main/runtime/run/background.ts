/** Carries out TaskOutput and TaskStop calls, and finds ends without a notice. */

import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { howToResume, lateNoticeOf, noticeId, titleOf } from '../agent/report.ts'
import { unknownTask } from '../conversation/background-command.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'
import type { TaskOutputCall } from '../tools/task-output.ts'
import type { TaskStopCall } from '../tools/task-stop.ts'
import { stopAgent } from './control.ts'

export async function taskOutput(
  conversation: Conversation,
  { task_id, block, timeout }: TaskOutputCall,
  { agentId, signal }: ToolContext,
): Promise<ToolOutcome> {
  const found = taskOf(conversation, task_id, agentId)
  if ('isError' in found) return found
  const { id } = found
  const run = conversation.agents.get(id)?.done
  const caller = conversation.agents.get(agentId)?.agent
  if (block && run && caller) {
    const waiting = new AbortController()
    const end = () => waiting.abort()
    signal.addEventListener('abort', end, { once: true })
    const time = conversation.ports.clock.sleep(timeout, waiting.signal)
    await caller.slot.waitFor('children', Promise.race([run.catch(() => undefined), time]))
    signal.removeEventListener('abort', end)
    end()
  }
  const state = conversation.agents.state(id) ?? found
  const display = { kind: 'agent', agentId: id } as const
  const content = progressText(conversation, state, agentId)
  return { isError: false, note: state.status, display, content }
}

function progressText({ agents, file }: Conversation, state: AgentState, callerId: string): string {
  const { id, status, turn, maxTurns, action, lastLine, report, background } = state
  const agent = `${titleOf(state)}, id ${id},`
  if (isLive(state)) {
    const getsNotice = background !== 'no' && agents.nearestRunningAbove(id) === callerId
    const does = action?.running
      ? `It uses ${action.tool}: ${action.summary}`
      : `The last it said: ${lastLine || 'nothing yet'}`
    return `${agent} has not ended; it is ${status}, in turn ${turn} of at most ${maxTurns}.\n${does}${getsNotice ? '\nA notice brings you its report when it ends.' : ''}`
  }
  if (file.queue.has(noticeId(state)))
    return `${agent} has ended: ${status}. The notice with its report comes with this message.`
  if (agents.get(state.id)?.isEnding)
    return `${agent} has ended: ${status}. The notice with its report follows.`
  return `${agent} has ended: ${status}.\n\n${report === '' ? '(There is no report.)' : `It reported, in its own words:\n${report}`}`
}

export async function taskStop(
  conversation: Conversation,
  { task_id }: TaskStopCall,
  { agentId }: ToolContext,
): Promise<ToolOutcome> {
  const found = taskOf(conversation, task_id, agentId)
  if ('isError' in found) return found
  const stopping = isLive(found) ? await stopAgent(conversation, found.id, 'agent') : null
  if (stopping?.ok === false) return toolError(stopping.failure.message, 'not stopped')
  const { status } = conversation.agents.state(found.id) ?? found
  if (!isLive(found) || status !== 'stopped')
    return { isError: false, note: status, content: `${found.id} had ended already: ${status}.` }
  return {
    isError: false,
    note: 'stopped',
    display: { kind: 'agent', agentId: found.id },
    content: `${titleOf(found)} was stopped. ${howToResume(found)}`,
  }
}

/** An agent that the caller started, directly or through other agents. */
function taskOf(
  { agents, commands }: Conversation,
  idOrName: string,
  callerId: string,
): AgentState | ToolOutcome {
  const state = agents.find(idOrName)
  if (state !== null && agents.isBelow(state.id, callerId)) return state
  const known = agents
    .states()
    .filter(({ id, background }) => background !== 'no' && agents.isBelow(id, callerId))
    .map(({ id, definition, status }) => `${id} (${definition.name}, ${status})`)
  return toolError(unknownTask(idOrName, [...commands.listFor(callerId), ...known]), 'unknown agent')
}

/** Notices of ends that a crash kept from being sent. `told`: the ids of messages that were read or are queued. */
export async function unreportedEnds(
  states: readonly AgentState[],
  { mainAgentId, told }: { readonly mainAgentId: string; readonly told: ReadonlySet<string> },
  store: TranscriptStore,
): Promise<Result<readonly QueuedMessage[]>> {
  const unreported = states.filter(
    (state) => state.background !== 'no' && state.endedAt !== null && !told.has(noticeId(state)),
  )
  const notices: QueuedMessage[] = []
  for (const state of unreported) {
    const report = await wholeReport(state, store)
    if (!report.ok) return report
    notices.push(lateNoticeOf(state, mainAgentId, report.value))
  }
  return ok(notices)
}

/** The report of an ended agent. Its state holds only the beginning. */
export async function wholeReport(
  { id, report }: Pick<AgentState, 'id' | 'report'>,
  store: TranscriptStore,
): Promise<Result<string>> {
  const page = await store.page(id, { before: null, limit: 1 })
  if (!page.ok) return page
  const [last] = page.value.events
  return ok(last?.type === 'agent-ended' ? last.report : report)
}
