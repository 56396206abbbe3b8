/**
 * A request whose answer is text: a report at a limit, or a summary. Its tools stay on, because `tool_choice` is a part
 * of the cached prefix: turning them off would bill the whole conversation anew. A model that calls a tool anyway is
 * asked again without tools.
 */
import type { Result } from '../../../shared/kernel/result.ts'
import type { ModelFailure, ModelReply, ModelRequest } from '../ports/model.ts'
import type { RunContext } from './agent-run.ts'
import { requestCorrected } from './correct-request.ts'
import { type RecordReplyDeps, recordCost } from './record-reply.ts'
import type { RequestDeps } from './request-model.ts'

/** Stands in the message that asks for the text. */
export const NO_TOOLS = 'Do not call tools: no call would run.'

export async function answerWithoutTools(
  run: RunContext<RequestDeps & RecordReplyDeps>,
  request: () => Omit<ModelRequest, 'toolChoice'>,
  turn: number,
): Promise<Result<ModelReply, ModelFailure>> {
  const startedAt = run.deps.clock.now()
  const reply = await requestCorrected(run, () => ({ ...request(), toolChoice: 'auto' }), turn)
  if (!reply.ok || !reply.value.content.some(({ type }) => type === 'tool_use')) return reply
  recordCost(run, reply.value, { turn, startedAt })
  return await requestCorrected(run, () => ({ ...request(), toolChoice: 'none' }), turn)
}
