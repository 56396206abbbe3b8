/**
 * A server on loopback between the program and the real API. It has the key, which the program never sees; it adds up what
 * the answers cost, and ends an answer that would pass the limit; it keeps each exchange for the checks.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '../../../shared/kernel/result.ts'
import { EventLines } from '../../platform/models/event-lines.ts'
import { knownModels, traitsOf } from '../../platform/models/model-table.ts'
import { estimatePrompt, tokensIn, UsageCount } from '../../platform/models/usage-count.ts'
import { costOf } from '../../runtime/loop/model-cost.ts'
import type { ModelPrice } from '../../runtime/ports/model.ts'

/** A header of the request as it is sent to the API: a key, or a bearer token. */
export interface Credential {
  readonly name: 'x-api-key' | 'authorization'
  readonly value: string
}

/** A request to `POST /v1/messages` with its answer; the key is in neither. */
export interface Exchange {
  readonly beta: string | null
  readonly request: { readonly model?: unknown; readonly messages?: unknown; readonly stream?: unknown }
  /** 0: the gate refused it, or there was no answer. */
  status: number
  /** The answer's text: server-sent events where it was streamed. */
  answer: string
}

export interface Gate {
  readonly baseUrl: string
  /** What the program sends in place of the key. */
  readonly key: string
  readonly exchanges: readonly Exchange[]
  /** US dollars of all answers so far. */
  spentUsd(): number
  /** Calls once the next answer has begun. */
  onAnswer(call: () => void): void
  close(): Promise<void>
}

interface GateOptions {
  /** Without a slash at the end. */
  readonly address: string
  readonly credential: Credential
  readonly maxUsd: number
}

export async function openGate({ address, credential, maxUsd }: GateOptions): Promise<Gate> {
  const key = `gate-${randomBytes(16).toString('hex')}`
  const exchanges: Exchange[] = []
  let spent = 0
  /** What the exchanges on their way cost so far, at most. */
  const running = new Map<Exchange, number>()
  let answered: (() => void)[] = []
  const left = (): number => maxUsd - spent - [...running.values()].reduce((sum, usd) => sum + usd, 0)

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const path = request.url ?? '/'
    if (!path.startsWith('/v1/messages')) return forward({ request, response, path, body })
    const exchange: Exchange = { beta: beta(request), request: parsed(body), status: 0, answer: '' }
    exchanges.push(exchange)
    const most = (): number => mostUsd(exchange, body)
    if (most() > left())
      return refuse(
        response,
        `The limit of $${maxUsd} of this check is reached: $${left().toFixed(4)} are left.`,
      )
    running.set(exchange, most())
    try {
      await forward({ request, response, path, body }, exchange, () => {
        running.set(exchange, most())
        return left() > 0
      })
    } finally {
      running.delete(exchange)
      spent += costOfAnswer(exchange)
    }
  }

  /** @param goesOn called after each piece of the answer; false: the answer is cut off */
  async function forward(
    { request, response, path, body }: Sent,
    exchange: Exchange | null = null,
    goesOn = (): boolean => true,
  ): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await fetch(`${address}${path}`, {
      method: request.method ?? 'GET',
      headers: headersOf(request, key, credential),
      ...(body !== '' && { body }),
      redirect: 'manual',
      signal: gone.signal,
    })
    if (exchange) exchange.status = answer.status
    response.writeHead(answer.status, kept(answer.headers))
    for (const call of answered.splice(0)) call()
    const decoder = new TextDecoder()
    for await (const bytes of answer.body ?? []) {
      if (exchange) exchange.answer += decoder.decode(bytes, { stream: true })
      response.write(bytes)
      if (!goesOn()) return void response.destroy()
    }
    response.end()
  }

  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else refuse(response, `The API can't be reached: ${messageOf(error)}`, 502)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    exchanges,
    spentUsd: () => spent,
    onAnswer: (call) => {
      answered = [...answered, call]
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Sent {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly body: string
}

/** Headers that belong to one connection. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
])

/** Only the gate's key is replaced by the real one: a wrong key stays wrong. */
function headersOf(request: IncomingMessage, key: string, credential: Credential): Headers {
  const headers = new Headers()
  const isOurs = request.headers['x-api-key'] === key
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !OF_CONNECTION.has(name) && !(isOurs && name === 'x-api-key'))
      headers.set(name, value)
  if (isOurs) headers.set(credential.name, credential.value)
  return headers
}

const kept = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !OF_CONNECTION.has(name)))

function beta(request: IncomingMessage): string | null {
  const value = request.headers['anthropic-beta']
  return typeof value === 'string' ? value : null
}

function refuse(response: ServerResponse, message: string, status = 400): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

function parsed(body: string): Exchange['request'] {
  try {
    return JSON.parse(body) as Exchange['request']
  } catch {
    return {}
  }
}

/** The prices of a model; a model without a known price costs as much as the dearest. */
function priceOf(model: unknown): ModelPrice {
  const known = typeof model === 'string' ? traitsOf(model).price : null
  const prices = knownModels().flatMap((id) => traitsOf(id).price ?? [])
  return known ?? prices.reduce((dearest, price) => (price.output > dearest.output ? price : dearest))
}

/** What the exchange costs so far, at most: nothing read from the cache, and each character of the answer is output. */
function mostUsd({ request, answer }: Exchange, body: string): number {
  const { longPrompt, ...price } = priceOf(request.model)
  const dear = longPrompt ?? price
  const input = estimatePrompt(body) * (dear.cacheWriteHour ?? 2 * dear.input)
  return (input + tokensIn(answer.length) * dear.output) / 1_000_000
}

/** US dollars. An answer that was cut off costs what it has counted so far. */
function costOfAnswer({ request, answer, status }: Exchange): number {
  if (status !== 200) return 0
  const count = new UsageCount()
  const take = (data: string): void => {
    const { usage, message } = parsed(data) as { usage?: object; message?: { usage?: object } }
    count.take({ ...message?.usage, ...usage })
  }
  if (answer.startsWith('{')) take(answer)
  else {
    const lines = new EventLines(take)
    lines.push(new TextEncoder().encode(answer))
    lines.end()
  }
  const usage = count.total(
    () => estimatePrompt(JSON.stringify(request)),
    () => tokensIn(answer.length),
  )
  const model = String(request.model)
  return costOf(usage, { id: model, contextTokens: 0, price: priceOf(model) }) ?? 0
}
