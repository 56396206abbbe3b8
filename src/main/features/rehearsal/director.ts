/**
 * A director decides the replies of the scripted API. The server around it checks each request as strictly as
 * the real API would, streams the reply at a set pace and counts tokens.
 */
import type { ImageBlock } from '../../../shared/messages/content.ts'

/** A request after the server's checks. */
export interface ScriptedRequest {
  readonly model: string
  /** The system prompt's text. */
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly toolChoice: 'auto' | 'none' | 'any' | 'tool'
  readonly messages: readonly ScriptedMessage[]
}

export type ScriptedMessage =
  | { readonly role: 'user'; readonly content: readonly (RequestText | RequestToolResult | ImageBlock)[] }
  | {
      readonly role: 'assistant'
      readonly content: readonly (RequestText | RequestThinking | RequestToolUse)[]
    }

interface RequestText {
  readonly type: 'text'
  readonly text: string
}
interface RequestThinking {
  readonly type: 'thinking' | 'redacted_thinking'
}
export interface RequestToolUse {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}
export interface RequestToolResult {
  readonly type: 'tool_result'
  readonly toolUseId: string
  readonly text: string
  readonly isError: boolean
}

export type ScriptedBlock =
  | {
      readonly type: 'text'
      readonly text: string
      /** What the text quotes from results of a web search. */
      readonly citations?: readonly {
        readonly url: string
        readonly title: string
        readonly cited_text: string
      }[]
    }
  /** A search that the server makes, with its results or an error code. The request must allow it. */
  | {
      readonly type: 'web_search'
      readonly text: string
      readonly results:
        | readonly { readonly url: string; readonly title: string; readonly page_age?: string }[]
        | string
    }
  | { readonly type: 'thinking'; readonly text: string }
  /** Redacted thinking: opaque, and it must be sent back unchanged. */
  | { readonly type: 'redacted_thinking'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: unknown; readonly id?: string }

/** The fault to act out, if any. */
export type ScriptedFault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly type: string
      readonly message: string
      readonly retryAfterSeconds?: number
      /** Additional response headers. */
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection closes without a response. */
  | { readonly kind: 'hang-up' }
  /** An error event inside the stream, after the blocks. */
  | { readonly kind: 'stream-error'; readonly type: string; readonly message: string }
  /** The socket closes after this many characters of the reply. */
  | { readonly kind: 'cut'; readonly afterCharacters: number }
  /** The stream stalls after this many characters; the socket stays open. */
  | { readonly kind: 'stall'; readonly afterCharacters: number }
  /** The stream ends cleanly without message_stop. */
  | { readonly kind: 'no-stop' }
  /** The stream has no message_start. */
  | { readonly kind: 'no-start' }
  /** The first content block begins a second time before the message ends. */
  | { readonly kind: 'repeated-block' }
  /** Unknown event types, content and deltas are mixed in; a client must skip them. */
  | { readonly kind: 'unknown-events' }

export interface ScriptedReply {
  readonly blocks: readonly ScriptedBlock[]
  /** Default: `tool_use` when the reply has a call, otherwise `end_turn`. */
  readonly stopReason?: string
  /** Delay before the first byte, ms. */
  readonly delayMs?: number
  /** Time after the stream began in which only pings are sent, ms. */
  readonly silenceMs?: number
  readonly fault?: ScriptedFault
  /** Whatever the pace of the server is. */
  readonly pace?: 'instant'
  /** The model that the reply names; default: the requested one. Gateways use names of their own. */
  readonly model?: string
  /** Replaces counts of the usage; `undefined` leaves a count out. */
  readonly usage?: Readonly<Record<string, number | undefined>>
  /** `stop_details`: why the model stopped. */
  readonly stopDetails?: Readonly<Record<string, unknown>>
  /** Ignores `max_tokens`. Real servers never do, but a client must not break. */
  readonly beyondLimit?: true
  /** Cuts a tool input's JSON after this many characters, as `max_tokens` does. */
  readonly truncateToolInput?: number
}

export interface Director {
  /** Answers one request. A director keeps no state about agents: the messages contain everything. */
  reply(request: ScriptedRequest, signal: AbortSignal): Promise<ScriptedReply>
}
