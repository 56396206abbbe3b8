/**
 * Rules across fields: order of roles, pairs of calls and results, empty content. Stricter than the real API,
 * which corrects some violations silently.
 */

import { crc32, inflateSync } from 'node:zlib'
import { imageFacts } from '../../../shared/messages/image-facts.ts'
import { traitsOf } from '../../platform/models/model-table.ts'
import {
  type BlockParam,
  blocksOf,
  cacheLifeOf,
  type ImageParam,
  type ImageType,
  isMarked,
  type MessageParam,
  type RequestBody,
  type TextParam,
} from './request-shape.ts'

const MOST_BREAKPOINTS = 4
const MOST_IMAGE_BYTES = 5 * 1024 * 1024
/** Pixels a side: in a request with few images, and in one with more. */
const LONGEST_SIDE = 8000
const LONGEST_SIDE_OF_MANY = 2000
const FEW_IMAGES = 20

interface RuleOptions {
  /** Whether the API left this assistant message unfinished, so that it may end the conversation. */
  readonly isPaused: (message: MessageParam) => boolean
}

/** The first violation, or null. */
export function checkRules(body: RequestBody, options: RuleOptions): string | null {
  return (
    checkLimits(body) ??
    checkTools(body) ??
    checkSystem(body) ??
    checkBreakpoints(body) ??
    checkRoles(body.messages) ??
    checkContent(body.messages) ??
    checkReferences(body) ??
    checkPairs(body) ??
    checkEnd(body.messages, options)
  )
}

