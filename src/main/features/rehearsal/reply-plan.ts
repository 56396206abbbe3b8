/**
 * The whole reply, planned before the first byte: blocks with ids and signatures, cut to `max_tokens`,
 * and the token counts.
 */
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import type { ScriptedBlock, ScriptedReply } from './director.ts'
import { blockText, chained, type Prefix, tokensOf } from './request-prefix.ts'
import type { BlockParam, RequestBody } from './request-shape.ts'
import { lastSeal, redactedData, sealOf } from './thinking-seal.ts'

export type PlannedBlock =
  | {
      readonly type: 'text'
      readonly text: string
      readonly citations?: Extract<ScriptedBlock, { type: 'text' }>['citations']
    }
  | { readonly type: 'web_search'; readonly id: string; readonly query: string; readonly content: unknown }
  | { readonly type: 'thinking'; readonly text: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly json: string }

export interface ReplyPlan {
  readonly blocks: readonly PlannedBlock[]
  readonly stopReason: string
  readonly outputTokens: number
}

const CHARACTERS_PER_TOKEN = 4

/** Plans the reply to a request; `nextToolId` makes the ids of its calls. */
export function planReply(
  reply: ScriptedReply,
  {
    body,
    prefix,
    nextToolId,
  }: { readonly body: RequestBody; readonly prefix: Prefix; readonly nextToolId: () => string },
): ReplyPlan {
  const seals = new SealLine(body, prefix)
  const blocks: PlannedBlock[] = []
  const most = reply.beyondLimit ? Number.MAX_SAFE_INTEGER : body.max_tokens * CHARACTERS_PER_TOKEN
  let room = most
  let cut = false
  // A model without permission to call tools makes no calls, so the script makes none.
  const blocksToSay = reply.blocks.filter(
    (block) =>
      (block.type !== 'tool_use' || body.tool_choice?.type !== 'none') &&
      // The server searches only where the request lets it.
      (block.type !== 'web_search' || body.tools?.some(({ name }) => name === 'web_search')),
  )
  for (const scripted of blocksToSay) {
    if (room <= 0) cut = true
    if (cut) break
    const whole = wholeText(scripted, reply)
    const text = whole.slice(0, room)
    cut = text.length < whole.length
    room -= text.length
    blocks.push(seals.planned(scripted, text, nextToolId))
  }
  const cutTool = reply.truncateToolInput !== undefined
  const calls = blocks.some((block) => block.type === 'tool_use')
  const characters = most - room
  return {
    blocks,
    stopReason: cut
      ? 'max_tokens'
      : (reply.stopReason ?? (cutTool ? 'max_tokens' : calls ? 'tool_use' : 'end_turn')),
    outputTokens: Math.max(1, tokensOf(characters)),
  }
}

function wholeText(block: ScriptedBlock, reply: ScriptedReply): string {
  if (block.type !== 'tool_use') return block.text
  const json = JSON.stringify(block.input ?? {})
  return reply.truncateToolInput === undefined ? json : json.slice(0, reply.truncateToolInput)
}

/** Tracks the digest of everything before each block of the reply, for the signatures. */
class SealLine {
  private readonly prefix: Prefix
  private before: string
  private previous: string

  constructor(body: RequestBody, prefix: Prefix) {
    this.prefix = prefix
    this.before = prefix.seals.before.get('end') ?? ''
    this.previous = lastSeal(body.messages)
  }

  planned(block: ScriptedBlock, text: string, nextToolId: () => string): PlannedBlock {
    switch (block.type) {
      case 'text':
        this.follow({ type: 'text', text })
        return { type: 'text', text, ...(block.citations && { citations: block.citations }) }
      case 'web_search':
        return { type: 'web_search', id: `srv${nextToolId()}`, query: text, content: foundBy(block.results) }
      case 'thinking': {
        const signature = sealOf(text, this.position())
        this.previous = signature
        return { type: 'thinking', text, signature }
      }
      case 'redacted_thinking': {
        const data = redactedData(text, this.position())
        this.previous = data.slice(data.indexOf('.') + 1)
        return { type: 'redacted_thinking', data }
      }
      case 'tool_use': {
        const id = block.id ?? nextToolId()
        this.follow({
          type: 'tool_use',
          id,
          name: block.name,
          input: (block.input ?? {}) as Record<string, unknown>,
        })
        return { type: 'tool_use', id, name: block.name, json: text }
      }
      default:
        return assertNever(block)
    }
  }

  private position() {
    const { system, tools } = this.prefix.seals
    return { system, tools, before: this.before, previous: this.previous }
  }

  private follow(block: BlockParam): void {
    this.before = chained(this.before, blockText(block))
  }
}

/** As the API sends it: results, or an error. */
function foundBy(results: Extract<ScriptedBlock, { type: 'web_search' }>['results']): unknown {
  if (typeof results === 'string') return { type: 'web_search_tool_result_error', error_code: results }
  return results.map(({ url, title, page_age = null }) => ({
    type: 'web_search_result',
    url,
    title,
    page_age,
    encrypted_content: 'c2VhbGVk',
  }))
}
