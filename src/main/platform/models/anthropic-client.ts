/**
 * The model over the Messages API: one attempt at one streamed message. Expected failures are a `ModelFailure` with
 * the API's own message. The runtime retries.
 */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type {
  CacheLife,
  ModelClient,
  ModelFailure,
  ModelReply,
  ModelRequest,
} from '../../runtime/ports/model.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import { type ApiAccess, openApiAccess } from './api-access.ts'
import { boundedText } from './bounded-text.ts'
import { EventLines } from './event-lines.ts'
import { MAX_ERROR_TEXT } from './guarded-fetch.ts'
import { type IdleWatchdog, type WaitLimits, watchIdle } from './idle-watchdog.ts'
import { type AssemblyOptions, MessageAssembly } from './message-assembly.ts'
import {
  abortedFailure,
  connectionFailure,
  failureOfErrorEvent,
  serverFailure,
  stalledFailure,
  unfinishedFailure,
} from './model-failures.ts'
import { type ModelTraits, traitsOf } from './model-table.ts'
import { estimatePrompt } from './usage-count.ts'
import { type PromptPiece, type WireRequest, wireRequest } from './wire-request.ts'

/** `GET /v1/models`: the models available to a key. */
interface ListedModel {
  readonly id: string
  /** The display name. */
  readonly name: string
  readonly contextTokens: number | null
}

/** The largest page. No key has more models. */
const PATH = '/v1/models?limit=1000'
/** Characters of the longest list. */
const MAX_LIST = 4_000_000

async function listModels(
  access: ApiAccess,
  signal: AbortSignal,
): Promise<Result<readonly ListedModel[], ModelFailure>> {
  const sent = await access.send({ method: 'get', path: PATH, signal })
  if (!sent.ok) return sent
  const { text, complete } = await boundedText(sent.value, MAX_LIST)
  const models = complete ? modelsIn(text) : null
  return models === null ? fail(serverFailure('the list of models is invalid or incomplete')) : ok(models)
}

