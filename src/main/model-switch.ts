/**
 * The one `ModelClient` the runtime knows, and what stands behind it: the API with a key, the rehearsal's
 * script, or nothing. It can be switched while agents run: each request goes to what is chosen when it starts.
 */
import { readFile } from 'node:fs/promises'
import { fail, messageOf, ok, type Result } from '../shared/result.ts'
import { type AnthropicClient, createAnthropicClient } from './adapters/anthropic/anthropic-client.ts'
import { defaultAliases } from './adapters/anthropic/model-catalog.ts'
import type { Director } from './adapters/rehearsal/director.ts'
import type { ScriptedServer } from './adapters/rehearsal/scripted-server.ts'
import type { Clock, ModelCatalog, ModelClient, ModelFailure } from './runtime/ports.ts'

/** Who answers the requests for a model. */
export type ModelAccess =
  | { readonly kind: 'rehearsal' }
  | {
      readonly kind: 'api'
      readonly key: string | null
      /** A bearer token, for servers that want one; used where there is no key. */
      readonly authToken?: string | null
      /** Empty: Anthropic's. */
      readonly baseUrl: string
    }
  | { readonly kind: 'none' }

export interface RehearsalOptions {
  /** Tokens a second; 0: at once; null: as the script likes it. */
  readonly pace: number | null
  /** A scenario that is played instead of the survey. */
  readonly scenarioFile: string | null
}

export interface ModelSwitchOptions {
  readonly clock: Clock
  readonly models: ModelCatalog
  /** What new conversations start with: asked where the smallest model is not to be had. */
  readonly usualModel: () => string
  readonly rehearsal: RehearsalOptions
}

export interface ModelSwitch {
  readonly client: ModelClient
  /** Whether a script answers: then nothing costs anything. */
  readonly isRehearsal: boolean
  /** Failures: `scenario`, `no-rehearsal`; then all stays as it was. */
  switchTo(access: ModelAccess): Promise<Result<void>>
  /** One tiny request. Failures: those of a request. */
  test(access: ModelAccess & { readonly kind: 'api' }): Promise<Result<{ model: string; ms: number }>>
  /** The API's own list; without an API the aliases. */
  listModels(): Promise<Result<readonly { readonly id: string; readonly name: string }[]>>
  close(): Promise<void>
}

/** ms for a request that only asks how things are. */
const ASKING_LIMIT = 30_000

export function createModelSwitch(options: ModelSwitchOptions): ModelSwitch {
  const { clock, models, usualModel } = options
  let current: AnthropicClient | null = null
  let isApi = false
  let isRehearsal = false
  let stage: Promise<Result<ScriptedServer>> | null = null

  const open = (access: ModelAccess & { readonly kind: 'api' }): AnthropicClient =>
    createAnthropicClient({
      clock,
      apiKey: access.key,
      authToken: access.authToken ?? null,
      baseUrl: access.baseUrl,
    })

  /** Started once, at the first need. */
  const openStage = async (): Promise<Result<ScriptedServer>> => {
    stage ??= startStage(options.rehearsal)
    const started = await stage
    if (!started.ok) stage = null
    return started
  }

  return {
    client: { request: (request, how) => (current ?? nobody).request(request, how) },
    get isRehearsal() {
      return isRehearsal
    },
    async switchTo(access) {
      if (access.kind === 'rehearsal') {
        const started = await openStage()
        if (!started.ok) return started
        const { apiKey, baseUrl } = started.value
        current = open({ kind: 'api', key: apiKey, baseUrl })
      } else {
        current = access.kind === 'api' ? open(access) : null
      }
      isApi = access.kind === 'api'
      isRehearsal = access.kind === 'rehearsal'
      return ok(undefined)
    },
    async test(access) {
      const client = open(access)
      const ask = async (name: string) => {
        const model = models.resolve(name)
        const asked = await client.testAccess(model, AbortSignal.timeout(ASKING_LIMIT))
        return asked.ok ? ok({ model, ms: asked.value.ms }) : asked
      }
      const smallest = await ask('haiku')
      // Other servers have other models: the one that will be used is the one that counts.
      return !smallest.ok && smallest.failure.type === 'not-found' ? ask(usualModel()) : smallest
    },
    async listModels() {
      if (current === null || !isApi)
        return ok(
          Object.entries(defaultAliases).map(([alias]) => ({ id: alias, name: models.resolve(alias) })),
        )
      const listed = await current.listModels(AbortSignal.timeout(ASKING_LIMIT))
      return listed.ok ? ok(listed.value.map(({ id, name }) => ({ id, name }))) : listed
    },
    async close() {
      const started = await stage
      if (started?.ok) await started.value.close()
    },
  }
}

const noAccess: ModelFailure = {
  type: 'auth',
  message:
    'There is no access to a model. Add a key for the API in Settings, or choose the rehearsal there, which needs none and shows how everything works.',
  status: null,
  retryAfterMs: null,
}

const nobody: ModelClient = { request: async () => fail(noAccess) }

async function startStage({ pace, scenarioFile }: RehearsalOptions): Promise<Result<ScriptedServer>> {
  const director = await openDirector(scenarioFile)
  if (!director.ok) return director
  try {
    const { startScriptedServer } = await import('./adapters/rehearsal/scripted-server.ts')
    const server = await startScriptedServer({
      director: director.value,
      ...(pace === null ? {} : { pace: pace === 0 ? 0 : { tokensPerSecond: pace } }),
    })
    return ok(server)
  } catch (cause) {
    return fail({
      type: 'no-rehearsal',
      message: `The rehearsal could not begin: ${messageOf(cause)}. It needs a free port on this machine; see whether something forbids that.`,
      cause,
    })
  }
}

async function openDirector(scenarioFile: string | null): Promise<Result<Director>> {
  if (scenarioFile === null) {
    const { createSurveyDirector } = await import('./adapters/rehearsal/survey/create-survey-director.ts')
    return ok(createSurveyDirector())
  }
  try {
    const { loadScenario } = await import('./adapters/rehearsal/scenario.ts')
    const loaded = loadScenario(await readFile(scenarioFile, 'utf8'))
    return loaded.ok
      ? loaded
      : fail({ type: 'scenario', message: `${scenarioFile} can't be played: ${loaded.failure.message}` })
  } catch (cause) {
    return fail({ type: 'scenario', message: `${scenarioFile} can't be read: ${messageOf(cause)}`, cause })
  }
}
