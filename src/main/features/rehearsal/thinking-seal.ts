/**
 * Signatures of thinking blocks. As with the real API, a signature is valid only for the exact text at its
 * exact position: earlier content must be unchanged, and no thinking block in between may be missing.
 */
import { createHmac } from 'node:crypto'
import { traitsOf } from '../../platform/models/model-table.ts'
import { isThinking, type Prefix } from './request-prefix.ts'
import type { MessageParam, RedactedThinkingParam, RequestBody, ThinkingBlockParam } from './request-shape.ts'

/** A fixed key, so that signatures stay valid over a restart. It guards no secret. */
const KEY = 'the scripted API signs so that slips are found'
const KIND = 'scripted1'

interface SealPlace {
  readonly system: string
  readonly tools: string
  /** Digest of the messages before the block. */
  readonly before: string
  /** Signature of the previous thinking block; empty for the first. */
  readonly previous: string
}

/** The signature of a text at a position. */
export function sealOf(words: string, position: SealPlace): string {
  const parts = [
    short(position.system),
    short(position.tools),
    short(position.before),
    mac(position.previous),
  ]
  return [KIND, ...parts, mac(`${parts.join('.')}\n${words}`)].join('.')
}

/** The data of a redacted block. */
export function redactedData(words: string, position: SealPlace): string {
  const hidden = Buffer.from(words).toString('base64url')
  return `${hidden}.${sealOf(hidden, position)}`
}

export interface SealCheck {
  /** The message of a 400, or null. */
  readonly problem: string | null
  /** The dropped thinking: everything from the first invalid block on. */
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
    const differs = bound ? differenceOf(seal, prefix, { position: `${message}.${block}`, previous }) : null
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

/** The signature of a request's last thinking block, which the next one follows. */
export function lastSeal(messages: readonly MessageParam[]): string {
  return (
    thinkingIn(messages)
      .map(({ thinking }) => signatureOf(thinking))
      .at(-1) ?? ''
  )
}

type Thinking = ThinkingBlockParam | RedactedThinkingParam

interface LocatedThinking {
  readonly message: number
  readonly block: number
  readonly thinking: Thinking
}

function thinkingIn(messages: readonly MessageParam[]): readonly LocatedThinking[] {
  const found: LocatedThinking[] = []
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

/** Null if the text is not the signed one. */
function readSeal(thinking: Thinking): Seal | null {
  const [kind, system, tools, before, previous, signed] = signatureOf(thinking).split('.')
  if (kind !== KIND || !system || !tools || !before || !previous || !signed) return null
  const words =
    thinking.type === 'thinking' ? thinking.thinking : thinking.data.slice(0, thinking.data.indexOf('.'))
  return mac(`${[system, tools, before, previous].join('.')}\n${words}`) === signed
    ? { system, tools, before, previous }
    : null
}

function differenceOf(
  seal: Seal,
  prefix: Prefix,
  { position, previous }: { readonly position: string; readonly previous: string | null },
): string | null {
  const { system, tools, before } = prefix.seals
  if (seal.system !== short(system))
    return 'The `system` prompt differs from the one this block was created with.'
  if (seal.tools !== short(tools)) return 'The `tools` list differs from when the block was created.'
  if (seal.before !== short(before.get(position) ?? ''))
    return 'The messages before it differ from when the block was created.'
  // Thinking may be missing at the start of a conversation, not in its middle.
  if (previous !== null && seal.previous !== mac(previous))
    return 'A thinking block before it was left out or moved.'
  return null
}

const invalid = (thinking: Thinking): string =>
  thinking.type === 'thinking'
    ? 'Invalid `signature` in `thinking` block'
    : 'Invalid `data` in `redacted_thinking` block'

/** Joins digests so that an empty one stays distinguishable. */
const short = (digest: string): string => (digest === '' ? 'none' : digest.slice(0, 16))

const mac = (text: string): string => createHmac('sha256', KEY).update(text).digest('base64url').slice(0, 27)
