/**
 * Public facts about the models: prices, context windows, limits and thinking. A model that is not in the table works
 * too, and shows tokens without dollars.
 *
 * Prices as publicly listed on 2026-11-10: https://platform.claude.com/docs/en/about-claude/pricing
 *
 * Thinking: models since Claude 4.6 accept `thinking: {"type": "adaptive"}` and choose the amount of thinking
 * themselves. Older models need a budget, and do not think without one. Unknown models may reject the field, so their
 * requests leave it out and get the model's default.
 */
import type { ModelPrice, TokenPrices } from '../../runtime/ports/model.ts'

/**
 * `bound`: adaptive, and the API checks that nothing before a returned thinking block has changed. `adaptive`: without
 * that check. `none`: the field is not sent.
 */
type ThinkingKind = 'bound' | 'adaptive' | 'none'

/**
 * What turns thinking off. `always`: nothing does. `not-above-high`: the model refuses it at a higher effort.
 * `between-tools`: only remarks between tool calls stay. `omit`: no `thinking` field.
 * https://platform.claude.com/docs/en/build-with-claude/thinking
 */
type ThinkingOff = 'always' | 'not-above-high' | 'between-tools' | 'omit'

export interface ModelTraits {
  readonly price: ModelPrice | null
  readonly contextTokens: number
  /** The API's limit for one message. */
  readonly maxOutputTokens: number
  readonly thinking: ThinkingKind
  readonly thinkingOff: ThinkingOff
  /** Whether the model accepts a thinking budget where it does not think adaptively. */
  readonly thinkingBudget: boolean
  /** Whether requests mark what the server shall cache. */
  readonly cache: boolean
  /** Whether a mark may ask to keep the prompt for an hour. */
  readonly longCache: boolean
  /** Whether a tool's result may be references to tools, whose schemas are loaded there (`defer_loading`). */
  readonly toolReferences: boolean
  /** Whether `tool_choice` may force a call. */
  readonly forcedTools: boolean
}

/** Traits by id. A dated id (`claude-haiku-4-5-20251001`) has the traits of its family. */
export function traitsOf(id: string): ModelTraits {
  return table.get(id) ?? table.get(id.replace(/-\d{8}$/, '')) ?? unknownModel
}

/** The ids in the table, newest first. */
export const knownModels = (): readonly string[] => [...table.keys()]

/** The same factors for every model: 1.25 to keep a prompt for 5 minutes, 2 to keep it for an hour. */
const price = (input: number, output: number, cacheRead: number): TokenPrices => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
  cacheWriteHour: input * 2,
})

/** Nothing is known about the model. */
export const unknownModel: ModelTraits = {
  price: null,
  contextTokens: 200_000,
  maxOutputTokens: 32_000,
  thinking: 'none',
  thinkingOff: 'omit',
  thinkingBudget: false,
  cache: true,
  longCache: false,
  toolReferences: false,
  forcedTools: true,
}

/** A model of the 1M-token generation. */
const large = (
  prices: ModelPrice | null,
  thinking: ThinkingKind,
  { off, forcedTools = thinking === 'adaptive' }: { off: ThinkingOff; forcedTools?: boolean },
): ModelTraits => ({
  price: prices,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking,
  thinkingOff: off,
  thinkingBudget: false,
  cache: true,
  longCache: true,
  toolReferences: true,
  forcedTools,
})

const small = (prices: ModelPrice): ModelTraits => ({
  price: prices,
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  thinking: 'none',
  thinkingOff: 'omit',
  thinkingBudget: true,
  cache: true,
  longCache: true,
  toolReferences: true,
  forcedTools: true,
})

const haiku55: ModelPrice = {
  ...price(0.1, 0.5, 0.01),
  longPrompt: { aboveTokens: 100_000, ...price(0.5, 2.5, 0.05) },
}

const table: ReadonlyMap<string, ModelTraits> = new Map([
  ['claude-fable-5-2', large(price(8, 40, 0.2), 'bound', { off: 'always' })],
  ['claude-opus-5-5', large(price(4, 20, 0.2), 'bound', { off: 'always' })],
  ['claude-sonnet-5-5', large(price(2, 10, 0.1), 'bound', { off: 'between-tools' })],
  ['claude-haiku-5-5', large(haiku55, 'bound', { off: 'not-above-high', forcedTools: true })],
  ['claude-fable-5-1', large(price(10, 50, 0.25), 'bound', { off: 'always' })],
  ['claude-fable-5', large(price(10, 50, 1), 'adaptive', { off: 'always' })],
  ['claude-opus-5', large(price(5, 25, 0.5), 'adaptive', { off: 'not-above-high' })],
  ['claude-sonnet-5', large(price(2, 10, 0.2), 'adaptive', { off: 'not-above-high' })],
  ['claude-opus-4-8', large(price(5, 25, 0.5), 'adaptive', { off: 'omit' })],
  ['claude-opus-4-7', large(price(5, 25, 0.5), 'adaptive', { off: 'omit' })],
  ['claude-opus-4-6', large(price(5, 25, 0.5), 'adaptive', { off: 'omit' })],
  ['claude-sonnet-4-6', large(price(3, 15, 0.3), 'adaptive', { off: 'omit' })],
  ['claude-opus-4-5', small(price(5, 25, 0.5))],
  ['claude-sonnet-4-5', small(price(3, 15, 0.3))],
  ['claude-haiku-4-5', small(price(1, 5, 0.1))],
])
