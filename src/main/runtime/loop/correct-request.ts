/**
 * Repeats a request without the parts that the API refuses. An image, or a tool's schema, that the API can't take is in
 * every later request too, so the conversation could never go on.
 */
import type { AgentEventDraft } from '../../../shared/events/agent-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { ModelFailure, ModelReply, ModelRequest } from '../ports/model.ts'
import type { RunContext } from './agent-run.ts'
import { type RequestDeps, requestModel } from './request-model.ts'

type RefusedPart = Extract<AgentEventDraft, { type: 'part-refused' }>['part']

/**
 * The maximum for one request. Each correction leaves out one image or tool, so a server that refuses each in turn must
 * not keep the agent busy forever.
 */
const MOST_CORRECTIONS = 20

export async function requestCorrected(
  run: RunContext<RequestDeps>,
  request: () => ModelRequest,
  turn: number,
): Promise<Result<ModelReply, ModelFailure>> {
  for (let corrections = 0; ; corrections++) {
    const sent = request()
    const result = await requestModel(run, sent, turn)
    if (result.ok || result.failure.type !== 'bad-request' || corrections === MOST_CORRECTIONS) return result
    const reason = result.failure.message
    const parts = refusedParts(reason, sent)
    if (parts.length === 0) return result
    for (const part of parts) run.agent.emit({ type: 'part-refused', part, reason })
  }
}

/** The parts of the request that the API's message is about, as far as the request can do without them. */
function refusedParts(
  reason: string,
  { messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>,
): readonly RefusedPart[] {
  const tool = /\btools\.(\d+)\b/.exec(reason)
  if (tool) {
    const named = tools[Number(tool[1])]
    return named === undefined ? [] : [{ kind: 'tool', name: named.name }]
  }
  const images = imagesIn(messages)
  const place = /\bmessages\.(\d+)\.content\.(\d+)(?:\.(?:tool_result\.)?content\.(\d+))?/.exec(reason)
  if (place) {
    const [message, block, inner] = place
      .slice(1)
      .map((index) => (index === undefined ? null : Number(index)))
    return images.filter(
      (image) =>
        image.message === message &&
        image.block === block &&
        (typeof inner !== 'number' || image.inner === inner),
    )
  }
  // Some messages name no place: "Could not process image". The newest images are new to the API.
  if (!/\b(images?|pdf|document)\b/i.test(reason)) return []
  const newest = images.filter(({ message }) => message === messages.length - 1)
  return newest.length > 0 ? newest : images
}

type RefusedBlock = Extract<RefusedPart, { kind: 'block' }>

function imagesIn(messages: ModelRequest['messages']): readonly RefusedBlock[] {
  return messages.flatMap(({ content }, message) =>
    content.flatMap((block, at): readonly RefusedBlock[] => {
      if (block.type === 'image') return [{ kind: 'block', message, block: at, inner: null }]
      if (block.type !== 'tool_result' || typeof block.content === 'string') return []
      return block.content.flatMap((part, inner) =>
        part.type === 'image' ? [{ kind: 'block' as const, message, block: at, inner }] : [],
      )
    }),
  )
}
