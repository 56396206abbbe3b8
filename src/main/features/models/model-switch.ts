/**
 * The runtime's only `ModelClient`, in front of the current access: the API with a key, the rehearsal's script,
 * or none. The access can change while agents run: each request uses the access at its start.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type {
  AccessTest,
  ApiModelAccess,
  ModelAccess,
  ModelInfo,
} from '../../../shared/models/model-access.ts'
import { splitModel } from '../../../shared/models/model-provider.ts'
import type { RehearsalPace } from '../../../shared/models/rehearsal-pace.ts'
import { TUTORIAL_MODEL } from '../../../shared/tutorial/tutorial.ts'
import type { RehearsalOptions } from '../../platform/launch-options.ts'
import { type AnthropicClient, createAnthropicClient } from '../../platform/models/anthropic-client.ts'
import { defaultAliases } from '../../platform/models/model-catalog.ts'
import type { ModelCatalog, ModelClient, ModelFailure, ModelReply } from '../../runtime/ports/model.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { Director } from '../rehearsal/director.ts'
import type { ScriptedServer } from '../rehearsal/scripted-server.ts'
import type { KeyHelper } from '../settings/key-helper.ts'
import type { ModelProviders } from './model-providers.ts'

interface ModelSwitchOptions {
  readonly clock: Clock
  readonly models: ModelCatalog
  /** The further servers of the settings. The rehearsal's script answers for them too. */
  readonly providers?: ModelProviders
  /** The model of new conversations. A test uses it if the smallest model is not available. */
  readonly defaultModel: () => string
  readonly rehearsal: RehearsalOptions
  /** The scenario that the rehearsal plays without another: the survey. */
  readonly surveyFile: string
  /** The scenario that plays the tutorial's model, whatever the access is. */
  readonly tutorialFile: string
  /** Prints the key for an access without credentials. */
  readonly keyHelper?: KeyHelper | null
}

export interface ModelSwitch {
  readonly client: ModelClient
  /** Whether the rehearsal's script answers. Then nothing costs money. */
  readonly isRehearsal: boolean
  /** Fails with `scenario` or `no-rehearsal`, and then changes nothing. */
  switchTo(access: ModelAccess): Promise<Result<void>>
  /** Makes one small request. Fails with the failure of the request. */
  test(access: ApiModelAccess): Promise<Result<AccessTest>>
  /** The models that the API offers; without an API the aliases. */
  listModels(): Promise<Result<readonly ModelInfo[]>>
  close(): Promise<void>
}

/** Time limit in ms for a test request or a list of models. */
const TEST_TIMEOUT = 30_000

export function createModelSwitch(options: ModelSwitchOptions): ModelSwitch {
  const { clock, models, defaultModel, providers } = options
  let current: AnthropicClient | null = null
  let isApi = false
  let isRehearsal = false
  /** Whether the main access is another server than Anthropic's. */
  let hasOwnAddress = false
  let refusesSearch = false
  const openStage = openedOnce(() => startStage(options.rehearsal, () => directorOf(options)))
  const openTutorial = openedOnce(() =>
    startStage(options.rehearsal, async () => openScenario(options.tutorialFile)),
  )

  const open = (access: ApiModelAccess): AnthropicClient => {
    const { key, authToken = null, baseUrl } = access
    const openWith = (apiKey: string | null) => createAnthropicClient({ clock, apiKey, authToken, baseUrl })
    return key === null && authToken === null && options.keyHelper
      ? withKeyHelper(options.keyHelper, openWith)
      : openWith(key)
  }

  const requestTutorial: ModelClient['request'] = async (request, how) => {
    const started = await openTutorial()
    if (!started.ok) return fail({ ...noAccess, message: started.failure.message })
    const { apiKey: key, baseUrl } = started.value
    return open({ kind: 'api', key, baseUrl }).request(request, how)
  }

  return {
    client: {
      canSearchWeb: () => isApi && !refusesSearch,
      async request(request, how) {
        if (request.model === TUTORIAL_MODEL) return requestTutorial(request, how)
        // Another server's models may have slashes of their own.
        const isOwn = models.facts(request.model).provider === undefined
        const isNamed = !isOwn || (!hasOwnAddress && splitModel(request.model).provider !== null)
        if (providers && isNamed && !isRehearsal) return providers.request(request, how)
        const asked = current
        const result = await (asked ?? noClient).request(request, how)
        // Servers that only speak the Messages API know no tools of the server, and some keys may not search.
        if (request.webSearch !== undefined && asked === current && isRefusal(result)) refusesSearch = true
        return result
      },
    },
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
      refusesSearch = false
      isApi = access.kind === 'api'
      hasOwnAddress = access.kind === 'api' && access.baseUrl !== ''
      isRehearsal = access.kind === 'rehearsal'
      return ok(undefined)
    },
    async test(access) {
      const client = open(access)
      const ask = async (name: string) => {
        const model = models.resolve(name)
        const asked = await client.testAccess(model, AbortSignal.timeout(TEST_TIMEOUT))
        return asked.ok ? ok({ model, ms: asked.value.ms }) : asked
      }
      const smallest = await ask('haiku')
      // Other servers have other models: test the model that conversations will use.
      return !smallest.ok && smallest.failure.type === 'not-found' ? ask(defaultModel()) : smallest
    },
    async listModels() {
      const further = (isRehearsal ? [] : (providers?.models ?? [])).map((id) => ({ id, name: id }))
      if (current === null || !isApi)
        return ok([
          ...Object.keys(defaultAliases).map((alias) => ({ id: alias, name: models.resolve(alias) })),
          ...further,
        ])
      const listed = await current.listModels(AbortSignal.timeout(TEST_TIMEOUT))
      return listed.ok ? ok([...further, ...listed.value.map(({ id, name }) => ({ id, name }))]) : listed
    },
    close: async () => {
      await Promise.all([openStage.close(), openTutorial.close()])
    },
  }
}

