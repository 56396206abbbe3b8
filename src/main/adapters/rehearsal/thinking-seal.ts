/**
 * Signatures of thinking blocks. As with the real API they hold only for the words that were said, where
 * they were said: nothing before them may have changed, and none between them may be missing.
 */
import { createHmac } from 'node:crypto'
import { traitsOf } from '../anthropic/model-table.ts'
import { isThinking, type Prefix } from './request-prefix.ts'
import type { MessageParam, RedactedThinkingParam, RequestBody, ThinkingBlockParam } from './request-shape.ts'

/** Seals hold from one start of the program to the next, so that a conversation can go on. It guards no secret. */
const KEY = 'the scripted API signs so that slips are found'
const KIND = 'scripted1'

export interface SealPlace {
  readonly system: string
  readonly tools: string
  /** The digest of the messages before the block. */
  readonly before: string
  /** The seal of the thinking block before this one; empty for the first. */
  readonly previous: string
}

/** The signature for words at a place. */
export function sealOf(words: string, place: SealPlace): string {
  const parts = [short(place.system), short(place.tools), short(place.before), mac(place.previous)]
  return [KIND, ...parts, mac(`${parts.join('.')}\n${words}`)].join('.')
}

/** What a redacted block carries instead of words. */
export function redactedData(words: string, place: SealPlace): string {
  const hidden = Buffer.from(words).toString('base64url')
  return `${hidden}.${sealOf(hidden, place)}`
}

export interface SealCheck {
  /** The words of a 400, or null. */
  readonly problem: string | null
  /** Where thinking was dropped: everything from the first block that no longer fits. */
  readonly dropped: readonly { readonly message: number; readonly block: number }[]
}

export function checkSeals(body: RequestBody, prefix: Prefix): SealCheck {
  const bound = traitsOf(body.model).thinking === 'bound'
  const drop = body.thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block'
  const dropped: { message: number; block: number }[] = []
  let previous: string | null = null
  for (const { message, block, thinking } of thinkingIn(body.messages)) {
    const path = `messages.${message}.content.${block}`
    const signature = signatureOf(thinking)
    const seal = readSeal(thinking)
    if (seal === null) return { problem: `${path}: ${invalid(thinking)}`, dropped: [] }
    const differs = bound ? differenceOf(seal, prefix, `${message}.${block}`, previous) : null
    if (differs !== null && !drop)
      return {
        problem: `${path}: ${invalid(thinking)}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". ${differs}`,
        dropped: [],
      }
    if (differs !== null || dropped.length > 0) dropped.push({ message, block })
    previous = signature
  }
  return { problem: null, dropped }
}

/** The seal of the last thinking block of a request: what a new one follows. */
export function lastSeal(messages: readonly MessageParam[]): string {
  return (
    thinkingIn(messages)
      .map(({ thinking }) => signatureOf(thinking))
      .at(-1) ?? ''
  )
}

type Thinking = ThinkingBlockParam | RedactedThinkingParam

interface PlacedThinking {
  readonly message: number
  readonly block: number
  readonly thinking: Thinking
}

function thinkingIn(messages: readonly MessageParam[]): readonly PlacedThinking[] {
  const found: PlacedThinking[] = []
  for (const [message, { role, content }] of messages.entries()) {
    if (role !== 'assistant' || typeof content === 'string') continue
    for (const [block, each] of content.entries())
      if (isThinking(each)) found.push({ message, block, thinking: each as Thinking })
  }
  return found
}

const signatureOf = (thinking: Thinking): string =>
  thinking.type === 'thinking' ? thinking.signature : thinking.data.slice(thinking.data.indexOf('.') + 1)

interface Seal {
  readonly system: string
  readonly tools: string
  readonly before: string
  readonly previous: string
}

/** Null where the words are not those that were signed. */
function readSeal(thinking: Thinking): Seal | null {
  const [kind, system, tools, before, previous, signed] = signatureOf(thinking).split('.')
  if (kind !== KIND || !system || !tools || !before || !previous || !signed) return null
  const words =
    thinking.type === 'thinking' ? thinking.thinking : thinking.data.slice(0, thinking.data.indexOf('.'))
  return mac(`${[system, tools, before, previous].join('.')}\n${words}`) === signed
    ? { system, tools, before, previous }
    : null
}

function differenceOf(seal: Seal, prefix: Prefix, place: string, previous: string | null): string | null {
  const { system, tools, before } = prefix.seals
  if (seal.system !== short(system))
    return 'The `system` prompt differs from the one this block was created with.'
  if (seal.tools !== short(tools)) return 'The `tools` list differs from when the block was created.'
  if (seal.before !== short(before.get(place) ?? ''))
    return 'The messages before it differ from when the block was created.'
  // Thinking may be left out from the start of a conversation, not from its middle.
  if (previous !== null && seal.previous !== mac(previous))
    return 'A thinking block before it was left out or moved.'
  return null
}

const invalid = (thinking: Thinking): string =>
  thinking.type === 'thinking'
    ? 'Invalid `signature` in `thinking` block'
    : 'Invalid `data` in `redacted_thinking` block'

/** Empty digests stay visible as a part of their own. */
const short = (digest: string): string => (digest === '' ? 'none' : digest.slice(0, 16))

const mac = (text: string): string => createHmac('sha256', KEY).update(text).digest('base64url').slice(0, 27)
