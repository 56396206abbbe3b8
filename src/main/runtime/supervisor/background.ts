/** What an agent asks about those that work in the background, and what is still to be told of them. */
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import type { QueuedWords } from '../../../shared/conversation.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { TranscriptStore } from '../ports.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { TaskOutputCall } from '../tools/task-output.ts'
import type { TaskStopCall } from '../tools/task-stop.ts'
import { stopAgent } from './control.ts'
import type { Conversation } from './conversation.ts'
import { lateNoticeOf, noticeId } from './report.ts'

/** What a TaskOutput call does. */
export async function taskOutput(
  conversation: Conversation,
  { task_id, block, timeout }: TaskOutputCall,
  { agentId, signal }: ToolContext,
): Promise<ToolOutcome> {
  const found = taskOf(conversation, task_id, agentId)
  if ('isError' in found) return found
  const { id } = found
  const run = conversation.agents.get(id)?.run ?? conversation.leaving.get(id)?.run
  const caller = conversation.agents.get(agentId)
  if (block && run && caller) {
    const over = new AbortController()
    const end = () => over.abort()
    signal.addEventListener('abort', end, { once: true })
    const time = conversation.clock.sleep(timeout, over.signal)
    await caller.waitFor('children', Promise.race([run.catch(() => undefined), time]))
    signal.removeEventListener('abort', end)
    end()
  }
  const state = conversation.state(id) ?? found
  const display = { kind: 'agent', agentId: id } as const
  return { isError: false, note: state.status, display, content: howFar(conversation, state) }
}

function howFar(conversation: Conversation, state: AgentState): string {
  const { id, definition, task, status, turn, maxTurns, action, lastLine, report } = state
  const who = `${definition.name} (${id}: ${task})`
  if (isLive(state)) {
    const does = action?.running
      ? `It uses ${action.tool}: ${action.summary}`
      : `The last it said: ${lastLine || 'nothing yet'}`
    return `${who} has not ended; it is ${status}, in turn ${turn} of at most ${maxTurns}.\n${does}\nYou are told when it has ended.`
  }
  if (conversation.queue.has(noticeId(state)))
    return `${who} has ended: ${status}. What it reports comes with this message.`
  // Its end is being written: the message is on its way.
  if (conversation.leaving.has(state.id))
    return `${who} has ended: ${status}. You are told what it reports in a moment.`
  return `${who} has ended: ${status}.\n\n${report === '' ? '(There is no report.)' : `It reported, in its own words:\n${report}`}`
}

/** What a TaskStop call does. */
export async function taskStop(
  conversation: Conversation,
  { task_id }: TaskStopCall,
  { agentId }: ToolContext,
): Promise<ToolOutcome> {
  const found = taskOf(conversation, task_id, agentId)
  if ('isError' in found) return found
  if (isLive(found)) await stopAgent(conversation, found.id)
  const { status } = conversation.state(found.id) ?? found
  if (!isLive(found) || status !== 'stopped')
    return { isError: false, note: status, content: `${found.id} had ended already: ${status}.` }
  return {
    isError: false,
    note: 'stopped',
    display: { kind: 'agent', agentId: found.id },
    content: `${found.id} was stopped. It can be resumed (Agent with resume: ${found.id}).`,
  }
}

/** One that the caller started itself, or that one of those did. */
function taskOf(conversation: Conversation, idOrName: string, callerId: string): AgentState | ToolOutcome {
  const state = conversation.find(idOrName)
  if (state !== null && conversation.isBelow(state.id, callerId)) return state
  const there = conversation
    .states()
    .filter(({ id, background }) => background !== 'no' && conversation.isBelow(id, callerId))
    .map(({ id, definition, status }) => `${id} (${definition.name}, ${status})`)
  return toolError(
    `There is no agent ${idOrName} that you started. ${there.length === 0 ? 'None of yours works in the background.' : `In the background: ${there.join(', ')}.`}`,
    'unknown agent',
  )
}

/** Ends that nobody was told of, because the program ended first. `told`: the ids of messages that were read, or wait. */
export async function untoldEnds(
  states: readonly AgentState[],
  { mainAgentId, told }: { readonly mainAgentId: string; readonly told: ReadonlySet<string> },
  store: TranscriptStore,
): Promise<Result<readonly QueuedWords[]>> {
  const untold = states.filter(
    (state) => state.background !== 'no' && state.endedAt !== null && !told.has(noticeId(state)),
  )
  const notices: QueuedWords[] = []
  for (const state of untold) {
    // The state has only the report's beginning.
    const page = await store.page(state.id, { before: null, limit: 1 })
    if (!page.ok) return page
    const [last] = page.value.events
    const report = last?.type === 'agent-ended' ? last.report : state.report
    notices.push(lateNoticeOf(state, mainAgentId, report))
  }
  return ok(notices)
}
