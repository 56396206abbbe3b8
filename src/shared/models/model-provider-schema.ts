/** The setting `providers`. */
import { z } from 'zod'
import { DEFAULT_PROVIDER } from './model-provider.ts'

export const providerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/)
  .refine((name) => name !== DEFAULT_PROVIDER)

const usd = z.number().nonnegative().max(10_000)

const providerModel = z.object({
  /** The context window in tokens. */
  contextTokens: z.number().int().min(1000).max(10_000_000).optional(),
  /** The longest message in tokens. */
  maxOutputTokens: z.number().int().min(64).max(1_000_000).optional(),
  /** US dollars per million tokens; missing: unknown. A model on the own machine has 0. */
  price: z
    .object({ input: usd, output: usd, cacheRead: usd.optional(), cacheWrite: usd.optional() })
    .optional(),
  /** Whether it can call tools; missing: unknown. */
  tools: z.boolean().optional(),
  /** Whether it accepts a thinking budget. */
  thinking: z.boolean().optional(),
  /** The last test of the model, in ms since the epoch, and what did not work. */
  probe: z.object({ at: z.number(), problem: z.string().max(2000).nullable() }).optional(),
})

export const provider = z.object({
  baseUrl: z.string().min(1).max(500),
  /** The name of its key in the system's key store. */
  key: providerName.optional(),
  /** The environment variable with its key. Without this and `key` requests have none. */
  keyVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/)
    .optional(),
  /** Whether its key is sent as `Authorization: Bearer`, not as `x-api-key`. */
  bearer: z.boolean().optional(),
  models: z.record(z.string().min(1).max(160), providerModel).default({}),
  /** Its model for haiku, sonnet, opus and fable, below an agent that runs on it. */
  aliases: z.record(z.string(), z.string()).optional(),
  /** Whether the server understands cache breakpoints. */
  cache: z.boolean().optional(),
  /** Whether the server has the web search of Anthropic's API. */
  webSearch: z.boolean().optional(),
  /** Seconds without any data after which a request has failed; default 300. */
  timeoutSeconds: z.number().int().min(5).max(3600).optional(),
})

export type ProviderModel = z.infer<typeof providerModel>
export type Provider = z.infer<typeof provider>
export type Providers = Readonly<Record<string, Provider>>