function checkLimits({ model, max_tokens, thinking }: RequestBody): string | null {
  const { maxOutputTokens, thinking: kind, thinkingOff } = traitsOf(model)
  if (max_tokens > maxOutputTokens)
    return `max_tokens: ${max_tokens} > ${maxOutputTokens}, which is the maximum allowed number of output tokens for ${model}`
  if (thinking?.type === 'enabled' && kind === 'bound')
    return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
  const isOff = thinking?.type === 'disabled' || thinking?.type === 'between_tools'
  if (
    isOff &&
    (thinkingOff === 'always' || (thinkingOff === 'between-tools') !== (thinking.type === 'between_tools'))
  )
    return `"thinking.type.${thinking.type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`
  if (thinking?.budget_tokens !== undefined && thinking.budget_tokens >= max_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`.'
  if (thinking?.type === 'adaptive' && kind === 'none')
    return 'adaptive thinking is not supported on this model'
  return null
}

function checkTools({ model, tools = [], tool_choice }: RequestBody): string | null {
  const names = new Set<string>()
  if (tools.length > 0 && tools.every(({ defer_loading }) => defer_loading))
    return 'At least one tool must have defer_loading=false. All tools cannot be deferred.'
  for (const tool of tools) {
    const { name } = tool
    if (tool.defer_loading && isMarked(tool))
      return `tools: Tool '${name}' cannot have both defer_loading=true and cache_control set.`
    if (names.has(name)) return `tools: Tool names must be unique. Found "${name}" twice.`
    names.add(name)
  }
  if (tool_choice === undefined) return null
  if (tools.length === 0) return 'tool_choice: may only be specified while providing tools.'
  const forced = tool_choice.type === 'any' || tool_choice.type === 'tool'
  if (forced && !traitsOf(model).forcedTools)
    return 'tool_choice: type "tool" and "any" are not supported for this model.'
  if (tool_choice.name !== undefined && !names.has(tool_choice.name))
    return `tool_choice: Tool '${tool_choice.name}' not found in provided tools`
  return null
}

function checkSystem({ system = [] }: RequestBody): string | null {
  if (typeof system === 'string') return null
  return system.some(isBlank) ? 'system: text content blocks must contain non-whitespace text' : null
}

function checkBreakpoints(body: RequestBody): string | null {
  const system = typeof body.system === 'string' ? [] : (body.system ?? [])
  const content = body.messages.flatMap((message) => [...blocksOf(message)])
  const nested = content.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content === 'object' ? [...block.content] : [],
  )
  const all: readonly object[] = [...(body.tools ?? []), ...system, ...content, ...nested]
  const lives = all.flatMap((block) => cacheLifeOf(block) ?? [])
  if (lives.length > MOST_BREAKPOINTS)
    return `A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided. Found ${lives.length}.`
  return lives.lastIndexOf('1h') > lives.indexOf('5m') && lives.includes('5m')
    ? "A block with a cache_control of ttl='1h' must not come after one of ttl='5m'. Blocks are processed in the order tools, system, messages."
    : null
}

function checkRoles(messages: readonly MessageParam[]): string | null {
  if (messages.length === 0) return 'messages: at least one message is required'
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  for (const [index, { role }] of messages.entries())
    if (index > 0 && messages[index - 1]?.role === role)
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`
  return null
}

function checkContent(messages: readonly MessageParam[]): string | null {
  const longestSide = imagesIn(messages) > FEW_IMAGES ? LONGEST_SIDE_OF_MANY : LONGEST_SIDE
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    const blocks = blocksOf(message)
    if (blocks.length === 0) return `${path}: ${message.role} messages must have non-empty content`
    const last = blocks.at(-1)?.type
    if (message.role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking'))
      return `${path}: The final block in an assistant message cannot be \`${last}\`.`
    for (const [position, block] of blocks.entries()) {
      const problem = checkBlock(block, `${path}.content.${position}`, longestSide)
      if (problem !== null) return problem
    }
  }
  return null
}

function checkBlock(block: BlockParam, path: string, longestSide: number): string | null {
  if (block.type === 'text')
    return isBlank(block) ? `${path}: text content blocks must contain non-whitespace text` : null
  if (block.type === 'image') return checkImage(block, path, longestSide)
  if (block.type !== 'tool_result' || block.content === undefined || typeof block.content === 'string')
    return null
  for (const [position, inner] of block.content.entries()) {
    if (inner.type === 'tool_reference') continue
    const problem = checkBlock(inner, `${path}.tool_result.content.${position}`, longestSide)
    if (problem !== null) return problem
  }
  return null
}

/** References stand alone in a result, and each names a tool of the request. */
function checkReferences({ model, messages, tools = [] }: RequestBody): string | null {
  const names = new Set(tools.map(({ name }) => name))
  for (const [index, message] of messages.entries())
    for (const [position, block] of blocksOf(message).entries()) {
      if (block.type !== 'tool_result' || typeof block.content !== 'object') continue
      const references = block.content.flatMap((inner) => (inner.type === 'tool_reference' ? [inner] : []))
      if (references.length === 0) continue
      const path = `messages.${index}.content.${position}.tool_result`
      if (!traitsOf(model).toolReferences) return `${path}: tool_reference is not supported on this model`
      if (references.length < block.content.length)
        return `${path}: tool_reference blocks cannot be mixed with other content`
      const unknown = references.find(({ tool_name }) => !names.has(tool_name))
      if (unknown) return `${path}: Tool reference '${unknown.tool_name}' not found in available tools`
    }
  return null
}

function checkImage({ source }: ImageParam, path: string, longestSide: number): string | null {
  const at = `${path}.image.source.base64`
  if (source.data === '' || source.data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(source.data))
    return `${at}.data: invalid base64 data`
  // The API counts the characters of the base64.
  if (source.data.length > MOST_IMAGE_BYTES)
    return `${at}: image exceeds 5 MB maximum: ${source.data.length} bytes > ${MOST_IMAGE_BYTES} bytes`
  const bytes = Buffer.from(source.data, 'base64')
  const facts = imageFacts(bytes)
  if (facts?.type !== source.media_type)
    return `${at}.data: The image was specified using the ${source.media_type} media type, but it is not one`
  if (facts.size === null || !isWholeImage(bytes, facts.type)) return `${at}.data: Could not process image`
  return Math.max(facts.size.width, facts.size.height) > longestSide
    ? `${at}.data: At least one of the image dimensions exceed max allowed size${longestSide === LONGEST_SIDE ? '' : ' for many-image requests'}: ${longestSide} pixels`
    : null
}

function imagesIn(messages: readonly MessageParam[]): number {
  const all = messages.flatMap((message) => [...blocksOf(message)])
  const inResults = all.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content === 'object' ? [...block.content] : [],
  )
  return [...all, ...inResults].filter(({ type }) => type === 'image').length
}

