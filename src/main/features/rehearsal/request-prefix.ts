/**
 * A request as one list of blocks in the order in which a model reads them: tools, system prompt, messages.
 * Each block carries a digest of everything up to it, used by the prompt cache and thinking signatures.
 */
import { hash } from 'node:crypto'
import type { CacheLife } from '../../runtime/ports/model.ts'
import { type BlockParam, blocksOf, cacheLifeOf, type RequestBody } from './request-shape.ts'

export interface PrefixBlock {
  readonly part: 'tools' | 'system' | 'messages'
  /** Index in `messages`; -1 for tools and system prompt. */
  readonly message: number
  readonly block: number
  readonly tokens: number
  /** Digest of all blocks up to and including this one. */
  readonly digest: string
  /** How long a cache breakpoint here keeps the prompt; null: there is none. */
  readonly breakpoint: CacheLife | null
}

export interface Prefix {
  readonly blocks: readonly PrefixBlock[]
  readonly tokens: number
  /** Input of thinking signatures: excludes cache marks and thinking blocks. */
  readonly seals: SealChain
}

/** Digests of the system prompt, of the tools, and of the messages before each block. */
interface SealChain {
  readonly system: string
  readonly tools: string
  /** Digest of everything before a block, keyed `message.block`; `end` for the end of the request. */
  readonly before: ReadonlyMap<string, string>
}

const CHARACTERS_PER_TOKEN = 4
/** Tokens counted for an image: its base64 length says nothing about them. */
const IMAGE_TOKENS = 1600

export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

/** The digest of `before` followed by `text`. */
export function chained(before: string, text: string): string {
  return hash('sha1', `${before}\n${text}`, 'base64url')
}

export function prefixOf(body: RequestBody): Prefix {
  const blocks: PrefixBlock[] = []
  let digest = body.model
  let tokens = 0
  const add = (
    { part, message, block }: Pick<PrefixBlock, 'part' | 'message' | 'block'>,
    value: object,
    text: string,
  ) => {
    digest = chained(digest, text)
    const own = tokensOf(lengthOf(value, text))
    tokens += own
    blocks.push({
      part,
      message,
      block,
      tokens: own,
      digest,
      breakpoint: cacheLifeOf(value),
    })
  }

  // Deferred tools are loaded where a result refers to them, and are no part of the prefix.
  const tools = (body.tools ?? []).filter(({ defer_loading }) => !defer_loading)
  const toolTexts = tools.map(bare)
  for (const [index, tool] of tools.entries())
    add({ part: 'tools', message: -1, block: index }, tool, toolTexts[index] ?? '')
  const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : (body.system ?? [])
  const systemTexts = system.map(bare)
  for (const [index, block] of system.entries())
    add({ part: 'system', message: -1, block: index }, block, systemTexts[index] ?? '')

  // These settings change the cached prefix.
  digest = chained(digest, JSON.stringify([body.tool_choice?.type ?? 'auto', body.thinking?.type ?? null]))
  let seal = ''
  const before = new Map<string, string>()
  for (const [index, message] of body.messages.entries()) {
    seal = chained(seal, message.role)
    for (const [position, block] of blocksOf(message).entries()) {
      before.set(`${index}.${position}`, seal)
      const text = blockText(block)
      add({ part: 'messages', message: index, block: position }, block, text)
      if (!isThinking(block)) seal = chained(seal, text)
    }
  }
  // The reply is a new assistant message unless it continues the last one.
  const continues = body.messages.at(-1)?.role === 'assistant'
  before.set('end', continues ? seal : chained(seal, 'assistant'))
  return {
    blocks,
    tokens,
    seals: { system: chained('', systemTexts.join('\n')), tools: chained('', toolTexts.join('\n')), before },
  }
}

export const isThinking = (block: BlockParam): boolean =>
  block.type === 'thinking' || block.type === 'redacted_thinking'

/** A block as canonical text, independent of field order and cache marks. */
export function blockText(block: BlockParam): string {
  switch (block.type) {
    case 'text':
      return `text ${block.text}`
    case 'tool_use':
      return `tool_use ${block.id} ${block.name} ${JSON.stringify(block.input)}`
    case 'tool_result':
      return typeof block.content === 'string'
        ? `tool_result ${block.tool_use_id} ${block.is_error ?? false} ${block.content}`
        : bare(block)
    default:
      return bare(block)
  }
}

/** Canonical JSON without the cache mark. */
function bare(value: object): string {
  if (!('cache_control' in value)) return JSON.stringify(value)
  const { cache_control: _, ...rest } = value
  return JSON.stringify(rest)
}

function lengthOf(value: object, text: string): number {
  if (!('type' in value)) return text.length
  const block = value as BlockParam
  if (block.type === 'image') return IMAGE_TOKENS * CHARACTERS_PER_TOKEN
  if (block.type !== 'tool_result' || typeof block.content !== 'object') return text.length
  const images = block.content.filter((inner) => inner.type === 'image')
  const data = images.reduce((sum, inner) => sum + inner.source.data.length, 0)
  return text.length - data + images.length * IMAGE_TOKENS * CHARACTERS_PER_TOKEN
}
