/** A planned reply as stream events with a few characters each. */
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import type { PlannedBlock, ReplyPlan } from './reply-plan.ts'
import type { CacheUse } from './simulated-cache.ts'

/** One or more events, with the number of message characters they carry. */
export interface StreamPiece {
  readonly text: string
  readonly characters: number
  /** Whether the piece is part of a tool's input. */
  readonly isInput: boolean
}

export interface StreamHead {
  readonly id: string
  readonly model: string
  readonly usage: CacheUse
  /** Replace counts of the usage. */
  readonly counts: Readonly<Record<string, number | undefined>>
  readonly stopDetails: Readonly<Record<string, unknown>> | null
  /** Thinking that the server dropped from the request, if the client asked for a report. */
  readonly dropped: readonly { readonly message: number; readonly block: number }[] | null
}

interface PieceOptions {
  /** Characters of one piece: about a token with a pace, many without. */
  readonly size: 'token' | 'large'
  /** Mixes in unknown events. */
  readonly unknownEvents: boolean
}

/** Characters of a large piece. */
const LARGE = 2048

export const ping = event({ type: 'ping' })

export function messageStartEvent(head: StreamHead): string {
  return event({ type: 'message_start', message: emptyMessage(head) })
}

/** The empty message. */
export function emptyMessage(head: StreamHead): Record<string, unknown> {
  const { id, model, dropped } = head
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: usageFieldsOf(head, 1),
    ...(dropped === null ? {} : { input_transformations: dropped.map(transformation) }),
  }
}

export function usageFieldsOf({ usage, counts }: StreamHead, output: number): Record<string, unknown> {
  const { input, read, written, writtenForHour } = usage
  return {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: {
      ephemeral_5m_input_tokens: written - writtenForHour,
      ephemeral_1h_input_tokens: writtenForHour,
    },
    output_tokens: output,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
    ...counts,
  }
}

/** Everything between message_start and the message's end. */
export function* contentPieces(plan: ReplyPlan, options: PieceOptions): Generator<StreamPiece> {
  let index = 0
  let pinged = false
  for (const block of plan.blocks) {
    if (options.unknownEvents) yield silent(unknownContent(index++))
    yield silent(event({ type: 'content_block_start', index, content_block: startOf(block) }))
    if (!pinged) yield silent(ping)
    pinged = true
    yield* deltasOf(block, index, options)
    yield silent(event({ type: 'content_block_stop', index }))
    index++
    if (block.type === 'web_search') yield silent(searchResult(block, index++))
  }
}

export function messageEnd(plan: ReplyPlan, head: StreamHead): string {
  return event({
    type: 'message_delta',
    delta: {
      stop_reason: plan.stopReason,
      stop_sequence: null,
      stop_details: head.stopDetails,
      container: null,
    },
    usage: usageFieldsOf(head, plan.outputTokens),
  })
}

export const messageStop = event({ type: 'message_stop' })

export function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The first block's start, a second time. */
export function repeatedStart({ blocks: [first] }: ReplyPlan): string {
  return first === undefined
    ? ''
    : event({ type: 'content_block_start', index: 0, content_block: startOf(first) })
}

function* deltasOf(block: PlannedBlock, index: number, options: PieceOptions): Generator<StreamPiece> {
  const delta = (value: object, characters: number): StreamPiece => ({
    text: event({ type: 'content_block_delta', index, delta: value }),
    characters,
    isInput: block.type === 'tool_use',
  })
  switch (block.type) {
    case 'text':
      for (const citation of block.citations ?? [])
        yield delta(
          {
            type: 'citations_delta',
            citation: { type: 'web_search_result_location', encrypted_index: 'c2VhbGVk', ...citation },
          },
          0,
        )
      for (const text of cut(block.text, options.size)) yield delta({ type: 'text_delta', text }, text.length)
      return
    case 'thinking':
      for (const thinking of cut(block.text, options.size))
        yield delta({ type: 'thinking_delta', thinking }, thinking.length)
      if (options.unknownEvents) yield delta({ type: 'mood_delta', mood: 'calm' }, 0)
      yield delta({ type: 'signature_delta', signature: block.signature }, 0)
      return
    case 'tool_use':
      yield delta({ type: 'input_json_delta', partial_json: '' }, 0)
      for (const json of cut(block.json, options.size))
        yield delta({ type: 'input_json_delta', partial_json: json }, json.length)
      return
    case 'web_search':
      yield delta({ type: 'input_json_delta', partial_json: JSON.stringify({ query: block.query }) }, 0)
      return
    case 'redacted_thinking':
      return
    default:
      assertNever(block)
  }
}

function startOf(block: PlannedBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '', citations: null }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data }
    case 'web_search':
      return {
        type: 'server_tool_use',
        id: block.id,
        name: 'web_search',
        input: {},
        caller: { type: 'direct' },
      }
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {}, caller: { type: 'direct' } }
  }
}

function searchResult({ id, content }: Extract<PlannedBlock, { type: 'web_search' }>, index: number): string {
  const block = { type: 'web_search_tool_result', tool_use_id: id, content, caller: { type: 'direct' } }
  return (
    event({ type: 'content_block_start', index, content_block: block }) +
    event({ type: 'content_block_stop', index })
  )
}

/** Splits text like a tokenizer: short words whole with the space before them, longer words in parts. */
function* cut(text: string, size: PieceOptions['size']): Generator<string> {
  if (size === 'large') {
    for (let at = 0; at < text.length; at += LARGE) yield text.slice(at, at + LARGE)
    return
  }
  for (const [piece] of text.matchAll(/\s*[\p{L}\p{N}_]{1,6}|\s*[^\s\p{L}\p{N}_]{1,4}|\s+/gu)) yield piece
}

function unknownContent(index: number): string {
  return [
    event({ type: 'weather_report', sky: 'clear' }),
    event({ type: 'content_block_start', index, content_block: { type: 'hologram', shape: 'cube' } }),
    event({ type: 'content_block_delta', index, delta: { type: 'hologram_delta', faces: 6 } }),
    event({ type: 'content_block_stop', index }),
  ].join('')
}

const silent = (text: string): StreamPiece => ({ text, characters: 0, isInput: false })

const transformation = ({ message, block }: { readonly message: number; readonly block: number }) => ({
  type: 'thinking_dropped',
  path: `messages.${message}.content.${block}`,
  reason: 'prefix_binding_mismatch',
})
