/**
 * The clients of the providers in the settings. Each sends only its provider's own key, and only to its provider's
 * address.
 */
import { checkBaseUrl } from '../../../shared/kernel/base-url.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { DEFAULT_PROVIDER, splitModel, unknownProvider } from '../../../shared/models/model-provider.ts'
import type { Provider, Providers } from '../../../shared/models/model-provider-schema.ts'
import { type AnthropicClient, createAnthropicClient } from '../../platform/models/anthropic-client.ts'
import { type ModelTraits, unknownModel } from '../../platform/models/model-table.ts'
import type { ModelCatalog, ModelClient, ModelFacts, ModelFailure } from '../../runtime/ports/model.ts'
import type { Clock } from '../../runtime/ports/ports.ts'

interface ModelProvidersOptions {
  readonly clock: Clock
  /** Read again for each request. */
  readonly providers: () => Providers
  /** For the keys in variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface ModelProviders {
  /** The client of a model's provider; null: the main access has the model. Fails with `not-found` or `auth`. */
  clientFor(model: string): Result<AnthropicClient, ModelFailure> | null
  request: ModelClient['request']
  readonly names: readonly string[]
  /** The models in the settings, as `NAME/model`. */
  readonly models: readonly string[]
  /** Adds the providers' models to a catalog. */
  catalog(main: ModelCatalog): ModelCatalog
  /** Keys of the system's key store, by their names. */
  setKeys(keys: Readonly<Record<string, string>>): void
  readonly keys: Readonly<Record<string, string>>
}

/** Assumed where the settings say nothing: local servers have small windows. */
const CONTEXT_TOKENS = 32_768
const OUTPUT_TOKENS = 8192
/** Some servers want a key in each request, and accept any. */
const NO_KEY = 'no-key'
/** A local server sends nothing while it reads a long prompt. */
const TIMEOUT_SECONDS = 300

export function createModelProviders(options: ModelProvidersOptions): ModelProviders {
  const { clock, environment } = options
  let keys: Readonly<Record<string, string>> = {}
  const clients = new Map<string, { readonly made: string; readonly client: AnthropicClient }>()

  const own = (name: string | null): Provider | null => {
    const providers = options.providers()
    return name !== null && Object.hasOwn(providers, name) ? (providers[name] ?? null) : null
  }

  const keyOf = (name: string, { key, keyVariable }: Provider): Result<string | null, ModelFailure> => {
    if (keyVariable !== undefined) {
      const found = environment[keyVariable]?.trim()
      return found
        ? ok(found)
        : fail(noKey(`The variable ${keyVariable} with the key of ${name} is not set.`))
    }
    if (key === undefined) return ok(null)
    const found = keys[key]
    return found
      ? ok(found)
      : fail(
          noKey(
            `The key "${key}" of ${name} is not available. Enter it in Settings › Access and models; only the window reads the system's key store, so set \`keyVariable\` for the command line.`,
          ),
        )
  }

  const open = (name: string, entry: Provider): Result<AnthropicClient, ModelFailure> => {
    const key = keyOf(name, entry)
    if (!key.ok) return key
    const made = JSON.stringify([entry, key.value])
    const known = clients.get(name)
    if (known?.made === made) return ok(known.client)
    const address = checkBaseUrl(entry.baseUrl)
    if (!address.ok || address.value === '')
      return fail(noKey(address.ok ? `${name} has no address.` : address.failure.message))
    const client = createAnthropicClient({
      clock,
      ...(entry.bearer ? { authToken: key.value ?? NO_KEY } : { apiKey: key.value ?? NO_KEY }),
      baseUrl: address.value,
      idleTimeoutMs: (entry.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
      traits: (model) => traitsIn(entry, model),
    })
    clients.set(name, { made, client })
    return ok(client)
  }

  const clientFor: ModelProviders['clientFor'] = (full) => {
    const { provider } = splitModel(full)
    if (provider === null) return null
    const entry = own(provider)
    return entry === null ? fail(missing(provider, Object.keys(options.providers()))) : open(provider, entry)
  }

  return {
    clientFor,
    async request(request, how) {
      const { provider, model } = splitModel(request.model)
      const client = clientFor(request.model)
      if (client === null) return fail(missing('', []))
      if (!client.ok) return client
      if (request.webSearch && own(provider)?.webSearch !== true)
        return fail(failureOf('bad-request', `The provider ${provider} has no web search.`))
      return client.value.request({ ...request, model }, how)
    },
    get names() {
      return Object.keys(options.providers())
    },
    get models() {
      return Object.entries(options.providers()).flatMap(([name, { models }]) =>
        Object.keys(models).map((model) => `${name}/${model}`),
      )
    },
    catalog: (main) => ({
      resolve(given, below) {
        const name = given.trim()
        const { provider, model } = splitModel(name)
        if (provider === DEFAULT_PROVIDER) return main.resolve(model)
        if (own(provider) !== null) return name
        // The user's aliases may name a provider.
        const resolved = main.resolve(name)
        const above = below === undefined ? null : splitModel(below).provider
        const entry = own(above)
        if (below === undefined || entry === null || resolved.includes('/')) return resolved
        // An agent stays with its parent's provider unless another one is named.
        const wanted = entry.aliases?.[name.toLowerCase()] ?? name
        return Object.hasOwn(entry.models, wanted) ? `${above}/${wanted}` : below
      },
      problem(given, below) {
        const id = this.resolve(given, below)
        return splitModel(id).provider === null ? (main.problem?.(given) ?? null) : null
      },
      facts(id): ModelFacts {
        const { provider, model } = splitModel(id)
        const entry = own(provider)
        if (provider === null || entry === null) return main.facts(id)
        const { tools } = entry.models[model] ?? {}
        const { price, contextTokens } = traitsIn(entry, model)
        return { id, price, contextTokens, provider, ...(tools !== undefined && { tools }) }
      },
    }),
    setKeys(next) {
      keys = next
    },
    get keys() {
      return keys
    },
  }
}

function traitsIn({ models, cache = false }: Provider, model: string): ModelTraits {
  const known = Object.hasOwn(models, model) ? models[model] : undefined
  const { price, contextTokens = CONTEXT_TOKENS, maxOutputTokens = OUTPUT_TOKENS, thinking } = known ?? {}
  const { input = 0, cacheRead = input, cacheWrite = input } = price ?? {}
  return {
    ...unknownModel,
    price: price === undefined ? null : { ...price, cacheRead, cacheWrite },
    contextTokens,
    maxOutputTokens: Math.min(maxOutputTokens, Math.floor(contextTokens / 2)),
    thinkingBudget: thinking === true,
    cache,
  }
}

const missing = (name: string, known: readonly string[]) =>
  failureOf('not-found', unknownProvider(name, known))
const noKey = (message: string) => failureOf('auth', message)

const failureOf = (type: ModelFailure['type'], message: string): ModelFailure => ({
  type,
  message,
  status: null,
  retryAfterMs: null,
})
