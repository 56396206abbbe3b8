/**
 * The body of `POST /v1/messages`, field by field. Some fields that the real API accepts are rejected here,
 * because this program never sends them on purpose.
 */

import { isRecord } from '../../platform/json/json-text.ts'
import type { CacheLife } from '../../runtime/ports/model.ts'
import { checkSchema } from './check-schema.ts'
import {
  anyBoolean,
  anyRecord,
  anyText,
  type Check,
  list,
  matching,
  oneOf,
  optional,
  orNull,
  record,
  required,
  taggedUnion,
  textOr,
  wholeNumber,
} from './field-checks.ts'

/** A body that passed `checkShape`. */
export interface RequestBody {
  readonly model: string
  readonly max_tokens: number
  readonly stream?: boolean
  readonly system?: string | readonly TextParam[]
  readonly tools?: readonly ToolParam[]
  readonly tool_choice?: { readonly type: 'auto' | 'none' | 'any' | 'tool'; readonly name?: string }
  readonly thinking?: ThinkingParam
  readonly messages: readonly MessageParam[]
}

interface Cacheable {
  readonly cache_control?: { readonly type: 'ephemeral'; readonly ttl?: CacheLife } | null
}
export interface TextParam extends Cacheable {
  readonly type: 'text'
  readonly text: string
}
export interface ImageParam extends Cacheable {
  readonly type: 'image'
  readonly source: { readonly type: 'base64'; readonly media_type: ImageType; readonly data: string }
}
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
export interface ThinkingBlockParam {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature: string
}
export interface RedactedThinkingParam {
  readonly type: 'redacted_thinking'
  readonly data: string
}
export interface ToolReferenceParam extends Cacheable {
  readonly type: 'tool_reference'
  readonly tool_name: string
}
interface ToolUseParam extends Cacheable {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}
interface ToolResultParam extends Cacheable {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content?: string | readonly (TextParam | ImageParam | ToolReferenceParam)[]
  readonly is_error?: boolean
}
export type BlockParam =
  | TextParam
  | ImageParam
  | ThinkingBlockParam
  | RedactedThinkingParam
  | ToolUseParam
  | ToolResultParam
export interface MessageParam {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly BlockParam[]
}
interface ToolParam extends Cacheable {
  readonly name: string
  readonly description?: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly defer_loading?: boolean
}
interface ThinkingParam {
  readonly type: 'adaptive' | 'enabled' | 'disabled' | 'between_tools'
  readonly budget_tokens?: number
  readonly block_binding?: { readonly prefix_mismatch_behavior?: 'error' | 'drop_block' | null } | null
}

/** The first wrong, missing or unknown field, or null. */
export function checkShape(body: unknown, betas: ReadonlySet<string>): string | null {
  return (betas.has(BINDING_CONTROLS) ? bodyWithBinding : plainBody)(body, '')
}

export const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01'

/** The blocks of a message's content; text is one block. */
export function blocksOf(message: MessageParam): readonly BlockParam[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
}

/** Whether this block is a cache breakpoint. */
export const isMarked = (value: object): boolean => cacheLifeOf(value) !== null

/** How long a block's cache breakpoint keeps the prompt; null: it is none. */
export function cacheLifeOf({ cache_control = null }: Cacheable): CacheLife | null {
  return cache_control === null ? null : (cache_control.ttl ?? '5m')
}

const cache_control = optional(
  orNull(record({ type: required(oneOf('ephemeral')), ttl: optional(oneOf('5m', '1h')) })),
)
const kind = (type: string) => required(oneOf(type))

const text = record({ type: kind('text'), text: required(anyText), cache_control }, ['citations'])

const saidText = record({
  type: kind('text'),
  text: required(anyText),
  citations: optional(orNull(list(anyRecord))),
  cache_control,
})