function modelsIn(text: string): readonly ListedModel[] | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(body) || !Array.isArray(body['data'])) return null
  return body['data'].filter(isRecord).flatMap((model) => {
    const { id, display_name: name, max_input_tokens: contextTokens } = model
    if (typeof id !== 'string') return []
    return [
      {
        id,
        name: typeof name === 'string' && name !== '' ? name : id,
        contextTokens: typeof contextTokens === 'number' ? contextTokens : null,
      },
    ]
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export interface AnthropicClientOptions {
  readonly apiKey?: string | null
  /** A bearer token, used without a key. */
  readonly authToken?: string | null
  /** A server that speaks the Messages API; Anthropic's by default. */
  readonly baseUrl?: string
  /**
   * A request without any data for this long, pings included, has stalled. The wait for the first byte is longer where
   * the server has to read the prompt anew.
   */
  readonly idleTimeoutMs?: number
  /** A request that received nothing but pings for this long has stalled; at least `idleTimeoutMs`. */
  readonly pingTimeoutMs?: number
  /** What the server's models can do; by default as in the table. */
  readonly traits?: (model: string) => ModelTraits
  readonly fetch?: typeof fetch
  readonly clock: Clock
}

export interface AnthropicClient extends ModelClient {
  /** The models available to this key. */
  listModels(signal: AbortSignal): Promise<Result<readonly ListedModel[], ModelFailure>>
  /** Asks the model for one word, which tests key, address, model and budget. */
  testAccess(model: string, signal: AbortSignal): Promise<Result<{ readonly ms: number }, ModelFailure>>
}

const IDLE_TIMEOUT_MS = 60_000
/** Longer than any model thinks without a word of its summary. */
const PING_TIMEOUT_MS = 10 * 60_000
/** What a server needs to read a token that it has not kept: 5,000 tokens a second, at its slowest. */
const MS_PER_UNCACHED_TOKEN = 1 / 5
/** Time limits for the end of the stream, ms: before the finished message is returned, and in total. */
const END_MS = 20
const DRAIN_MS = 1000
/** Decoded bytes of one response. A message at the highest output limit takes about 20 MB on the wire. */
const MAX_STREAM_BYTES = 64_000_000
/** Enough for one word, also from a model that thinks first. */
const TEST_TOKENS = 64

export function createAnthropicClient(options: AnthropicClientOptions): AnthropicClient {
  const { clock, traits = traitsOf } = options
  const { idleTimeoutMs: idle = IDLE_TIMEOUT_MS, pingTimeoutMs = PING_TIMEOUT_MS } = options
  const access = openApiAccess({ ...options, now: () => clock.now() })
  const limits = { first: idle, idle, pingsOnly: Math.max(idle, pingTimeoutMs) }
  const exchange: Exchange = { access, clock, limits, answered: createAnsweredPrompts() }
  return {
    request: (request, { signal, onDelta }) =>
      streamMessage(exchange, wireRequest(request, { traits: traits(request.model) }), { signal, onDelta }),
    listModels: (signal) => watched(exchange, signal, (ownSignal) => listModels(access, ownSignal)),
    async testAccess(model, signal) {
      const startedAt = clock.now()
      const wire = wireRequest(testRequest(model), { traits: traits(model), maxTokens: TEST_TOKENS })
      const result = await streamMessage(exchange, wire, { signal, onDelta: () => {} })
      return result.ok ? ok({ ms: clock.now() - startedAt }) : result
    },
  }
}

interface Exchange {
  readonly access: ApiAccess
  readonly clock: Clock
  readonly limits: WaitLimits
  readonly answered: AnsweredPrompts
}

interface Listening {
  readonly signal: AbortSignal
  readonly onDelta: AssemblyOptions['onDelta']
}

function streamMessage(
  exchange: Exchange,
  wire: WireRequest,
  { signal, onDelta }: Listening,
): Promise<Result<ModelReply, ModelFailure>> {
  const { access, clock, answered } = exchange
  const { body, beta } = wire
  const startedAt = clock.now()
  const reading = answered.uncached(wire, startedAt) * MS_PER_UNCACHED_TOKEN
  const { first, idle, pingsOnly } = exchange.limits
  const limits = { first: first + reading, idle, pingsOnly: pingsOnly + reading }
  return watched({ ...exchange, limits }, signal, async (ownSignal, watchdog) => {
    const sent = await access.send({ method: 'post', path: '/v1/messages', body, beta, signal: ownSignal })
    if (!sent.ok) return sent
    const assembly = new MessageAssembly({
      onDelta,
      elapsed: () => clock.now() - startedAt,
      promptTokens: () => estimatePrompt(wire.body),
    })
    const reply = await readMessage(sent.value, assembly, { ...exchange, watchdog })
    if (reply.ok) answered.answered(wire, clock.now())
    return reply
  })
}

/** Runs `work` under its own signal, which the caller's signal or the watchdog aborts. */
async function watched<T>(
  { access, clock, limits }: Exchange,
  signal: AbortSignal,
  work: (signal: AbortSignal, watchdog: IdleWatchdog) => Promise<Result<T, ModelFailure>>,
): Promise<Result<T, ModelFailure>> {
  if (signal.aborted) return fail(abortedFailure)
  const own = new AbortController()
  const stop = () => own.abort()
  let stalled: ModelFailure | null = null
  const watchdog = watchIdle(clock, limits, (reached, ms) => {
    stalled = stalledFailure(ms, { pingsOnly: reached === 'pingsOnly' })
    own.abort()
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    const result = await work(own.signal, watchdog)
    if (result.ok) return result
    if (!own.signal.aborted)
      return fail({ ...result.failure, message: access.hideKey(result.failure.message) })
    return fail(stalled !== null && !signal.aborted ? stalled : abortedFailure)
  } finally {
    watchdog.stop()
    signal.removeEventListener('abort', stop)
  }
}

async function readMessage(
  response: Response,
  assembly: MessageAssembly,
  exchange: Exchange & { readonly watchdog: IdleWatchdog },
): Promise<Result<ModelReply, ModelFailure>> {
  if (!response.headers.get('content-type')?.includes('text/event-stream') || response.body === null)
    return fail(await notAStream(response))
  const reader = response.body.getReader()
  let failure: ModelFailure | null = null
  const lines = new EventLines((data) => {
    if (!isPing(data)) exchange.watchdog.progressed()
    if (!assembly.complete) failure ??= assembly.take(data)
  })
  let bytes = 0
  try {
    while (!assembly.complete && failure === null) {
      const chunk = await reader.read().catch((thrown: unknown) => ({ thrown }))
      if ('thrown' in chunk) return fail(connectionFailure(exchange.access.address, chunk.thrown))
      if (chunk.done) return fail(unfinishedFailure())
      exchange.watchdog.received()
      bytes += chunk.value.length
      if (bytes > MAX_STREAM_BYTES) failure = serverFailure('the response has more than 64 MB')
      else if (!lines.push(chunk.value)) failure ??= serverFailure('an event has more than 16 MB')
    }
  } finally {
    if (!assembly.complete || failure !== null) void reader.cancel().catch(() => {})
  }
  if (failure !== null) return fail(failure)
  await drain(reader, exchange.clock)
  return assembly.reply()
}

/** Servers send pings while a model thinks or waits. */
const isPing = (data: string): boolean => data.length < 100 && /"type"\s*:\s*"ping"/.test(data)

/**
 * Reads the stream of a finished message to its end, which frees the connection for the next request. Most servers
 * end the stream at once; a slower stream is drained in the background.
 */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<void> {
  const ended = new AbortController()
  const readAll = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  const giveUp = async (): Promise<void> => {
    await clock.sleep(DRAIN_MS, ended.signal)
    if (!ended.signal.aborted) await reader.cancel()
  }
  const drained = readAll()
    .catch(() => {
      // The message is complete, so a broken connection loses nothing.
    })
    .finally(() => ended.abort('ended'))
  await Promise.race([drained, clock.sleep(END_MS, ended.signal)])
  if (!ended.signal.aborted) giveUp().catch(() => {})
}

/** A response with status 200 without a stream: an error as JSON, or another kind of server. */
async function notAStream(response: Response): Promise<ModelFailure> {
  const { text } = await boundedText(response, MAX_ERROR_TEXT)
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'error' in body) return failureOfErrorEvent({ ...body })
  } catch {
    // Not JSON: the failure below covers this.
  }
  const kind = response.headers.get('content-type') ?? 'no content type'
  const failure = serverFailure(
    `the response is not an event stream (${kind}). Check the API address in Settings.`,
  )
  return { ...failure, notStreamed: true }
}

const testRequest = (model: string): ModelRequest => ({
  model,
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Answer with the word yes.' }] }],
  toolChoice: 'auto',
})

interface AnsweredPrompts {
  /** The tokens that the server has to read before its first byte, estimated. @param now ms since the epoch */
  uncached(request: Pick<WireRequest, 'prompt'>, now: number): number
  /** Notes that the server answered the request now. */
  answered(request: Pick<WireRequest, 'prompt' | 'cachedFor'>, now: number): void
}

interface KeptPrompt {
  readonly prompt: readonly PromptPiece[]
  readonly until: number
}

const LIFE_MS: Readonly<Record<CacheLife, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 }
/** Prompts that are remembered: more than agents that run at once. */
const MOST_PROMPTS = 200

