/**
 * The way to the API: the official SDK's client, with what this program does itself switched off (retries,
 * logging, tracing). The SDK is imported at the first use, and its base client only: the full one takes
 * three times as long to load.
 */
import type { BaseAnthropic } from '@anthropic-ai/sdk/client'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { ModelFailure } from '../../runtime/ports.ts'
import {
  abortedFailure,
  connectionFailure,
  failureOfAnswer,
  noKeyFailure,
  refusedFailure,
} from './model-failures.ts'

export interface ApiAccessOptions {
  readonly apiKey?: string | null
  /** A bearer token, for servers that want one; used where there is no key. */
  readonly authToken?: string | null
  /** Empty or absent: Anthropic's. A trailing slash or `/v1` is taken off. */
  readonly baseUrl?: string
  readonly fetch?: typeof fetch
  readonly now: () => number
}

export interface ApiRequest {
  readonly method: 'get' | 'post'
  readonly path: string
  /** JSON text. */
  readonly body?: string
  readonly beta?: string | null
  readonly signal: AbortSignal
}

/** Sends a request; the response is one whose status was 2xx. */
export type Send = (request: ApiRequest) => Promise<Result<Response, ModelFailure>>

const ANTHROPIC = 'https://api.anthropic.com'

export interface ApiAccess {
  readonly address: string
  readonly send: Send
}

export function openApiAccess(options: ApiAccessOptions): ApiAccess {
  const address = addressOf(options.baseUrl)
  const refused = refusalOf(options, address)
  if (refused !== null) return { address, send: async () => fail(refused) }
  let opened: Promise<BaseAnthropic> | null = null
  return {
    address,
    async send(request) {
      if (request.signal.aborted) return fail(abortedFailure)
      opened ??= openClient(options, address)
      return await sendThrough(await opened, request, address, options.now)
    },
  }
}

async function openClient(options: ApiAccessOptions, address: string): Promise<BaseAnthropic> {
  const { BaseAnthropic } = await import('./sdk-client.ts')
  return new BaseAnthropic({
    ...credentialOf(options, address),
    baseURL: address,
    maxRetries: 0,
    webhookKey: null,
    logLevel: 'off',
    openTelemetry: false,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  })
}

/** Many other servers of this API read the key from the older header only; Anthropic's reads both. */
function credentialOf(options: ApiAccessOptions, address: string) {
  const apiKey = options.apiKey?.trim()
  if (!apiKey) return { authToken: options.authToken?.trim() ?? '' }
  return address === ANTHROPIC ? { apiKey } : { apiKey, defaultHeaders: { 'x-api-key': apiKey } }
}

async function sendThrough(
  client: BaseAnthropic,
  request: ApiRequest,
  address: string,
  now: () => number,
): Promise<Result<Response, ModelFailure>> {
  const { method, path, body, beta, signal } = request
  try {
    const response = await client[method](path, {
      signal,
      // A body that is text already is sent as it is, if it says its type.
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(beta ? { 'anthropic-beta': beta } : {}),
      },
    }).asResponse()
    return ok(response)
  } catch (thrown) {
    if (signal.aborted) return fail(abortedFailure)
    if (isRefusedAnswer(thrown))
      return fail(
        failureOfAnswer({
          status: thrown.status,
          errorType: thrown.type ?? null,
          words: thrown.apiMessage ?? wordsOf(thrown),
          header: (name) => thrown.headers?.get(name) ?? null,
          now: now(),
        }),
      )
    return fail(connectionFailure(address, thrown))
  }
}

/** The SDK's error for an answer that was not 2xx. */
interface RefusedAnswerError extends Error {
  readonly status: number
  readonly headers: Headers | undefined
  readonly type?: string | null
  readonly apiMessage?: string | null
}

const isRefusedAnswer = (thrown: unknown): thrown is RefusedAnswerError =>
  thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number'

/** What a server that is not the API said: without the status that the SDK puts before it, and without markup. */
function wordsOf(thrown: RefusedAnswerError): string {
  const text = messageOf(thrown).replace(/^\d{3} /, '')
  return /<[a-z!]/i.test(text) ? `the server answered with a web page, ${pageTitle(text)}` : text
}

function pageTitle(page: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim()
  return title ? `"${title}"` : 'not with an answer of the API'
}

function addressOf(baseUrl: string | undefined): string {
  const given = baseUrl?.trim().replace(/\/+$/, '').replace(/\/v1$/, '') ?? ''
  return given === '' ? ANTHROPIC : given
}

/** Why no request can be made, or null. */
function refusalOf({ apiKey, authToken }: ApiAccessOptions, address: string): ModelFailure | null {
  if (!apiKey?.trim() && !authToken?.trim()) return noKeyFailure()
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    return refusedFailure(`"${address}" is not a web address. Correct the API address in Settings.`)
  return null
}
