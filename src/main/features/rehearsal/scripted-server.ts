/**
 * A server on loopback that speaks the Messages API with a script instead of a model. It is stricter than the
 * real API and rejects each violation with a precise message, so that nothing works in a rehearsal that
 * would fail with a key.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageOf } from '../../../shared/kernel/result.ts'
import { knownModels, traitsOf } from '../../platform/models/model-table.ts'
import { type Admitted, admit, MessageGate } from './admit-request.ts'
import { type ApiError, apiFault, errorText, notFound } from './api-errors.ts'
import type { Director, ScriptedFault, ScriptedReply } from './director.ts'
import { delayReply, PACES, type Pace } from './pace.ts'
import { pause } from './pause.ts'
import { planReply, type ReplyPlan } from './reply-plan.ts'
import { SimulatedCache } from './simulated-cache.ts'
import type { StreamHead } from './stream-pieces.ts'
import { streamReply, wholeBlocks, wholeMessage } from './stream-reply.ts'

/** The requests that the scripted API received, for tests and for authors of scenarios. */
interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The client's port, which identifies the connection. */
  readonly connection: number | undefined
  /** The parsed body, unchanged. */
  readonly text: string
  /** The body, or null if a check failed. */
  body: unknown
  /** HTTP status. 0 until the response ended, and when there was none. */
  status: number
  /** Whether the response ended: sent completely, or the connection closed. */
  over: boolean
}

class RequestLog {
  readonly entries: LoggedRequest[] = []
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Keeps only the newest requests. */
  add(request: IncomingMessage, text: string, response: ServerResponse): LoggedRequest {
    const entry: LoggedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      connection: request.socket.remotePort,
      text,
      body: null,
      status: 0,
      over: false,
    }
    response.once('close', () => {
      entry.over = true
      entry.status = response.headersSent ? response.statusCode : 0
    })
    if (this.most === 0) return entry
    this.entries.push(entry)
    if (this.entries.length > this.most) this.entries.shift()
    return entry
  }
}

export interface ScriptedServerOptions {
  readonly director: Director
  /** 0, the default: no limit. A function is asked again during each reply. */
  readonly pace?: Pace | 0 | (() => Pace)
  /** A loopback address. */
  readonly host?: '127.0.0.1' | '::1'
  /** 0 picks a free one. */
  readonly port?: number
  /** The key that clients must send; random by default. */
  readonly requireKey?: string
  /** Maximum prompt tokens; default: the model's context window. */
  readonly contextTokens?: number
  /** The known models; default: any. */
  readonly models?: readonly string[]
  /** Maximum number of requests kept in `requests`. */
  readonly keepRequests?: number
  readonly pingEveryMs?: number
  readonly now?: () => number
}

export interface ScriptedServer {
  readonly baseUrl: string
  readonly apiKey: string
  /** The received requests, oldest first. */
  readonly requests: readonly LoggedRequest[]
  /** Closes all connections immediately. */
  close(): Promise<void>
}

const KEEP_REQUESTS = 200
const PING_EVERY_MS = 10_000
const MOST_BODY_BYTES = 32 * 1024 * 1024

/** What the server takes from the machine. */
interface OfMachine {
  /** ms since the epoch. */
  readonly now: () => number
  /** ms, for durations. */
  readonly elapsed: () => number
  /** A text that no other one is equal to, of two characters a byte. */
  readonly randomHex: (bytes: number) => string
}

