/**
 * What the server will say, worked out before the first byte: blocks with their ids and seals, cut to
 * `max_tokens` as a model's words are, and the counts that go with them.
 */
import { assertNever } from '../../../shared/assert-never.ts'
import type { ScriptedBlock, ScriptedReply } from './director.ts'
import { blockText, chained, type Prefix, tokensOf } from './request-prefix.ts'
import type { BlockParam, RequestBody } from './request-shape.ts'
import { lastSeal, redactedData, sealOf } from './thinking-seal.ts'

export type PlannedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly json: string }

export interface ReplyPlan {
  readonly blocks: readonly PlannedBlock[]
  readonly stopReason: string
  readonly outputTokens: number
}

const CHARACTERS_PER_TOKEN = 4

export function planReply(
  reply: ScriptedReply,
  body: RequestBody,
  prefix: Prefix,
  nextToolId: () => string,
): ReplyPlan {
  const seals = new SealLine(body, prefix)
  const blocks: PlannedBlock[] = []
  const most = reply.beyondLimit ? Number.MAX_SAFE_INTEGER : body.max_tokens * CHARACTERS_PER_TOKEN
  let room = most
  let cut = false
  // A model that may not call tools does not: neither does a script.
  const blocksToSay = reply.blocks.filter(
    (block) => block.type !== 'tool_use' || body.tool_choice?.type !== 'none',
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

/** Keeps count of what comes before each block of the reply, for the seals. */
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
        return { type: 'text', text }
      case 'thinking': {
        const signature = sealOf(text, this.place())
        this.previous = signature
        return { type: 'thinking', text, signature }
      }
      case 'redacted_thinking': {
        const data = redactedData(text, this.place())
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

  private place() {
    const { system, tools } = this.prefix.seals
    return { system, tools, before: this.before, previous: this.previous }
  }

  private follow(block: BlockParam): void {
    this.before = chained(this.before, blockText(block))
  }
}
