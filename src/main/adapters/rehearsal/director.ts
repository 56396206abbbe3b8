/**
 * A director decides what the scripted API says. The server around it checks each request as strictly as
 * the real API would, streams the reply at a set pace and keeps the counts; a director only reads and answers.
 */
import type { ImageBlock } from '../../../shared/content.ts'

/** A request as it came over the wire, after the server's checks. */
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

export interface RequestText {
  readonly type: 'text'
  readonly text: string
}
export interface RequestThinking {
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
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** Thinking that comes sealed: nobody can read it, and it must be sent back as it came. */
  | { readonly type: 'redacted_thinking'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: unknown; readonly id?: string }

/** What goes wrong, if anything, and where. */
export type ScriptedFault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly type: string
      readonly message: string
      readonly retryAfterSeconds?: number
      /** Further headers of the answer. */
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection is closed without an answer. */
  | { readonly kind: 'hang-up' }
  /** An error event inside the stream, after the blocks were sent. */
  | { readonly kind: 'stream-error'; readonly type: string; readonly message: string }
  /** The socket is cut after so many characters of the reply. */
  | { readonly kind: 'cut'; readonly afterCharacters: number }
  /** Nothing more comes after so many characters; the socket stays open. */
  | { readonly kind: 'stall'; readonly afterCharacters: number }
  /** The stream ends cleanly without message_stop. */
  | { readonly kind: 'no-stop' }
  /** Event types, content and pieces that no client knows yet are mixed in; they must be passed over. */
  | { readonly kind: 'unknown-events' }

export interface ScriptedReply {
  readonly blocks: readonly ScriptedBlock[]
  /** By default `tool_use` where there is a call, else `end_turn`. */
  readonly stopReason?: string
  /** Before the first byte. */
  readonly delayMs?: number
  /** After the stream began, before its first block: so long only pings come. */
  readonly silenceMs?: number
  readonly fault?: ScriptedFault
  /** Says all of it, whatever `max_tokens` allows: no server does, but a client must not break on it. */
  readonly beyondLimit?: true
  /** Cuts a tool input's JSON after so many characters, as `max_tokens` does. */
  readonly truncateToolInput?: number
}

export interface Director {
  /** Answers one request. A director holds no state about an agent: all it knows is in the messages. */
  reply(request: ScriptedRequest, signal: AbortSignal): Promise<ScriptedReply>
}
