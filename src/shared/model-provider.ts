/** Servers with the Messages API beside the main one: a local server, a gateway. A model of theirs is `NAME/model`. */
import { z } from 'zod'

/** The name that stands for the main access. */
export const DEFAULT_PROVIDER = 'default'

export const providerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/)
  .refine((name) => name !== DEFAULT_PROVIDER)

const usd = z.number().nonnegative().max(10_000)

export const providerModel = z.object({
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
export type ProviderModel = z.infer<typeof providerModel>

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
export type Provider = z.infer<typeof provider>
export type Providers = Readonly<Record<string, Provider>>

export interface ModelName {
  /** Null: the main access. */
  readonly provider: string | null
  readonly model: string
}

/** Splits `NAME/model`. A name without a slash has no provider; a model may contain further slashes. */
export function splitModel(name: string): ModelName {
  const slash = name.indexOf('/')
  return slash <= 0
    ? { provider: null, model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}

/** The model's name as a definition must write it to stay with the main access below an agent of a provider. */
export const withDefaultProvider = (name: string): string =>
  name.includes('/') ? name : `${DEFAULT_PROVIDER}/${name}`

/** Why there is no such provider, with those that exist. */
export function unknownProvider(name: string, known: readonly string[]): string {
  const names = known.length === 0 ? 'There are none' : `There are: ${known.join(', ')}`
  return `There is no model provider "${name}". ${names}. Add it in Settings > Models, or choose another model.`
}
