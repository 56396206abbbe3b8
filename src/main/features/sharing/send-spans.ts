/** Sends spans to a receiver of OpenTelemetry: OTLP over HTTP, as JSON. */
import { countOf } from '../../../shared/kernel/amounts.ts'
import { type Failure, fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { type OtelSpan, otelRequest } from './formats/otel-spans.ts'
import type { Watch } from './write-chunks.ts'

interface Receiver extends Watch {
  /** Of the receiver, or of its traces. */
  readonly url: URL
  /** The program's. */
  readonly version: string
}

/** Spans of one request. */
const MOST_SPANS = 500
/** ms */
const TIME_LIMIT = 30_000

/** Fails with `not-sent` or `canceled`; the message says how many spans the receiver has. @returns the number of spans */
export async function sendSpans(
  batches: AsyncIterable<Result<readonly OtelSpan[]>>,
  receiver: Receiver,
): Promise<Result<number>> {
  let waiting: OtelSpan[] = []
  let sent = 0
  const send = async (spans: readonly OtelSpan[]): Promise<Failure | null> => {
    const problem = await post(spans, receiver)
    if (problem === null) sent += spans.length
    else if (receiver.signal.aborted) return { type: 'canceled', message: canceled(sent) }
    return problem === null
      ? null
      : {
          type: 'not-sent',
          message: `${sentence(problem)} ${sent === 0 ? 'No span was' : `${countOf(sent, 'span')} were`} sent.`,
        }
  }
  for await (const batch of batches) {
    if (!batch.ok) return batch
    waiting.push(...batch.value)
    while (waiting.length >= MOST_SPANS) {
      const failure = await send(waiting.slice(0, MOST_SPANS))
      if (failure !== null) return fail(failure)
      waiting = waiting.slice(MOST_SPANS)
    }
  }
  const failure = waiting.length === 0 ? null : await send(waiting)
  return failure === null ? ok(sent) : fail(failure)
}

const canceled = (sent: number) => `Canceled. ${countOf(sent, 'span')} had been sent.`

/** @returns what went wrong; null: the receiver has all spans */
async function post(spans: readonly OtelSpan[], { url, version, signal }: Receiver): Promise<string | null> {
  const body = JSON.stringify(otelRequest(spans, version))
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]),
      redirect: 'error',
    })
    const text = await answer.text()
    return answer.ok ? refusedIn(text) : refusal(answer, text)
  } catch (thrown) {
    return unreachable(url, thrown)
  }
}

/** A receiver may take a part of the spans only. */
function refusedIn(text: string): string | null {
  const answer = parsed(text)?.partialSuccess
  const refused = Number(answer?.rejectedSpans ?? 0)
  return refused > 0
    ? `The receiver refused ${countOf(refused, 'span')}: ${answer?.errorMessage || 'no reason was given'}`
    : null
}

interface Answer {
  readonly partialSuccess?: { readonly rejectedSpans?: unknown; readonly errorMessage?: string }
  readonly message?: string
}

function parsed(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer | null
  } catch {
    return null
  }
}

const LONGEST_REASON = 200

function refusal({ status, statusText, url }: Response, text: string): string {
  const reason = (parsed(text)?.message ?? text).trim().split('\n')[0]?.slice(0, LONGEST_REASON) ?? ''
  const hint =
    status === 404 || status === 405
      ? 'Traces usually go to the path /v1/traces.'
      : status === 415
        ? 'It takes no JSON.'
        : status === 401 || status === 403
          ? 'It wants a login.'
          : reason
  return sentence(`${url} answered ${`${status} ${statusText}`.trim()}. ${hint}`.trim())
}

function unreachable(url: URL, thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError')
    return `${url.host} did not answer within ${TIME_LIMIT / 1000} s.`
  const cause = thrown instanceof Error ? (thrown.cause as { readonly code?: string } | undefined) : undefined
  if (cause?.code === 'ECONNREFUSED')
    return `Nothing listens at ${url.host}. Is the receiver running? Its port for HTTP is usually 4318.`
  if (cause?.code === 'ENOTFOUND') return `${url.hostname} was not found. Are you online?`
  return `${url.host} could not be reached: ${cause?.code ?? messageOf(thrown)}`
}