const imageSource = taggedUnion(
  {
    base64: record({
      type: kind('base64'),
      media_type: required(oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
      data: required(anyText),
    }),
  },
  ['url', 'file'],
)
const image = record({ type: kind('image'), source: required(imageSource), cache_control })

const toolReference = record({ type: kind('tool_reference'), tool_name: required(anyText), cache_control })

const toolResult = record({
  type: kind('tool_result'),
  tool_use_id: required(matching(/^[a-zA-Z0-9_-]+$/)),
  content: optional(
    textOr(list(taggedUnion({ text, image, tool_reference: toolReference }, ['document', 'search_result']))),
  ),
  is_error: optional(anyBoolean),
  cache_control,
})
const toolUse = record({
  type: kind('tool_use'),
  id: required(matching(/^[a-zA-Z0-9_-]+$/)),
  name: required(matching(/^[a-zA-Z0-9_-]{1,200}$/)),
  input: required(anyRecord),
  caller: optional(anyRecord),
  cache_control,
})
// The API does not allow cache_control on thinking.
const thinkingBlock = record({
  type: kind('thinking'),
  thinking: required(anyText),
  signature: required(anyText),
})
const redactedThinking = record({ type: kind('redacted_thinking'), data: required(anyText) })

const elsewhere = ['document', 'search_result', 'container_upload']
/** What the API's own tools leave in a message. It wants these blocks back; what is in them is its own matter. */
const received = Object.fromEntries(
  [
    'server_tool_use',
    'web_search_tool_result',
    'web_fetch_tool_result',
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
    'mcp_tool_use',
    'mcp_tool_result',
    'advisor_tool_result',
    'compaction',
    'fallback',
    // The new kind of a fault: the API takes back what it sent.
    'hologram',
  ].map((type) => [type, anyRecord]),
)
const userContent = taggedUnion({ text, image, tool_result: toolResult }, elsewhere)
const assistantContent = taggedUnion(
  {
    text: saidText,
    thinking: thinkingBlock,
    redacted_thinking: redactedThinking,
    tool_use: toolUse,
    ...received,
  },
  elsewhere,
)

const message: Check = (value, path) => {
  const role = typeof value === 'object' && value !== null && 'role' in value ? value.role : undefined
  const content = role === 'assistant' ? assistantContent : userContent
  return record({
    role: required(oneOf('user', 'assistant')),
    content: required(textOr(list(content))),
  })(value, path)
}

const WEB_SEARCH = 'web_search_20250305'

const toolFields = record(
  {
    type: optional(orNull(oneOf('custom'))),
    name: required(matching(/^[a-zA-Z0-9_-]{1,128}$/)),
    description: optional(anyText),
    input_schema: required(
      (value, path) => anyRecord(value, path) ?? checkSchema(value as Record<string, unknown>, path),
    ),
    cache_control,
    defer_loading: optional(anyBoolean),
  },
  ['allowed_callers', 'eager_input_streaming', 'input_examples', 'strict'],
)
const domains = optional(orNull(list(anyText)))
/** A tool that the server runs. The API rejects both lists of domains together. */
const webSearch: Check = (value, path) =>
  record({
    type: kind(WEB_SEARCH),
    name: required(oneOf('web_search')),
    max_uses: optional(orNull(wholeNumber(1))),
    allowed_domains: domains,
    blocked_domains: domains,
    cache_control,
  })(value, path) ??
  (isRecord(value) && value['allowed_domains'] && value['blocked_domains']
    ? `${path}: only one of allowed_domains and blocked_domains can be specified`
    : null)
const tool: Check = (value, path) =>
  isRecord(value) && value['type'] === WEB_SEARCH
    ? webSearch(value, `${path}.${WEB_SEARCH}`)
    : toolFields(value, `${path}.custom`)

const display = optional(orNull(oneOf('summarized', 'omitted')))
const block_binding = optional(
  orNull(record({ prefix_mismatch_behavior: optional(orNull(oneOf('error', 'drop_block'))) })),
)
const thinkingKinds = (binding: Record<string, typeof block_binding>) =>
  taggedUnion({
    adaptive: record({ type: kind('adaptive'), display, ...binding }),
    enabled: record({
      type: kind('enabled'),
      budget_tokens: required(wholeNumber(1024)),
      display,
      ...binding,
    }),
    disabled: record({ type: kind('disabled') }),
    between_tools: record({ type: kind('between_tools') }),
  })

const anyTools = { disable_parallel_tool_use: optional(anyBoolean) }
const toolChoice = taggedUnion({
  auto: record({ type: kind('auto'), ...anyTools }),
  any: record({ type: kind('any'), ...anyTools }),
  tool: record({ type: kind('tool'), name: required(anyText), ...anyTools }),
  none: record({ type: kind('none') }),
})

const bodyOf = (thinking: Check) =>
  record(
    {
      model: required(
        (value, path) => anyText(value, path) ?? (value === '' ? `${path}: Field required` : null),
      ),
      max_tokens: required(wholeNumber(1)),
      messages: required(list(message)),
      system: optional(textOr(list(taggedUnion({ text })))),
      tools: optional(list(tool)),
      tool_choice: optional(toolChoice),
      thinking: optional(thinking),
      stream: optional(anyBoolean),
      stop_sequences: optional(list(anyText)),
      metadata: optional(record({ user_id: optional(orNull(anyText)) })),
      output_config: optional(
        record({ effort: optional(orNull(oneOf('low', 'medium', 'high', 'xhigh', 'max'))) }, ['format']),
      ),
    },
    ['cache_control', 'container', 'diagnostics', 'inference_geo', 'service_tier', 'speed'],
  )

const plainBody = bodyOf(thinkingKinds({}))
const bodyWithBinding = bodyOf(thinkingKinds({ block_binding }))
