/** A planned reply as one message, for requests without streaming. */

import type { PlannedBlock, ReplyPlan } from './reply-plan.ts'
import type { BlockParam } from './request-shape.ts'
import { emptyMessage, type StreamHead, usageFieldsOf } from './stream-pieces.ts'

export function wholeMessage(head: StreamHead, plan: ReplyPlan): object {
  return {
    ...emptyMessage(head),
    content: wholeBlocks(plan.blocks),
    stop_reason: plan.stopReason,
    stop_details: head.stopDetails,
    usage: usageFieldsOf(head, plan.outputTokens),
  }
}

/** The reply's content blocks. */
export function wholeBlocks(blocks: readonly PlannedBlock[]): readonly BlockParam[] {
  // What the server searched is not sent back by this program.
  return blocks.flatMap((block) => (block.type === 'web_search' ? [] : wholeBlock(block)))
}

function wholeBlock(block: Exclude<PlannedBlock, { type: 'web_search' }>): BlockParam {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: block.signature }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data }
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(block.json) }
  }
}

/** A truncated input that does not parse becomes an empty object. */
function inputOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}