/** Starts the server. Throws if the port is not available. */
export async function openScriptedServer(
  options: ScriptedServerOptions & OfMachine,
): Promise<ScriptedServer> {
  const { host = '127.0.0.1', port = 0, requireKey, keepRequests = KEEP_REQUESTS } = options
  const apiKey = requireKey ?? `scripted-${options.randomHex(16)}`
  const log = new RequestLog(keepRequests)
  const stage = new Stage(options, apiKey, log)
  // Loaded lazily: loading takes as long as starting Node, and most commands need no scripted API.
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    const gone = new AbortController()
    response.setHeader('request-id', `req_${options.randomHex(12)}`)
    response.once('close', () => gone.abort())
    stage.answer(request, response, gone.signal).catch((thrown: unknown) => {
      if (!response.headersSent)
        sendError(response, apiFault(`The scripted API failed: ${messageOf(thrown)}`))
      else response.destroy()
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    baseUrl: `http://${host === '::1' ? '[::1]' : host}:${bound}`,
    apiKey,
    requests: log.entries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Handles a request: route, checks, director, response. */
class Stage {
  private readonly options: ScriptedServerOptions & OfMachine
  private readonly log: RequestLog
  private readonly gate: MessageGate
  private readonly cache = new SimulatedCache()
  private readonly pace: () => Pace

  constructor(options: ScriptedServerOptions & OfMachine, apiKey: string, log: RequestLog) {
    const { pace = 0 } = options
    this.options = options
    this.pace = typeof pace === 'function' ? pace : () => (pace === 0 ? PACES.instant : pace)
    this.log = log
    this.gate = new MessageGate({
      apiKey,
      ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
      ...(options.models === undefined ? {} : { models: options.models }),
    })
  }

  async answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const text = await bodyOf(request)
    const entry = this.log.add(request, text ?? '', response)
    if (text === null) return sendError(response, tooLarge)
    const { pathname } = new URL(request.url ?? '/', 'http://scripted')
    const refusal = this.gate.checkHeaders(request.headers)
    if (refusal !== null) return sendError(response, refusal)
    if (request.method === 'GET' && pathname === '/v1/models') return sendJson(response, this.modelList())
    if (request.method !== 'POST' || pathname !== '/v1/messages')
      return sendError(response, notFound('Not Found'))

    const admitted = admit(this.gate, text, request.headers['anthropic-beta'])
    if (!admitted.ok) return sendError(response, admitted.failure)
    entry.body = admitted.value.body
    await this.play(admitted.value, response, signal)
  }

  private async play(admitted: Admitted, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const reply = await this.options.director.reply(admitted.scripted, signal)
    await pause(reply.delayMs ?? 0, signal)
    const pace = reply.pace === undefined ? this.pace : () => PACES.instant
    await delayReply(pace, this.options.elapsed, signal)
    if (signal.aborted) return
    const { fault } = reply
    if (fault?.kind === 'hang-up') return void response.destroy()
    if (fault?.kind === 'status') return sendError(response, statusError(fault))

    const plan = planReply(reply, {
      body: admitted.body,
      prefix: admitted.prefix,
      nextToolId: () => `toolu_${this.options.randomHex(12)}`,
    })
    const use = this.cache.use(admitted.prefix, this.options.now())
    const head: StreamHead = {
      id: `msg_${this.options.randomHex(12)}`,
      model: reply.model ?? admitted.body.model,
      usage: use,
      counts: reply.usage ?? {},
      stopDetails: reply.stopDetails ?? null,
      dropped: admitted.reportsDropped ? admitted.dropped : null,
    }
    if (plan.stopReason === 'pause_turn') this.gate.rememberPaused(wholeBlocks(plan.blocks))
    if (admitted.body.stream) return await this.stream(response, { head, plan, reply, pace }, signal)
    if (fault?.kind === 'cut') return void response.destroy()
    if (fault?.kind === 'stall') return await pause(Number.POSITIVE_INFINITY, signal)
    if (fault?.kind === 'stream-error')
      return sendError(response, { status: 500, type: fault.type, message: fault.message })
    sendJson(response, wholeMessage(head, plan))
  }

  private async stream(
    response: ServerResponse,
    {
      head,
      plan,
      reply,
      pace,
    }: {
      readonly head: StreamHead
      readonly plan: ReplyPlan
      readonly reply: ScriptedReply
      readonly pace: () => Pace
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { pingEveryMs = PING_EVERY_MS, elapsed } = this.options
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    })
    await streamReply(response, {
      head,
      plan,
      pace,
      elapsed,
      pingEveryMs,
      silenceMs: reply.silenceMs ?? 0,
      fault: reply.fault,
      signal,
    })
  }

  private modelList(): object {
    const ids = this.options.models ?? knownModels()
    const data = ids.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
      lifecycle: 'active',
      max_input_tokens: traitsOf(id).contextTokens,
      max_tokens: traitsOf(id).maxOutputTokens,
    }))
    return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }
  }
}

/** The body's text, or null if it exceeds the API's limit. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes <= MOST_BODY_BYTES) chunks.push(chunk as Buffer)
  }
  return bytes <= MOST_BODY_BYTES ? Buffer.concat(chunks).toString('utf8') : null
}

function statusError(fault: Extract<ScriptedFault, { kind: 'status' }>): ApiError {
  const { status, type, message, retryAfterSeconds, headers } = fault
  return {
    status,
    type,
    message,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...headers,
    },
  }
}

function sendError(response: ServerResponse, error: ApiError): void {
  const id = String(response.getHeader('request-id'))
  response.writeHead(error.status, { 'content-type': 'application/json', ...error.headers })
  response.end(errorText(error, id))
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

const tooLarge: ApiError = {
  status: 413,
  type: 'request_too_large',
  message: 'Request exceeds the maximum size',
}
