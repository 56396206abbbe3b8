/** Failures of a request: the event, the API's own message, and the next step if the user can do something. */
import type { ModelFailure } from '../../runtime/ports/model.ts'

type FailureType = ModelFailure['type']

/** A response whose status was not 2xx. */
interface RefusedAnswer {
  readonly status: number
  /** The API's name for the error; null if the body is not from the API. */
  readonly errorType: string | null
  /** The API's own message. */
  readonly text: string
  readonly header: (name: string) => string | null
  /** Milliseconds since the epoch, for a `retry-after` date. */
  readonly now: number
}

/** One day: a longer wait does not fit into a timer, or has no end. */
const LONGEST_RETRY_MS = 86_400_000

export function failureOfAnswer(answer: RefusedAnswer): ModelFailure {
  const { status, header } = answer
  const asked = retryAfterOf(header, answer.now) ?? (status === 429 ? resetOf(header, answer.now) : null)
  const retryAfterMs = asked === null ? null : Math.min(asked, LONGEST_RETRY_MS)
  // The API may rule out another attempt: a spent budget is a 429 too.
  const final = header('x-should-retry') === 'false'
  const type = final ? finalTypeOf(answer) : typeOfStatus(answer)
  const details = { text: answer.text, status, retryAfterMs, id: header('request-id') }
  return failureOf(type, type === 'bad-request' ? { ...details, remedy: remedyFor(answer) } : details)
}

/** An `error` event inside a stream. */
export function failureOfErrorEvent(event: { readonly [key: string]: unknown }): ModelFailure {
  const error = typeof event['error'] === 'object' && event['error'] !== null ? event['error'] : {}
  const type = 'type' in error && typeof error.type === 'string' ? error.type : ''
  const message = 'message' in error && typeof error.message === 'string' ? clip(error.message) : ''
  const id = typeof event['request_id'] === 'string' ? event['request_id'].slice(0, 100) : null
  const text = message || clip(type)
  const kind = typeOfErrorType(type, message)
  const remedy = remedyFor({ status: null, errorType: type, text })
  return failureOf(kind, kind === 'bad-request' ? { text, id, remedy } : { text, id })
}

/** Enough of a foreign text for its first sentences. */
const clip = (text: string): string => text.slice(0, 10_000)

/** The user's next step for a request that the API rejects. */
function remedyFor({
  status,
  errorType,
  text,
}: {
  readonly status: number | null
  readonly errorType: string | null
  readonly text: string
}): string {
  if (status === 402 || errorType === 'billing_error' || /credit balance/i.test(text))
    return 'Add credit to your account, or use another key in Settings.'
  if (status === 413 || errorType === 'request_too_large')
    return 'Leave large files or images out, or start a new conversation.'
  if (status === 429) return 'Wait until your limit allows more, or use another key in Settings.'
  return 'Send a message to try again, choose another model, or start a new conversation.'
}

/** The connection could not be made, or broke. */
export function connectionFailure(address: string, thrown: unknown): ModelFailure {
  const { code, message } = reasonOf(thrown)
  if (NAME_ERRORS.has(code))
    return {
      type: 'connection',
      message: `Server not found: ${address}. Are you online?`,
      status: null,
      retryAfterMs: null,
      cause: thrown,
    }
  return failureOf('connection', { text: `${address}: ${message}`, cause: thrown })
}

/** Errors of name resolution. */
const NAME_ERRORS: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN'])

/** The stream ended before the message was complete. */
export function unfinishedFailure(): ModelFailure {
  return failureOf('connection', { text: 'the response ended before the message was complete' })
}

/** @param ms without data, or with nothing but signs of life */
export function stalledFailure(ms: number, { pingsOnly }: { readonly pingsOnly: boolean }): ModelFailure {
  const passed = `${Math.round(ms / 100) / 10} s`
  return failureOf('stalled', { text: pingsOnly ? `only pings for ${passed}` : `no data for ${passed}` })
}

/** The response is invalid. `text` continues "The API failed: …". */
export function serverFailure(text: string, extra: { readonly cause?: unknown } = {}): ModelFailure {
  return { ...failureOf('server', { text, ...extra }), isInvalid: true }
}

/** The request could not be sent. */
export function refusedFailure(text: string): ModelFailure {
  return failureOf('bad-request', { text })
}

/** The API answered with a redirect, which is not followed. */
export function redirectedFailure(status: number, target: string): ModelFailure {
  return failureOf('redirected', { text: target, status })
}

export function noKeyFailure(): ModelFailure {
  return {
    type: 'auth',
    message: 'There is no API key. Add one in Settings, or set ANTHROPIC_API_KEY.',
    status: null,
    retryAfterMs: null,
  }
}

export const abortedFailure: ModelFailure = {
  type: 'aborted',
  message: 'The request was stopped.',
  status: null,
  retryAfterMs: null,
}

interface FailureDetails {
  readonly text: string
  /** The user's next steps, as sentences. */
  readonly remedy?: string
  readonly status?: number
  readonly retryAfterMs?: number | null
  /** The API's id of the request, which support asks for. */
  readonly id?: string | null
  readonly cause?: unknown
}

function failureOf(type: FailureType, details: FailureDetails): ModelFailure {
  const { status = null, retryAfterMs = null, id = null, remedy = '' } = details
  return {
    type,
    message: `${sentence(type, details.text, status)}${remedy === '' ? '' : ` ${remedy}`}${id === null ? '' : ` (request ${id})`}`,
    status,
    retryAfterMs,
    ...(details.cause === undefined ? {} : { cause: details.cause }),
  }
}

