/** Requests to the model, and the model's settings: their events, and what they add up to. */
import { z } from 'zod'
import { assistantBlock } from '../messages/content.ts'
import { effort, thinking } from '../models/model-choice-schema.ts'
import { declareEvent, failureInfo } from './event-schema.ts'

/** Tokens as the API counts them. `input` excludes tokens read from or written to the cache. */
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Of `cacheWrite`, the tokens that are kept for an hour, at a price of their own. Missing: none. */
  cacheWriteHour: z.number().optional(),
})
export type Usage = z.infer<typeof usage>

/** US dollars; null if the model's price is unknown. */
const costUsd = z.number().nullable()

/**
 * Tokens as limits count them: each by its share of the price of an input token, but output tokens as one each. Missing in
 * older events and where an external agent reports its usage: see `countTokens`.
 */
const countedTokens = z.number().optional()

const attempt = { turn: z.number().int(), attempt: z.number().int() }

export const modelRequestEvents = [
  /** Logged and flushed before a request leaves. `attempt` counts from 1. */
  declareEvent('request-started', { ...attempt, model: z.string() }),
  /** A failed attempt. `retryAt` is the time of the next one, ms since the epoch; null if there is none. */
  declareEvent('request-failed', { ...attempt, failure: failureInfo, retryAt: z.number().nullable() }),
  declareEvent('assistant-message', {
    turn: z.number().int(),
    messageId: z.string(),
    model: z.string(),
    content: z.array(assistantBlock),
    stopReason: z.string(),
    usage,
    /** The size of the model's context window, in tokens. Absent in older events. */
    contextWindow: z.number().optional(),
    /** The tokens in the context window, where they are not the sum of `usage`. */
    contextUsed: z.number().optional(),
    countedTokens,
    costUsd,
    durationMs: z.number(),
    /** The pace of the stream: [ms since the request, characters so far]. */
    pace: z.array(z.tuple([z.number(), z.number()])),
  }),
  /** A request to a model that a tool made. It is no part of the conversation; its cost is the agent's. */
  declareEvent('model-asked', {
    toolUseId: z.string(),
    model: z.string(),
    usage,
    countedTokens,
    costUsd,
    durationMs: z.number(),
  }),
  /** `forTurn`: until the agent waits for its next message or ends. Then the model before counts again. */
  declareEvent('model-changed', { model: z.string(), forTurn: z.literal(true).optional() }),
  declareEvent('effort-changed', { effort }),
  declareEvent('thinking-changed', { thinking }),
  /**
   * The API refused a part of a request that all later requests would have too. They continue without it; a text stands
   * in its place. `reason` is the API's message.
   */
  declareEvent('part-refused', {
    part: z.discriminatedUnion('kind', [
      /** An image: its place in the messages of the request. `inner`: within the content of a tool's result. */
      z.object({
        kind: z.literal('block'),
        message: z.number().int(),
        block: z.number().int(),
        inner: z.number().int().nullable(),
      }),
      z.object({ kind: z.literal('tool'), name: z.string() }),
    ]),
    reason: z.string(),
  }),
] as const

export const modelRequestState = {
  model: z.string(),
  /** The model that counts again after this turn; null: `model` stays. */
  modelAfterTurn: z.string().nullable().default(null),
  /** Null: the model's default. */
  effort,
  thinking: thinking.default(null),
  /** The turn of the current or last run. */
  turn: z.number(),
  /** The turns of all runs. */
  turns: z.number(),
  usage,
  /** The tokens of `usage` as limits count them: whole tokens at full price, cached ones by their share of it. */
  countedTokens: z.number(),
  /** US dollars, for the turns on models with a known price. */
  costUsd: z.number(),
  /** False after a turn on a model without a known price: then only tokens are shown. */
  priced: z.boolean(),
  /** The last line of the agent's text, at most 200 characters. */
  lastLine: z.string(),
  /**
   * Set while a failed request waits for the next attempt. `since`: the order of the event that began the wait; who
   * came first is released first.
   */
  retry: z
    .object({ at: z.number(), attempt: z.number(), failure: failureInfo, since: z.number() })
    .nullable(),
  /** The end of the usage limit for which the agent waits, or waited when the program ended; ms since the epoch. */
  limitedUntil: z.number().nullable(),
}