/** Each call has its result first in the next message, and each result has its call. */
function checkPairs({ messages, tools = [] }: RequestBody): string | null {
  const seen = new Set<string>()
  let open: readonly string[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message)
    const problem =
      message.role === 'user'
        ? checkResults(blocks, open, index)
        : checkCalls(blocks, seen, { index, hasTools: tools.length > 0 })
    if (problem !== null) return problem
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  }
  return open.length === 0 ? null : unanswered(messages.length - 1, open)
}

function checkCalls(
  blocks: readonly BlockParam[],
  seen: Set<string>,
  { index, hasTools }: { readonly index: number; readonly hasTools: boolean },
): string | null {
  for (const [position, block] of blocks.entries()) {
    if (block.type !== 'tool_use') continue
    if (!hasTools) return 'Requests which include `tool_use` or `tool_result` blocks must define tools'
    if (seen.has(block.id)) return `messages.${index}.content.${position}: \`tool_use\` ids must be unique`
    seen.add(block.id)
  }
  return null
}

function checkResults(blocks: readonly BlockParam[], open: readonly string[], index: number): string | null {
  const answered = new Set<string>()
  let other: string | null = null
  for (const [position, block] of blocks.entries()) {
    if (block.type !== 'tool_result') {
      other ??= block.type
      continue
    }
    const path = `messages.${index}.content.${position}`
    if (!open.includes(block.tool_use_id))
      return `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    if (answered.has(block.tool_use_id))
      return `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.tool_use_id}`
    if (other !== null)
      return `${path}: \`tool_result\` blocks must come first in the message, found \`${other}\` before`
    answered.add(block.tool_use_id)
  }
  const missing = open.filter((id) => !answered.has(id))
  return missing.length === 0 ? null : unanswered(index - 1, missing)
}

const unanswered = (index: number, ids: readonly string[]): string =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`

function checkEnd(messages: readonly MessageParam[], { isPaused }: RuleOptions): string | null {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return null
  const end = blocksOf(last).at(-1)
  if (end?.type === 'text' && end.text !== end.text.trimEnd())
    return 'messages: final assistant content cannot end with trailing whitespace'
  return isPaused(last)
    ? null
    : 'This model does not support assistant message prefill. The conversation must end with a user message.'
}

const isBlank = (block: TextParam): boolean => block.text.trim() === ''

/** Whether an image is there to its end, from its parts. */
function isWholeImage(bytes: Buffer, type: ImageType): boolean {
  switch (type) {
    case 'image/png':
      return isWholePng(bytes)
    case 'image/jpeg':
      return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0
    case 'image/gif':
      return bytes.at(-1) === 0x3b
    case 'image/webp':
      return bytes.length >= bytes.readUInt32LE(4) + 8
  }
}

/** Each chunk with its checksum up to the last one, and data that can be decompressed. */
function isWholePng(bytes: Buffer): boolean {
  const data: Buffer[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false
    const kind = bytes.toString('latin1', at + 4, at + 8)
    if (kind === 'IDAT') data.push(bytes.subarray(at + 8, end))
    if (kind === 'IEND') return data.length > 0 && isCompressed(Buffer.concat(data))
    at = end + 4
  }
  return false
}

function isCompressed(data: Buffer): boolean {
  try {
    return inflateSync(data).length > 0
  } catch {
    return false
  }
}
