/**
 * The body of a request as JSON text. Each message is serialized once and cached with the message object, so that a
 * turn serializes only its new messages.
 *
 * The four cache breakpoints are the last tool (agents of one definition share that prefix), the system prompt, and
 * the last two user messages, so that each turn reads the cache that the turn before wrote. All four are kept equally
 * long: the API refuses a long-lived one behind a short-lived one.
 */
import { hash } from 'node:crypto'
import type { BetaThinkingConfigParam } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type { Tool, WebSearchTool20250305 } from '@anthropic-ai/sdk/resources/messages/messages'
import type { ToolSchema } from '../../../shared/events/agent-event.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import type { CacheLife, ModelMessage, ModelRequest, WebSearchRequest } from '../../runtime/ports/model.ts'
import { type ModelTraits, traitsOf } from './model-table.ts'
import { estimatePrompt } from './usage-count.ts'

export interface WireRequest {
  readonly body: string
  /** The value of `anthropic-beta`, or null. */
  readonly beta: string | null
  /** The prompt in the order in which it is cached: model and tools, system prompt, messages. */
  readonly prompt: readonly PromptPiece[]
  /** How long the server keeps the prompt after the request; null: it marks nothing. */
  readonly cachedFor: CacheLife | null
}

/** A part of the prompt without its cache breakpoint. */
export interface PromptPiece {
  /** Equal for equal texts. */
  readonly digest: string
  /** Estimated. */
  readonly tokens: number
}

/** No turn needs a longer message, and a runaway message would be expensive. */
const MAX_OUTPUT_TOKENS = 64_000
const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01'
const CACHE: Readonly<Record<CacheLife, string>> = {
  '5m': '"cache_control":{"type":"ephemeral"}',
  '1h': '"cache_control":{"type":"ephemeral","ttl":"1h"}',
}

interface WireOptions {
  readonly traits: ModelTraits
  /** For tests of the access; an agent's turn uses the model's limit. */
  readonly maxTokens?: number
}

export function wireRequest(
  request: ModelRequest,
  { traits, maxTokens }: WireOptions = { traits: traitsOf(request.model) },
): WireRequest {
  const { cacheFor = '5m' } = request
  const cache = !traits.cache ? null : traits.longCache ? cacheFor : '5m'
  const found = traits.toolReferences ? foundTools(request) : NONE_FOUND
  const fields = [
    `"model":${JSON.stringify(request.model)}`,
    `"max_tokens":${maxTokens ?? Math.min(traits.maxOutputTokens, MAX_OUTPUT_TOKENS)}`,
    '"stream":true',
  ]
  const { thinking, effort } = thoughtOf(request, traits)
  if (thinking !== null) fields.push(`"thinking":${JSON.stringify(thinking)}`)
  if (effort !== null) fields.push(`"output_config":{"effort":"${effort}"}`)
  if (request.toolChoice === 'none' && request.tools.length > 0) fields.push('"tool_choice":{"type":"none"}')
  if (request.webSearch) fields.push(`"tools":${JSON.stringify([searchTool(request.webSearch)])}`)
  else if (request.tools.length > 0) fields.push(`"tools":${toolsText(request.tools, { cache, found })}`)
  if (request.system.trim() !== '') fields.push(`"system":${systemText(request.system, cache)}`)
  fields.push(`"messages":[${messagesText(request.messages, { cache, found })}]`)
  const isBound = thinking !== null && 'block_binding' in thinking
  return {
    body: `{${fields.join(',')}}`,
    beta: isBound ? BINDING_CONTROLS : null,
    cachedFor: cache,
    prompt: [
      pieceOf(`${request.model}\n${toolsText(request.tools, { cache: null, found })}`),
      pieceOf(request.system),
      // A change of these leaves only tools and system prompt cached.
      pieceOf(JSON.stringify([thinking, effort, request.toolChoice])),
      ...request.messages.map((message) => messagePiece(message, found)),
    ],
  }
}

const pieceOf = (text: string): PromptPiece => ({
  digest: hash('sha1', text, 'base64url'),
  tokens: estimatePrompt(text),
})

/** Tokens of a thinking budget, for models without adaptive thinking. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  low: 4096,
  medium: 10_000,
  high: 16_000,
  xhigh: 32_000,
  max: 48_000,
}

interface Thought {
  readonly thinking: BetaThinkingConfigParam | null
  readonly effort: Effort | null
}

/**
 * Requests summaries of the thinking, where newer models also put their remarks between tool calls. The API drops
 * thinking that is bound to a changed past (an older result was cleared) instead of rejecting the request.
 */
function thoughtOf({ thinking, effort = null }: ModelRequest, traits: ModelTraits): Thought {
  if (traits.thinking === 'none') {
    const budget = thinking === 'on' && traits.thinkingBudget ? budgetFor(effort, traits) : null
    // Models without adaptive thinking may reject the effort.
    return {
      thinking: budget === null ? null : { type: 'enabled', budget_tokens: budget },
      effort: null,
    }
  }
  if (thinking === 'off' && traits.thinkingOff !== 'always') return withoutThought(effort, traits)
  const adaptive = { type: 'adaptive', display: 'summarized' } as const
  return {
    thinking:
      traits.thinking === 'bound'
        ? { ...adaptive, block_binding: { prefix_mismatch_behavior: 'drop_block' } }
        : adaptive,
    effort,
  }
}