/**
 * The prompts that a server has answered, and for how long it keeps them. A prompt that is not kept is read again, which
 * takes time in proportion to its length.
 */
export function createAnsweredPrompts(): AnsweredPrompts {
  /** Latest last. */
  let kept: readonly KeptPrompt[] = []
  return {
    uncached({ prompt }, now) {
      const begins = kept.map(({ prompt: other, until }) => (until > now ? sharedBegin(prompt, other) : 0))
      const known = Math.max(0, ...begins)
      return prompt.slice(known).reduce((sum, { tokens }) => sum + tokens, 0)
    },
    answered({ prompt, cachedFor }, now) {
      if (cachedFor === null) return
      const until = now + LIFE_MS[cachedFor]
      // Its next turn takes the place of a prompt, as long as that one is not kept for longer.
      const isReplaced = (other: KeptPrompt) =>
        other.until <= now ||
        (other.until <= until && sharedBegin(prompt, other.prompt) === other.prompt.length)
      kept = [...kept.filter((other) => !isReplaced(other)), { prompt, until }].slice(-MOST_PROMPTS)
    },
  }
}

/** The number of pieces that both begin with. */
function sharedBegin(a: readonly PromptPiece[], b: readonly PromptPiece[]): number {
  const end = a.findIndex((piece, at) => piece.digest !== b[at]?.digest)
  return end === -1 ? a.length : end
}
