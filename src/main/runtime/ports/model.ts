/** The port to a model, and the facts about models. One client makes one attempt at one message. */

import type { ToolSchema, Usage } from '../../../shared/events/agent-event.ts'
import type { Failure, Result } from '../../../shared/kernel/result.ts'
import type { AssistantBlock, ToolContent, UserBlock } from '../../../shared/messages/content.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import type { Thinking } from '../../../shared/models/thinking.ts'

export type ModelMessage =
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  | { readonly role: 'user'; readonly content: readonly (UserBlock | ToolResultBlock)[] }

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: ToolContent
  readonly is_error: boolean
  /** Tools that the call found. Where the API can, they are the result, and their schemas are loaded there. */
  readonly found?: readonly string[]
}

export interface ModelRequest {
  readonly model: string
  /** Null or missing: the model's default. Not sent to a model without the setting. */
  readonly effort?: Effort | null
  /** Null or missing: the model's default. A model that has no such choice keeps its own way. */
  readonly thinking?: Thinking | null
  readonly system: string
  readonly tools: readonly ToolSchema[]
  readonly messages: readonly ModelMessage[]
  /** `none` asks for text only: the last request at the turn limit. */
  readonly toolChoice: 'auto' | 'none'
  /** How long the server shall keep the prompt, where it can. Default: 5 minutes. */
  readonly cacheFor?: CacheLife
  readonly webSearch?: WebSearchRequest
}

/** The times for which the API keeps a prompt after its last use. A longer one costs more to write. */
export type CacheLife = '5m' | '1h'

/** Lets the API search the web once. At most one of the lists has entries. */
export interface WebSearchRequest {
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
}

export interface WebSearchResult {
  readonly title: string
  readonly url: string
  /** As the search says it: "2 days ago". */
  readonly age: string | null
  /** What the message quotes from the page. */
  readonly snippets: readonly string[]
}

/** A piece of the message while it streams. */
export interface ModelDelta {
  readonly index: number
  readonly kind: 'text' | 'thinking' | 'tool'
  /** The tool's name where `kind` is `tool`. */
  readonly name: string
  readonly append: string
}

/** All stop reasons this program knows; any other is `unknown` and handled as a failure. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'
  | 'compaction'
  | 'unknown'

export interface ModelReply {
  readonly id: string
  readonly model: string
  readonly content: readonly AssistantBlock[]
  readonly stopReason: StopReason
  /** The API's reason why the model declined, as a sentence. */
  readonly stopDetails?: string
  readonly usage: Usage
  /** Set if the server did not count its tokens. */
  readonly usageEstimated?: true
  readonly pace: readonly (readonly [number, number])[]
  /** Set if the API searched the web. `error`: its code, such as `max_uses_exceeded`. */
  readonly webSearch?: { readonly results: readonly WebSearchResult[]; readonly error: string | null }
  /** The parts of the message that the adapter left out, as text for the user. */
  readonly notes?: readonly string[]
}

export interface ModelFailure extends Failure {
  readonly type:
    | 'rate-limited' // 429
    | 'overloaded' // 529, or overloaded_error inside the stream
    | 'server' // 408, 409, 5xx
    | 'connection' // could not connect, or the connection broke before or in the stream
    | 'stalled' // no data arrived within the watchdog's time
    | 'auth' // 401, 403
    | 'not-found' // 404, mostly the model
    | 'redirected' // 3xx: never followed, because the key would be sent to another address
    | 'bad-request' // 400, 413
    | 'prompt-too-long' // 400 with a message about the length
    | 'aborted' // by the runtime's own signal
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** Set if the server answered, but not with a stream. */
  readonly notStreamed?: true
  /** Set if the server answered against its own format: it will probably do so again. */
  readonly isInvalid?: true
}

/** One attempt at one message. The runtime decides on retries. */
export interface ModelClient {
  /** Whether the API may have a web search of its own. Missing: it has none. */
  canSearchWeb?(): boolean
  request(
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly onDelta: (delta: ModelDelta) => void },
  ): Promise<Result<ModelReply, ModelFailure>>
}

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Of what is kept for an hour. Missing: like `cacheWrite`. */
  readonly cacheWriteHour?: number
}

export interface ModelPrice extends TokenPrices {
  /** The prices of a request whose prompt, cached parts included, has more tokens than this. */
  readonly longPrompt?: TokenPrices & { readonly aboveTokens: number }
}

/** A model's price, or null if it is unknown, and its context window in tokens. */
export interface ModelFacts {
  readonly id: string
  readonly price: ModelPrice | null
  /** A script answers, so nothing is charged. */
  readonly free?: true
  readonly contextTokens: number
  /** The provider in the settings that has the model; missing: the main access. */
  readonly provider?: string
  /** Whether it can call tools; missing: unknown. */
  readonly tools?: boolean
}

/** Aliases, ids and prices. */
export interface ModelCatalog {
  /**
   * The full id for `sonnet`, `claude-…`; an unknown name counts as an id. The caller resolves `inherit`. `below`: the
   * model of the parent, with whose provider an agent stays unless `name` has another one.
   */
  resolve(name: string, below?: string): string
  facts(id: string): ModelFacts
  /** What the user should know about a name before the first request, as a sentence; null or missing: nothing. */
  problem?(name: string, below?: string): string | null
}
