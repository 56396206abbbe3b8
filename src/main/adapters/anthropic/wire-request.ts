/**
 * The body of a request as JSON text. Each message is serialized once and cached with the message object, so that a
 * turn serializes only its new messages.
 *
 * The four cache breakpoints are the last tool (agents of one definition share that prefix), the system prompt, and
 * the last two user messages, so that each turn reads the cache that the turn before wrote.
 */
import type { BetaThinkingConfigAdaptive } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type {
  TextBlockParam,
  Tool,
  WebSearchTool20250305,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { ToolSchema } from '../../../shared/agent-event.ts'
import type { ModelMessage, ModelRequest, WebSearchRequest } from '../../runtime/ports.ts'
import { type ModelTraits, traitsOf } from './model-table.ts'

export interface WireRequest {
  readonly body: string
  /** The value of `anthropic-beta`, or null. */
  readonly beta: string | null
}

/** No turn needs a longer message, and a runaway message would be expensive. */
const MAX_OUTPUT_TOKENS = 64_000
const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01'
const CACHE = '"cache_control":{"type":"ephemeral"}'

/** `maxTokens` is for access tests; an agent's turn uses the model's limit. */
export function wireRequest(request: ModelRequest, maxTokens?: number): WireRequest {
  const traits = traitsOf(request.model)
  const fields = [
    `"model":${JSON.stringify(request.model)}`,
    `"max_tokens":${maxTokens ?? Math.min(traits.maxOutputTokens, MAX_OUTPUT_TOKENS)}`,
    '"stream":true',
  ]
  const thinking = thinkingOf(traits)
  if (thinking !== null) fields.push(`"thinking":${JSON.stringify(thinking)}`)
  // The models that think adaptively have the setting; others may reject the field.
  if (thinking !== null && request.effort) fields.push(`"output_config":{"effort":"${request.effort}"}`)
  if (request.toolChoice === 'none' && request.tools.length > 0) fields.push('"tool_choice":{"type":"none"}')
  if (request.webSearch) fields.push(`"tools":${JSON.stringify([searchTool(request.webSearch)])}`)
  else if (request.tools.length > 0) fields.push(`"tools":${toolsText(request.tools)}`)
  if (request.system.trim() !== '') fields.push(`"system":${systemText(request.system)}`)
  fields.push(`"messages":[${messagesText(request.messages)}]`)
  return { body: `{${fields.join(',')}}`, beta: traits.thinking === 'bound' ? BINDING_CONTROLS : null }
}

/**
 * Requests summaries of the thinking, where newer models also put their remarks between tool calls. The API drops
 * thinking that is bound to a changed past (an older result was cleared) instead of rejecting the request.
 */
function thinkingOf(traits: ModelTraits): BetaThinkingConfigAdaptive | null {
  if (traits.thinking === 'none') return null
  const adaptive = { type: 'adaptive', display: 'summarized' } as const
  return traits.thinking === 'bound'
    ? { ...adaptive, block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    : adaptive
}

function messagesText(messages: readonly ModelMessage[]): string {
  const marked = lastUserTurns(messages)
  return messages
    .map((message, at) => (marked.has(at) ? withBreakpoint(messageText(message)) : messageText(message)))
    .join(',')
}

/** The indexes of the last two user messages. */
function lastUserTurns(messages: readonly ModelMessage[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (let at = messages.length - 1; at >= 0 && found.size < 2; at--)
    if (messages[at]?.role === 'user') found.add(at)
  return found
}

const messageTexts = new WeakMap<ModelMessage, string>()

function messageText(message: ModelMessage): string {
  const known = messageTexts.get(message)
  if (known !== undefined) return known
  const text = JSON.stringify({
    role: message.role,
    content: message.role === 'assistant' ? message.content.map(sendable) : message.content,
  })
  messageTexts.set(message, text)
  return text
}

type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content'][number]

/** The API accepts only objects as a tool's input. Input that was not JSON goes back as text inside an object. */
function sendable(block: AssistantContent): AssistantContent {
  if (block.type !== 'tool_use' || isObject(block.input)) return block
  return { ...block, input: { not_json: String(block.input) } }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds the breakpoint to the last block of a message's text, which ends in `…}]}`. */
const withBreakpoint = (text: string): string =>
  text.endsWith('}]}') ? `${text.slice(0, -3)},${CACHE}}]}` : text

const toolTexts = new WeakMap<readonly ToolSchema[], string>()

function toolsText(tools: readonly ToolSchema[]): string {
  const known = toolTexts.get(tools)
  if (known !== undefined) return known
  const params = tools.map(
    ({ name, description, input_schema }): Tool => ({
      name,
      description,
      input_schema: { type: 'object', ...input_schema },
    }),
  )
  const text = JSON.stringify(params)
  const marked = `${text.slice(0, -2)},${CACHE}}]`
  toolTexts.set(tools, marked)
  return marked
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

function systemText(system: string): string {
  const block: TextBlockParam = { type: 'text', text: system, cache_control: { type: 'ephemeral' } }
  return JSON.stringify([block])
}
