/**
 * Access to the API through the official SDK's client, without the SDK's own retries, logging and tracing. The first
 * use imports the SDK, and only its base client: the full client takes three times as long to load.
 */
import type { BaseAnthropic } from '@anthropic-ai/sdk/client'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ModelFailure } from '../../runtime/ports/model.ts'
import { createApiFetch } from './api-fetch.ts'
import { guardedFetch, isRedirect, redirectTarget } from './guarded-fetch.ts'
import {
  abortedFailure,
  connectionFailure,
  failureOfAnswer,
  noKeyFailure,
  redirectedFailure,
  refusedFailure,
} from './model-failures.ts'

interface ApiAccessOptions {
  readonly apiKey?: string | null
  /** A bearer token, used without a key. */
  readonly authToken?: string | null
  /** Anthropic's by default. A trailing slash or `/v1` is removed. */
  readonly baseUrl?: string
  readonly fetch?: typeof fetch
  readonly now: () => number
}

interface ApiRequest {
  readonly method: 'get' | 'post'
  readonly path: string
  /** JSON text. */
  readonly body?: string
  readonly beta?: string | null
  readonly signal: AbortSignal
}

/** Sends a request. Succeeds with a response whose status is 2xx. */
type Send = (request: ApiRequest) => Promise<Result<Response, ModelFailure>>

const ANTHROPIC = 'https://api.anthropic.com'

export interface ApiAccess {
  readonly address: string
  readonly send: Send
  /** The text without the credential, which a server may repeat in its messages. */
  hideKey(text: string): string
}

export function openApiAccess(options: ApiAccessOptions): ApiAccess {
  const address = addressOf(options.baseUrl)
  // A short one, which only a local server takes, is part of ordinary words.
  const secrets = secretsOf(options).filter(({ length }) => length >= 8)
  const hideKey = (text: string) =>
    secrets.reduce((before, secret) => before.replaceAll(secret, '[the key]'), text)
  const refused = refusalOf(options, address)
  if (refused !== null) return { address, hideKey, send: async () => fail(refused) }
  let opened: Promise<BaseAnthropic> | null = null
  return {
    address,
    hideKey,
    async send(request) {
      if (request.signal.aborted) return fail(abortedFailure)
      opened ??= openClient(options, address)
      return await sendThrough({ client: await opened, address, options }, request)
    },
  }
}

async function openClient(options: ApiAccessOptions, address: string): Promise<BaseAnthropic> {
  const { BaseAnthropic } = await import('./sdk-client.ts')
  return new BaseAnthropic({
    ...credentialOf(options),
    baseURL: address,
    maxRetries: 0,
    webhookKey: null,
    logLevel: 'off',
    openTelemetry: false,
    fetch: guardedFetch(options.fetch ?? createApiFetch()),
  })
}

/** One credential in one header: every server of this API reads the key's own header, and not all read both. */
function credentialOf(options: ApiAccessOptions) {
  const apiKey = options.apiKey?.trim()
  const authToken = options.authToken?.trim() ?? ''
  return apiKey
    ? { apiKey, defaultHeaders: { 'x-api-key': apiKey, authorization: null } }
    : { authToken, defaultHeaders: { 'x-api-key': null, authorization: `Bearer ${authToken}` } }
}

interface OpenAccess {
  readonly client: BaseAnthropic
  readonly address: string
  readonly options: ApiAccessOptions
}

async function sendThrough(
  { client, address, options }: OpenAccess,
  { method, path, body, beta, signal }: ApiRequest,
): Promise<Result<Response, ModelFailure>> {
  try {
    const response = await client[method](path, {
      signal,
      // The SDK sends a text body unchanged if the request names its type.
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(beta ? { 'anthropic-beta': beta } : {}),
      },
    }).asResponse()
    return ok(response)
  } catch (thrown) {
    if (signal.aborted) return fail(abortedFailure)
    if (!isRefusedAnswer(thrown)) return fail(connectionFailure(address, thrown))
    const header = (name: string) => thrown.headers?.get(name) ?? null
    if (isRedirect(thrown.status)) {
      const target = redirectTarget(header('location'), address, secretsOf(options))
      return fail(redirectedFailure(thrown.status, target))
    }
    return fail(
      failureOfAnswer({
        status: thrown.status,
        errorType: thrown.type ?? null,
        text: thrown.apiMessage ?? textOfAnswer(thrown),
        header,
        now: options.now(),
      }),
    )
  }
}

const secretsOf = ({ apiKey, authToken }: ApiAccessOptions): readonly string[] =>
  [apiKey, authToken].flatMap((secret) => secret?.trim() || [])

/** The SDK's error for a response that was not 2xx. */
interface RefusedAnswerError extends Error {
  readonly status: number
  readonly headers: Headers | undefined
  readonly type?: string | null
  readonly apiMessage?: string | null
}

const isRefusedAnswer = (thrown: unknown): thrown is RefusedAnswerError =>
  thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number'

/** The message of a server that is not the API, without the SDK's status prefix and without markup. */
function textOfAnswer(thrown: RefusedAnswerError): string {
  const text = messageOf(thrown).replace(/^\d{3} /, '')
  return /<[a-z!]/i.test(text) ? `the server answered with a web page, ${pageTitle(text)}` : text
}

function pageTitle(page: string): string {
  const start = page.search(/<title/i)
  const from = start === -1 ? -1 : page.indexOf('>', start)
  const end = from === -1 ? -1 : page.indexOf('<', from)
  const title = end === -1 ? '' : page.slice(from + 1, end).trim()
  return title === '' ? 'without a title' : `"${title}"`
}

function addressOf(baseUrl: string | undefined): string {
  const given = baseUrl?.trim().replace(/\/+$/, '').replace(/\/v1$/, '') ?? ''
  return given === '' ? ANTHROPIC : given
}

/** Why no request can be sent, or null. */
function refusalOf({ apiKey, authToken }: ApiAccessOptions, address: string): ModelFailure | null {
  if (!apiKey?.trim() && !authToken?.trim()) return noKeyFailure()
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    return refusedFailure(`"${address}" is not a valid URL. Correct the API address in Settings.`)
  return null
}