/** Starts a server at the first call. After a failure the next call tries again. */
function openedOnce(start: () => Promise<Result<ScriptedServer>>) {
  let stage: Promise<Result<ScriptedServer>> | null = null
  const open = async () => {
    stage ??= start()
    const started = await stage
    if (!started.ok) stage = null
    return started
  }
  const close = async () => {
    const started = await stage
    if (started?.ok) await started.value.close()
  }
  return Object.assign(open, { close })
}

function isRefusal(result: Result<ModelReply, ModelFailure>): boolean {
  if (result.ok) return result.value.webSearch === undefined
  const { type, message } = result.failure
  return type === 'not-found' || (type === 'bad-request' && /web.?search|tool/i.test(message))
}

/** Each request has the helper's current key. After a refusal the helper is asked again, once. */
function withKeyHelper(helper: KeyHelper, open: (key: string) => AnthropicClient): AnthropicClient {
  let current: { readonly key: string; readonly client: AnthropicClient } | null = null
  const use = async <T>(
    call: (client: AnthropicClient) => Promise<Result<T, ModelFailure>>,
    isFirst = true,
  ): Promise<Result<T, ModelFailure>> => {
    const found = await helper.key()
    if (!found.ok)
      return fail({ type: 'auth', message: found.failure.message, status: null, retryAfterMs: null })
    const key = found.value
    if (current?.key !== key) current = { key, client: open(key) }
    const done = await call(current.client)
    if (done.ok || done.failure.status !== 401) return done
    helper.refused(key)
    return isFirst ? use(call, false) : done
  }
  return {
    request: (request, how) => use((client) => client.request(request, how)),
    listModels: (signal) => use((client) => client.listModels(signal)),
    testAccess: (model, signal) => use((client) => client.testAccess(model, signal)),
  }
}

const noAccess: ModelFailure = {
  type: 'auth',
  message:
    'No access to a model. In Settings add an API key, or choose Rehearsal, which needs no key and shows how everything works.',
  status: null,
  retryAfterMs: null,
}

const noClient: ModelClient = { request: async () => fail(noAccess) }

const directorOf = async ({ rehearsal: { scenarioFile }, surveyFile }: ModelSwitchOptions) =>
  scenarioFile === null ? openScenario(surveyFile) : openDirector(scenarioFile)

async function startStage(
  { pace }: RehearsalOptions,
  choose: () => Promise<Result<Director>>,
): Promise<Result<ScriptedServer>> {
  const director = await choose()
  if (!director.ok) return director
  try {
    const { startScriptedServer } = await import('../rehearsal/feature.ts')
    const { PACES } = await import('../rehearsal/pace.ts')
    const paceNamed = (name: RehearsalPace | (() => RehearsalPace)) =>
      PACES[typeof name === 'function' ? name() : name]
    const server = await startScriptedServer({
      director: director.value,
      pace: () => (typeof pace === 'number' ? { tokensPerSecond: pace } : paceNamed(pace)),
    })
    return ok(server)
  } catch (cause) {
    return fail({
      type: 'no-rehearsal',
      message: `The rehearsal could not start: ${sentence(messageOf(cause))} It needs a free port on this machine. Check whether a firewall or a policy forbids that.`,
      cause,
    })
  }
}

/** The file is read and checked at the first request: that takes 100 ms, in which the window could not start. */
function openScenario(file: string): Result<Director> {
  if (!existsSync(file)) return unreadable(file, new Error('there is no such file'))
  let opened: Promise<Result<Director>> | null = null
  return ok({
    reply: async (request, signal) => {
      opened ??= openDirector(file)
      const director = await opened
      if (!director.ok) throw new Error(director.failure.message)
      return director.value.reply(request, signal)
    },
  })
}

async function openDirector(file: string): Promise<Result<Director>> {
  try {
    const { loadScenario } = await import('../rehearsal/scenario.ts')
    const loaded = loadScenario(await readFile(file, 'utf8'))
    return loaded.ok
      ? loaded
      : fail({ type: 'scenario', message: `${file} is not a valid scenario: ${loaded.failure.message}` })
  } catch (cause) {
    return unreadable(file, cause)
  }
}

const unreadable = (file: string, cause: unknown) =>
  fail({ type: 'scenario', message: `${file}: not found or not readable (${messageOf(cause)}).`, cause })
