/**
 * Streams a planned reply at its pace and acts out its fault. Text is sent once per frame instead of once per
 * token; without a pace, in a few large writes.
 */
import type { ServerResponse } from 'node:http'
import type { ScriptedFault } from './director.ts'
import { type Pace, TokenClock } from './pace.ts'
import { pause } from './pause.ts'
import type { PlannedBlock, ReplyPlan } from './reply-plan.ts'
import type { BlockParam } from './request-shape.ts'
import {
  contentPieces,
  emptyMessage,
  event,
  messageEnd,
  messageStartEvent,
  messageStop,
  ping,
  repeatedStart,
  type StreamHead,
  type StreamPiece,
  usageFieldsOf,
} from './stream-pieces.ts'

interface StreamOptions {
  readonly pace: () => Pace
  /** ms, for durations. */
  readonly elapsed: () => number
  /** Interval of pings while nothing else is sent, ms. */
  readonly pingEveryMs: number
  readonly silenceMs: number
  readonly fault: ScriptedFault | undefined
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal
}

/** Waits shorter than this, ms, are skipped. */
const FRAME_MS = 16
const LARGE_WRITE = 64 * 1024

/** Resolves when the stream ended or `signal` aborted. */
export async function streamReply(
  response: ServerResponse,
  options: StreamOptions & { readonly head: StreamHead; readonly plan: ReplyPlan },
): Promise<void> {
  const { head, plan, fault, signal } = options
  const out = new Output(response, signal)
  if (fault?.kind !== 'no-start') await out.write(messageStartEvent(head))
  await beSilent(out, options)
  const endsAfter = fault?.kind === 'cut' || fault?.kind === 'stall' ? fault.afterCharacters : null
  const pieces = contentPieces(plan, {
    size: options.pace().tokensPerSecond === 0 ? 'large' : 'token',
    unknownEvents: fault?.kind === 'unknown-events',
  })
  await sendPieces(out, endsAfter === null ? pieces : firstCharacters(pieces, endsAfter), options)
  if (signal.aborted) return
  if (fault?.kind === 'cut') return await out.cut()
  if (fault?.kind === 'stall') return await pause(Number.POSITIVE_INFINITY, signal)
  if (fault?.kind === 'stream-error')
    return await out.end(event({ type: 'error', error: { type: fault.type, message: fault.message } }))
  if (fault?.kind === 'repeated-block') await out.write(repeatedStart(plan))
  await out.end(messageEnd(plan, head) + (fault?.kind === 'no-stop' ? '' : messageStop))
}

async function beSilent(out: Output, { silenceMs, pingEveryMs, signal }: StreamOptions): Promise<void> {
  for (let left = silenceMs; left > 0 && !signal.aborted; left -= pingEveryMs) {
    await pause(Math.min(left, pingEveryMs), signal)
    if (!signal.aborted) await out.write(ping, 'now')
  }
}

async function sendPieces(
  out: Output,
  pieces: Iterable<StreamPiece>,
  { pace, elapsed, signal }: StreamOptions,
): Promise<void> {
  const clock = new TokenClock(pace, elapsed)
  for (const piece of pieces) {
    if (signal.aborted) return
    if (piece.characters > 0) {
      const { early } = clock
      if (early > 0) {
        await out.flush()
        await pause(Math.max(early, FRAME_MS), signal)
      }
      clock.count(piece.isInput)
    }
    await out.write(piece.text)
  }
  await out.flush()
}

/** The pieces up to the one that reaches this many characters. */
function* firstCharacters(pieces: Iterable<StreamPiece>, characters: number): Generator<StreamPiece> {
  let said = 0
  for (const piece of pieces) {
    if (said >= characters && (piece.characters > 0 || characters > 0)) return
    said += piece.characters
    yield piece
  }
}

/** Collects writes of the same moment and applies back-pressure. */
class Output {
  private readonly response: ServerResponse
  private readonly signal: AbortSignal
  private gathered: string[] = []
  private length = 0

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.response = response
    this.signal = signal
  }

  async write(text: string, when: 'now' | 'gather' = 'gather'): Promise<void> {
    this.gathered.push(text)
    this.length += text.length
    if (when === 'now' || this.length >= LARGE_WRITE) await this.flush()
  }

  async flush(): Promise<void> {
    const text = this.taken()
    if (text === '' || this.signal.aborted) return
    if (!this.response.write(text)) await drained(this.response, this.signal)
  }

  /** Ends the stream cleanly. */
  async end(text: string): Promise<void> {
    if (!this.signal.aborted) this.response.end(this.taken() + text)
  }

  /** Sends the collected data, then destroys the connection. */
  async cut(): Promise<void> {
    await new Promise<void>((sent) => this.response.write(this.taken() || ' ', () => sent()))
    this.response.destroy()
  }

  private taken(): string {
    const text = this.gathered.join('')
    this.gathered = []
    this.length = 0
    return text
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    response.once('drain', done)
    signal.addEventListener('abort', done, { once: true })
  })
}

/** A planned reply as one message, for requests without streaming. */
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
