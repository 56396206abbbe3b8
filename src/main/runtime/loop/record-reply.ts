/** Records a model's message, and results for the calls that are not run. */
import type { ToolUseBlock } from '../../../shared/messages/content.ts'
import type { ModelCatalog, ModelReply } from '../ports/model.ts'
import type { Clock } from '../ports/ports.ts'
import type { AgentRun, RunContext } from './agent-run.ts'
import type { History } from './history.ts'
import { spendingOf } from './model-cost.ts'

export interface RecordReplyDeps {
  readonly clock: Clock
  readonly models: ModelCatalog
}

export function recordReply(
  { agent, deps }: RunContext<RecordReplyDeps>,
  reply: ModelReply,
  { turn, startedAt }: { readonly turn: number; readonly startedAt: number },
): void {
  agent.emit({
    type: 'assistant-message',
    turn,
    messageId: reply.id,
    model: reply.model,
    content: [...reply.content],
    stopReason: reply.stopReason,
    usage: reply.usage,
    contextWindow: deps.models.facts(agent.state().model).contextTokens,
    ...spendingOf(reply, agent.state().model, deps.models),
    durationMs: deps.clock.now() - startedAt,
    pace: reply.pace.map(([ms, characters]) => [ms, characters]),
  })
  for (const text of reply.notes ?? []) agent.emit({ type: 'notice', level: 'warning', text })
  agent.live({ type: 'live-clear', agentId: agent.id, reason: 'finished' })
}

/** Records a reply that is no part of the history: only its cost counts. */
export function recordCost(
  run: RunContext<RecordReplyDeps>,
  reply: ModelReply,
  at: { readonly turn: number; readonly startedAt: number },
): void {
  recordReply(run, { ...reply, content: [], pace: [] }, at)
}

const REFUSED = {
  'phase not begun':
    'Not run: SetPhase failed in the same message, so this agent would belong to no phase. Begin the phase first, then make the call again.',
  'cut off':
    'This call was not run: your message was cut off at the output limit, so its input may be incomplete. Send it again in smaller parts.',
  'not run':
    'Not run: you ended your message without waiting for the result of this call. Make the call again if you still need it.',
}

/** Closes calls that are not run, so that the history stays valid for the API. */
export function refuseCalls(
  agent: AgentRun,
  calls: readonly ToolUseBlock[],
  note: keyof typeof REFUSED,
): void {
  for (const call of calls)
    agent.emit({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError: true,
      content: REFUSED[note],
      note,
      durationMs: 0,
      display: null,
      outputFile: null,
    })
}

/** A text for the model that the user did not write, and the note that the user reads instead. */
export interface AgentNote {
  readonly text: string
  readonly note?: string
}

/** Adds a text for the model that the user did not write. */
export function notifyAgent(agent: AgentRun, { text, note }: AgentNote): void {
  agent.emit({
    type: 'user-message',
    messageId: `${agent.id}-${agent.state().lastSeq + 1}`,
    from: 'runtime',
    sender: null,
    content: [{ type: 'text', text }],
    ...(note === undefined ? {} : { note }),
  })
}

/**
 * Replaces ids of calls that were used before. Some servers count anew in each message, and the API rejects a
 * history in which two calls share an id.
 */
export function withUniqueCallIds(reply: ModelReply, history: History): ModelReply {
  const taken = new Set<string>()
  const content = reply.content.map((block) => {
    if (block.type !== 'tool_use') return block
    const id = history.newCallId(block.id, taken)
    taken.add(id)
    return id === block.id ? block : { ...block, id }
  })
  return { ...reply, content }
}

export const callsOf = (reply: ModelReply): readonly ToolUseBlock[] =>
  reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use')