function withoutThought(effort: Effort | null, { thinkingOff }: ModelTraits): Thought {
  if (thinkingOff === 'omit') return { thinking: null, effort }
  if (thinkingOff === 'between-tools') return { thinking: { type: 'between_tools' }, effort }
  return { thinking: { type: 'disabled' }, effort: effort === 'xhigh' || effort === 'max' ? 'high' : effort }
}

/** Half of the model's output at most: the API wants room for the answer. Null: too little for any budget. */
function budgetFor(effort: Effort | null, { maxOutputTokens }: ModelTraits): number | null {
  const budget = Math.min(BUDGETS[effort ?? 'high'], Math.floor(maxOutputTokens / 2))
  return budget < 1024 ? null : budget
}

/** The tools that a result in the messages found, and that the request has as found. */
function foundTools({ tools, messages }: ModelRequest): ReadonlySet<string> {
  const names = new Set(tools.flatMap(({ name, found }) => (found ? [name] : [])))
  if (names.size === 0) return NONE_FOUND
  const loaded = messages.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? (block.found ?? []) : []))
      : [],
  )
  return new Set(loaded.filter((name) => names.has(name)))
}

const NONE_FOUND: ReadonlySet<string> = new Set()

interface Loading {
  /** Null: no breakpoints. */
  readonly cache: CacheLife | null
  readonly found: ReadonlySet<string>
}

function messagesText(messages: readonly ModelMessage[], { cache, found }: Loading): string {
  const marked = cache === null ? NONE : lastUserTurns(messages)
  return messages
    .map((message, at) => {
      const text = messageText(message, found)
      return cache !== null && marked.has(at) ? withBreakpoint(text, cache) : text
    })
    .join(',')
}

const NONE: ReadonlySet<number> = new Set()

/** The indexes of the last two user messages. */
function lastUserTurns(messages: readonly ModelMessage[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (let at = messages.length - 1; at >= 0 && found.size < 2; at--)
    if (messages[at]?.role === 'user') found.add(at)
  return found
}

const messageTexts = new WeakMap<ModelMessage, string>()

function messageText(message: ModelMessage, found: ReadonlySet<string>): string {
  const known = messageTexts.get(message)
  if (known !== undefined) return known
  // What a search found is said in another way to a model without references.
  if (message.role === 'user' && message.content.some(hasFound))
    return JSON.stringify({
      role: 'user',
      content: message.content.map((block) => withReferences(block, found)),
    })
  const text = JSON.stringify({
    role: message.role,
    content: message.role === 'assistant' ? message.content.map(wireBlock) : message.content,
  })
  messageTexts.set(message, text)
  return text
}

const messagePieces = new WeakMap<ModelMessage, PromptPiece>()

function messagePiece(message: ModelMessage, found: ReadonlySet<string>): PromptPiece {
  const known = messagePieces.get(message)
  if (known !== undefined) return known
  const piece = pieceOf(messageText(message, found))
  // The text of others depends on the tools that the model can load.
  if (messageTexts.has(message)) messagePieces.set(message, piece)
  return piece
}

type UserContent = Extract<ModelMessage, { role: 'user' }>['content'][number]

const hasFound = (block: UserContent): boolean => block.type === 'tool_result' && block.found !== undefined

/** The API takes either references or text as a result. */
function withReferences(block: UserContent, found: ReadonlySet<string>): object {
  if (block.type !== 'tool_result' || block.found === undefined) return block
  const { found: names, ...result } = block
  const references = names.filter((name) => found.has(name))
  return references.length === 0
    ? result
    : { ...result, content: references.map((name) => ({ type: 'tool_reference', tool_name: name })) }
}

type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content'][number]

/** The API accepts only objects as a tool's input. Input that was not JSON goes back as text inside an object. */
function wireBlock(block: AssistantContent): object {
  if (block.type === 'foreign') return block.block
  if (block.type !== 'tool_use' || isObject(block.input)) return block
  return { ...block, input: { not_json: String(block.input) } }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds the breakpoint to the last block of a message's text, which ends in `…}]}`. */
const withBreakpoint = (text: string, cache: CacheLife): string =>
  text.endsWith('}]}') ? `${text.slice(0, -3)},${CACHE[cache]}}]}` : text

const toolTexts = new WeakMap<ToolSchema, string>()

/** A found tool is no part of the prefix, so that a search does not change what is cached. */
function toolsText(tools: readonly ToolSchema[], { cache, found }: Loading): string {
  const last = cache === null ? -1 : tools.findLastIndex(({ name }) => !found.has(name))
  const texts = tools.map((tool, at) => {
    const text = toolTexts.get(tool) ?? toolText(tool)
    toolTexts.set(tool, text)
    if (found.has(tool.name)) return `${text.slice(0, -1)},"defer_loading":true}`
    return cache !== null && at === last ? `${text.slice(0, -1)},${CACHE[cache]}}` : text
  })
  return `[${texts.join(',')}]`
}

function toolText({ name, description, input_schema }: ToolSchema): string {
  const param: Tool = { name, description, input_schema: { type: 'object', ...input_schema } }
  return JSON.stringify(param)
}

/** One search for one request. The API rejects empty lists. */
function searchTool({ allowedDomains, blockedDomains }: WebSearchRequest): WebSearchTool20250305 {
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 1,
    ...(allowedDomains.length === 0 ? {} : { allowed_domains: [...allowedDomains] }),
    ...(blockedDomains.length === 0 ? {} : { blocked_domains: [...blockedDomains] }),
  }
}

function systemText(system: string, cache: CacheLife | null): string {
  const text = `"type":"text","text":${JSON.stringify(system)}`
  return `[{${cache === null ? text : `${text},${CACHE[cache]}`}}]`
}
