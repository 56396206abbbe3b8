/**
 * What can go wrong with a request, as values: what happened in the API's own words, what that means, and
 * what to do where a person can do something.
 */
import type { ModelFailure } from '../../runtime/ports.ts'

type FailureType = ModelFailure['type']

/** What is known of an answer that was not 2xx. */
export interface RefusedAnswer {
  readonly status: number
  /** The error's type as the API names it, or null where the body was not the API's. */
  readonly errorType: string | null
  /** The API's own words. */
  readonly words: string
  readonly header: (name: string) => string | null
  /** Milliseconds since the epoch: what a `retry-after` date is measured against. */
  readonly now: number
}

export function failureOfAnswer(answer: RefusedAnswer): ModelFailure {
  const { status, header } = answer
  const retryAfterMs = retryAfterOf(header, answer.now)
  // The API may say itself that another attempt is pointless: a spent budget is told as a 429 too.
  const final = header('x-should-retry') === 'false'
  const type = final ? finalTypeOf(answer) : typeOfStatus(answer)
  const told = { words: answer.words, status, retryAfterMs, id: header('request-id') }
  return failureOf(type, type === 'bad-request' ? { ...told, todo: todoFor(answer) } : told)
}

/** An `error` event inside a stream that had begun well. */
export function failureOfErrorEvent(event: { readonly [key: string]: unknown }): ModelFailure {
  const error = typeof event['error'] === 'object' && event['error'] !== null ? event['error'] : {}
  const type = 'type' in error && typeof error.type === 'string' ? error.type : ''
  const message = 'message' in error && typeof error.message === 'string' ? error.message : ''
  const id = typeof event['request_id'] === 'string' ? event['request_id'] : null
  const words = message || type
  const kind = typeOfErrorType(type, message)
  const todo = todoFor({ status: null, errorType: type, words })
  return failureOf(kind, kind === 'bad-request' ? { words, id, todo } : { words, id })
}

/** What a person can do about a request that the API does not take. */
function todoFor(told: {
  readonly status: number | null
  readonly errorType: string | null
  readonly words: string
}): string {
  const { status, errorType, words } = told
  if (status === 402 || errorType === 'billing_error' || /credit balance/i.test(words))
    return 'Add credit to your account, or use another key in Settings.'
  if (status === 413 || errorType === 'request_too_large')
    return 'Leave large files or images out, or start a new conversation.'
  if (status === 429) return 'Wait until your limit allows more, or use another key in Settings.'
  return 'Send a message to try again, choose another model, or start a new conversation.'
}

/** The connection could not be made, or broke. */
export function connectionFailure(address: string, thrown: unknown): ModelFailure {
  return failureOf('connection', { words: `${address}: ${reasonOf(thrown)}`, cause: thrown })
}

/** The stream ended cleanly, but before the message did. */
export function unfinishedFailure(): ModelFailure {
  return failureOf('connection', { words: 'the answer ended before it was finished' })
}

export function stalledFailure(idleMs: number): ModelFailure {
  return failureOf('stalled', { words: `nothing came for ${Math.round(idleMs / 100) / 10} s` })
}

/** The API answered with something that makes no sense; `words` continue "The API failed: …". */
export function serverFailure(words: string, extra: { readonly cause?: unknown } = {}): ModelFailure {
  return failureOf('server', { words, ...extra })
}

/** The request could not be made as it is. */
export function refusedFailure(words: string): ModelFailure {
  return failureOf('bad-request', { words })
}

export function noKeyFailure(): ModelFailure {
  return {
    type: 'auth',
    message: 'There is no key for the API. Add one in Settings, or set ANTHROPIC_API_KEY.',
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

interface Told {
  readonly words: string
  /** What a person can do, as sentences. */
  readonly todo?: string
  readonly status?: number
  readonly retryAfterMs?: number | null
  /** The API's id of the request, which its support asks for. */
  readonly id?: string | null
  readonly cause?: unknown
}

function failureOf(type: FailureType, told: Told): ModelFailure {
  const { status = null, retryAfterMs = null, id = null, todo = '' } = told
  return {
    type,
    message: `${sentence(type, told.words, status)}${todo === '' ? '' : ` ${todo}`}${id === null ? '' : ` (request ${id})`}`,
    status,
    retryAfterMs,
    ...(told.cause === undefined ? {} : { cause: told.cause }),
  }
}

function sentence(type: FailureType, words: string, status: number | null): string {
  const said = full(words)
  switch (type) {
    case 'rate-limited':
      return `The API asks to slow down: ${said}`
    case 'overloaded':
      return `The API is overloaded: ${said}`
    case 'server':
      return `The API failed${status === null ? '' : ` (${status})`}: ${said}`
    case 'connection':
      return `No connection to the API, or it broke: ${said}`
    case 'stalled':
      return `The connection to the API stalled: ${said}`
    case 'auth':
      return status === 403
        ? `The API does not allow this with your key: ${said} Use another key or model in Settings.`
        : `The API did not accept the key: ${said} Check the key in Settings.`
    case 'not-found':
      return `The API does not know the model or the address: ${said} Choose another model, or check the address in Settings.`
    case 'prompt-too-long':
      return `The conversation is too long for the model: ${said}`
    case 'bad-request':
      return `The API refused the request: ${said}`
    case 'aborted':
      return abortedFailure.message
  }
}

function typeOfStatus({ status, errorType, words }: RefusedAnswer): FailureType {
  if (status === 429) return 'rate-limited'
  if (status === 529 || errorType === 'overloaded_error') return 'overloaded'
  if (status === 401 || status === 403) return 'auth'
  if (status === 404) return 'not-found'
  if (status === 408 || status === 409 || status >= 500) return 'server'
  if (status === 400 && isTooLong(words)) return 'prompt-too-long'
  return 'bad-request'
}

/** The type of an answer that is not to be tried again. */
function finalTypeOf(answer: RefusedAnswer): FailureType {
  const type = typeOfStatus(answer)
  return type === 'rate-limited' || type === 'overloaded' || type === 'server' ? 'bad-request' : type
}

function typeOfErrorType(type: string, words: string): FailureType {
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
      return isTooLong(words) ? 'prompt-too-long' : 'bad-request'
    default:
      return 'server'
  }
}

const isTooLong = (words: string): boolean =>
  /prompt is too long|exceeds? (the )?(model'?s )?(maximum )?context (limit|window|length)/i.test(words)

/** `retry-after-ms` in milliseconds, or `retry-after` in seconds or as a date; null where there is neither. */
function retryAfterOf(header: (name: string) => string | null, now: number): number | null {
  const inMs = Number.parseFloat(header('retry-after-ms') ?? '')
  if (Number.isFinite(inMs)) return Math.max(0, Math.round(inMs))
  const value = header('retry-after')?.trim()
  if (value === undefined || value === '') return null
  if (/^-?\d+(\.\d+)?$/.test(value)) return Math.max(0, Math.round(Number(value) * 1000))
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** The innermost reason: fetch says only that it failed, and hides why in its cause. */
function reasonOf(thrown: unknown): string {
  let reason = thrown
  for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause instanceof Error; depth++)
    reason = reason.cause
  // Several addresses were tried, each with its own error.
  if (reason instanceof AggregateError && reason.message === '' && reason.errors[0] instanceof Error)
    reason = reason.errors[0]
  return reason instanceof Error ? reason.message || reason.name : String(reason)
}

/** Somebody else's words as one sentence, of a length that fits a panel. */
function full(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim()
  const short = line.length > 500 ? `${line.slice(0, 500)} …` : line
  return /[.!?…]$/.test(short) ? short : `${short || 'no reason was given'}.`
}