function sentence(type: FailureType, text: string, status: number | null): string {
  const reason = asSentence(text)
  switch (type) {
    case 'rate-limited':
      return `Rate limited: ${reason}`
    case 'overloaded':
      return `The API is overloaded: ${reason}`
    case 'server':
      return `The API failed${status === null ? '' : ` (${status})`}: ${reason}`
    case 'connection':
      return `Lost connection to the API: ${reason}`
    case 'stalled':
      return `The connection to the API stalled: ${reason}`
    case 'auth':
      return status === 403
        ? `Your API key does not allow this: ${reason} Use another key or model in Settings.`
        : `The API rejected the key: ${reason} Check the key in Settings.`
    case 'not-found':
      return `Model or address not found: ${reason} Choose another model, or check the address in Settings.`
    case 'prompt-too-long':
      return `The conversation is too long for the model: ${reason}`
    case 'bad-request':
      return `The API rejected the request: ${reason}`
    case 'redirected':
      return `The API redirects to ${reason} Redirects are refused, because the other address would receive the key. If you trust that address, enter it as the API address in Settings.`
    case 'aborted':
      return abortedFailure.message
  }
}

function typeOfStatus({ status, errorType, text }: RefusedAnswer): FailureType {
  if (status === 429) return 'rate-limited'
  if (status === 529 || errorType === 'overloaded_error') return 'overloaded'
  if (status === 401 || status === 403) return 'auth'
  if (status === 404) return 'not-found'
  if (status === 408 || status === 409 || status >= 500) return 'server'
  if (status === 400 && isTooLong(text)) return 'prompt-too-long'
  return 'bad-request'
}

/** The type of a response that rules out another attempt. */
function finalTypeOf(answer: RefusedAnswer): FailureType {
  const type = typeOfStatus(answer)
  return type === 'rate-limited' || type === 'overloaded' || type === 'server' ? 'bad-request' : type
}

function typeOfErrorType(type: string, text: string): FailureType {
  switch (type) {
    case 'overloaded_error':
      return 'overloaded'
    case 'rate_limit_error':
      return 'rate-limited'
    case 'authentication_error':
    case 'permission_error':
      return 'auth'
    case 'not_found_error':
      return 'not-found'
    case 'invalid_request_error':
    case 'request_too_large':
    case 'billing_error':
      return isTooLong(text) ? 'prompt-too-long' : 'bad-request'
    default:
      return 'server'
  }
}

const isTooLong = (text: string): boolean =>
  /prompt is too long|exceeds? (the )?(model'?s )?(maximum )?context (limit|window|length)/i.test(text)

/** `retry-after-ms` in milliseconds, or `retry-after` in seconds or as a date; null without either header. */
function retryAfterOf(header: (name: string) => string | null, now: number): number | null {
  const inMs = Number.parseFloat(header('retry-after-ms') ?? '')
  if (Number.isFinite(inMs)) return Math.max(0, Math.round(inMs))
  const value = header('retry-after')?.trim()
  if (value === undefined || value === '') return null
  if (/^-?\d+(\.\d+)?$/.test(value)) return Math.max(0, Math.round(Number(value) * 1000))
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** The limits that the API counts apart, in the names of its headers. */
const LIMITS = ['requests', 'tokens', 'input-tokens', 'output-tokens']

/** Milliseconds until the limits that are used up start again, by the headers of each limit; null if none says so. */
function resetOf(header: (name: string) => string | null, now: number): number | null {
  // Of all limits together, in seconds since the epoch.
  const unified = Number.parseFloat(header('anthropic-ratelimit-unified-reset') ?? '')
  const usedUp = LIMITS.filter((limit) => header(`anthropic-ratelimit-${limit}-remaining`)?.trim() === '0')
  const resets = usedUp.map((limit) => Date.parse(header(`anthropic-ratelimit-${limit}-reset`) ?? ''))
  const ends = [unified * 1000, ...resets].filter((end) => Number.isFinite(end))
  return ends.length === 0 ? null : Math.max(0, Math.round(Math.max(...ends) - now))
}

/** The innermost error: fetch reports only "fetch failed", and the reason is in its cause. */
function reasonOf(thrown: unknown): { readonly code: string; readonly message: string } {
  let reason = thrown
  for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause instanceof Error; depth++)
    reason = reason.cause
  // Node tried several addresses, each with its own error.
  if (reason instanceof AggregateError && reason.message === '' && reason.errors[0] instanceof Error)
    reason = reason.errors[0]
  if (!(reason instanceof Error)) return { code: '', message: String(reason) }
  const code = 'code' in reason && typeof reason.code === 'string' ? reason.code : ''
  return { code, message: reason.message || reason.name }
}

/** A foreign text as one sentence, short enough for a panel. */
function asSentence(text: string): string {
  const line = clip(text).replace(/\s+/g, ' ').trim()
  const short = line.length > 500 ? `${line.slice(0, 500)} …` : line
  return /[.!?…]$/.test(short) ? short : `${short || 'no reason was given'}.`
}

/** Why the model declined: `stop_details` of a refusal as one sentence. Null if the API gives neither an explanation nor a category. */
export function modelRefusalText(details: unknown): string | null {
  if (typeof details !== 'object' || details === null) return null
  const { category, explanation }: { category?: unknown; explanation?: unknown } = details
  const [reason, kind] = [clean(explanation, 500).replace(/[.!?]$/, ''), clean(category, 60)]
  if (reason === '') return kind === '' ? null : `${kind}.`
  return kind === '' ? asSentence(reason) : `${reason} (${kind}).`
}

/** A foreign text in one line, without control characters. */
function clean(text: unknown, most: number): string {
  return typeof text === 'string'
    ? text
        .slice(0, most)
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
    : ''
}
