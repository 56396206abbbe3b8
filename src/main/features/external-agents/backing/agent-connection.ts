/**
 * A connection to an external agent: one process and its handshake, for the sessions of many agents. What the
 * program sends reaches the host of the session that it names.
 */
import type {
  AnyMessage,
  ClientConnection,
  InitializeResponse,
  McpServer,
  NewSessionResponse,
  ReadTextFileRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  Stream,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk'
import type { LoginMethod } from '../../../../shared/external-agents/external-agent.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import { shortText } from '../../../platform/acp/content.ts'
import { loginMethodsOf } from '../../../platform/acp/session-options.ts'
import { CHILDREN_CAPABILITY } from '../../../platform/acp/subagent-sessions.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { AgentProcess } from './agent-process.ts'
import { answerMore, MORE_CAPABILITIES, type MoreOfHost } from './host-requests.ts'

/** The JSON-RPC code for "log in first". */
export const LOGIN_NEEDED = -32000
/** Updates of sessions whose beginning has not been answered yet. More are dropped. */
const MOST_EARLY = 1000

/** What a session of the program asks of Troupe. A rejection becomes the error of its request. */
export interface SessionHost extends MoreOfHost {
  update(update: SessionUpdate): void
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>
  readFile(request: ReadTextFileRequest): Promise<string>
  writeFile(request: WriteTextFileRequest): Promise<void>
}

/** `no-answer`, `wrong-version`, `login` or `protocol`; the message is for the user. */
export interface ConnectionFailure {
  readonly type: 'no-answer' | 'wrong-version' | 'login' | 'protocol'
  readonly message: string
}

export interface WaitOptions {
  readonly clock: Clock
  /** ms for each answer. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** What `session/new`, `session/load` and `session/resume` need. */
export interface SessionPlace {
  /** The agent's folder. Absolute. */
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
}

/** The answer to a session's beginning. The programs are not held to its shape, except for the id. */
export type BegunSession = NewSessionResponse

/** The first exchange with a program that was just started. */
export async function connect(
  process: AgentProcess,
  command: string,
  wait: WaitOptions,
): Promise<Result<AgentConnection, ConnectionFailure>> {
  const { client, methods, PROTOCOL_VERSION, RequestError } = await import('@agentclientprotocol/sdk')
  const routes = new SessionRoutes()
  /** Runs the work of the host of a session, and turns what it throws into the answer of its request. */
  const answering = async <T>(sessionId: string, work: (host: SessionHost) => Promise<T>): Promise<T> => {
    try {
      const host = routes.hostOf(sessionId)
      if (host === null) throw new Error(`No turn of the session ${sessionId} is running.`)
      return await work(host)
    } catch (thrown) {
      throw thrown instanceof RequestError ? thrown : new RequestError(-32603, messageOf(thrown))
    }
  }
  const wire = answerMore(client({ name: 'troupe' }), methods.client, answering)
    .onRequest(methods.client.session.requestPermission, ({ params }) =>
      answering(params.sessionId, (host) => host.permission(params)),
    )
    .onRequest(methods.client.fs.readTextFile, ({ params }) =>
      answering(params.sessionId, async (host) => ({ content: await host.readFile(params) })),
    )
    .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
      answering(params.sessionId, async (host) => {
        await host.writeFile(params)
        return {}
      }),
    )
    .connect(withoutUpdates(process.stream, routes))
  const initialized = await within(wait, () =>
    wire.agent.request<InitializeResponse>(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'troupe', title: 'Troupe', version: '0.1.0' },
      clientCapabilities: CAPABILITIES,
    }),
  )
  if (!initialized.ok) return initialized
  const { protocolVersion } = initialized.value
  if (protocolVersion !== PROTOCOL_VERSION)
    return fail({
      type: 'wrong-version',
      message: `It speaks version ${String(protocolVersion)} of the Agent Client Protocol, and Troupe version ${PROTOCOL_VERSION}. Install another version of it.`,
    })
  return ok(new AgentConnection({ process, wire, routes, initialized: initialized.value, command }))
}

/** What Troupe can do for a program. */
const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  ...MORE_CAPABILITIES,
  auth: { terminal: true },
  session: { configOptions: { boolean: {} } },
  ...CHILDREN_CAPABILITY,
  // Programs of before `auth.terminal` look here.
  _meta: { 'terminal-auth': true },
}

export class AgentConnection {
  readonly process: AgentProcess
  /** As the program calls itself. */
  readonly program: { readonly name: string; readonly title: string; readonly version: string }
  readonly can: {
    readonly resume: boolean
    readonly load: boolean
    readonly close: boolean
    readonly images: boolean
  }
  readonly loginMethods: readonly LoginMethod[]
  readonly initialized: InitializeResponse
  /** Set when a session did not react to its end: the process takes no more sessions. */
  isStale = false
  private readonly wire: ClientConnection
  private readonly routes: SessionRoutes

  constructor({
    process,
    wire,
    routes,
    initialized,
    command,
  }: {
    readonly process: AgentProcess
    readonly wire: ClientConnection
    readonly routes: SessionRoutes
    readonly initialized: InitializeResponse
    /** The command line of the program, for a login in a terminal. */
    readonly command: string
  }) {
    this.process = process
    this.wire = wire
    this.routes = routes
    this.initialized = initialized
    const { agentInfo, agentCapabilities } = initialized
    this.program = {
      name: shortText(agentInfo?.name ?? ''),
      title: shortText(agentInfo?.title ?? agentInfo?.name ?? ''),
      version: shortText(agentInfo?.version ?? ''),
    }
    this.can = {
      resume: agentCapabilities?.sessionCapabilities?.resume != null,
      load: agentCapabilities?.loadSession === true,
      close: agentCapabilities?.sessionCapabilities?.close != null,
      images: agentCapabilities?.promptCapabilities?.image === true,
    }
    this.loginMethods = loginMethodsOf(initialized.authMethods ?? [], command)
  }

  /** "Gemini CLI 0.12.0", as the program calls itself; empty: it does not say. */
  get shownName(): string {
    const { title, version } = this.program
    return [title, version].filter((part) => part !== '').join(' ')
  }

  /** Sends any request. Rejects if the program answers with an error, or has ended. */
  request<T>(method: string, params: object): Promise<T> {
    return this.wire.agent.request<T>(method, params)
  }

  /** Sends a request that must be answered in time. */
  ask<T>(
    method: string,
    params: object,
    wait: WaitOptions,
  ): Promise<Result<T, ConnectionFailure & { readonly code?: number }>> {
    return within(wait, () => this.request<T>(method, params))
  }

  notify(method: string, params: object): void {
    this.wire.agent.notify(method, params).catch(() => undefined)
  }

  /** Begins a session. `host` gets what the program sends for it, also what comes before its answer. */
  begin(place: SessionPlace, host: SessionHost, wait: WaitOptions): Promise<Begun> {
    return this.routes.whileOpening(async () => {
      const begun = await this.asked('session/new', place, wait)
      if (!begun.ok) return begun
      this.routes.attach(begun.value.sessionId, host)
      return begun
    })
  }

  /**
   * Continues the session of an earlier process. With `session/load` the program sends the whole history again, before its
   * answer. The transcript has it already: `host` must not record it.
   */
  async again(
    how: 'session/load' | 'session/resume',
    session: SessionPlace & { readonly sessionId: string },
    { host, wait }: { readonly host: SessionHost; readonly wait: WaitOptions },
  ): Promise<Begun> {
    const { sessionId } = session
    this.routes.attach(sessionId, host)
    const begun = await this.asked(how, session, wait, sessionId)
    if (!begun.ok) this.routes.detach(sessionId)
    return begun
  }

  /** Nobody listens to this session any more. */
  detach(sessionId: string): void {
    this.routes.detach(sessionId)
  }

  /** Routes a session that the program began by itself. @returns ends it; null: it is a session of another agent */
  attach(sessionId: string, host: SessionHost): (() => void) | null {
    if (this.routes.has(sessionId)) return null
    this.routes.attach(sessionId, host)
    return () => this.routes.detach(sessionId)
  }

  private async asked(
    method: string,
    { mcpServers, ...place }: SessionPlace & { readonly sessionId?: string },
    wait: WaitOptions,
    known?: string,
  ): Promise<Begun> {
    const params = { ...place, mcpServers: [...mcpServers] }
    const request = this.request<BegunSession | null>(method, params)
    const answered = await within(wait, () => request)
    if (!answered.ok || wait.signal.aborted) this.closeLate(request, known)
    if (!answered.ok) {
      const { code, ...failure } = answered.failure
      return fail(code === LOGIN_NEEDED ? { type: 'login', message: 'It needs a login.' } : failure)
    }
    const sessionId = known ?? answered.value?.sessionId
    if (wait.signal.aborted || typeof sessionId !== 'string' || sessionId === '')
      return fail({ type: 'protocol', message: 'It began no session.' })
    return ok({ ...answered.value, sessionId })
  }

  /** A session that begins when nobody waits for it any more is closed again. */
  private closeLate(request: Promise<BegunSession | null>, known?: string): void {
    if (!this.can.close) return
    const close = async () => {
      const answer = await request
      const sessionId = known ?? answer?.sessionId
      if (typeof sessionId === 'string' && this.routes.hostOf(sessionId) === null)
        await this.request('session/close', { sessionId })
    }
    close().catch(() => undefined)
  }
}

type Begun = Result<BegunSession, ConnectionFailure>

/** Which host gets what is sent for a session. */
class SessionRoutes {
  private readonly hosts = new Map<string, SessionHost>()
  private opening = 0
  private early: { readonly sessionId: string; readonly update: SessionUpdate }[] = []

  hostOf(sessionId: string): SessionHost | null {
    return this.hosts.get(sessionId) ?? null
  }

  update(sessionId: string, update: SessionUpdate): void {
    const known = this.hosts.get(sessionId)
    if (known !== undefined) known.update(update)
    // Programs send the first updates of a session before Troupe has read its id.
    else if (this.opening > 0 && this.early.length < MOST_EARLY) this.early.push({ sessionId, update })
  }

  attach(sessionId: string, host: SessionHost): void {
    this.hosts.set(sessionId, host)
    const waiting = this.early.filter((one) => one.sessionId === sessionId)
    this.early = this.early.filter((one) => one.sessionId !== sessionId)
    for (const { update } of waiting) host.update(update)
  }

  has(sessionId: string): boolean {
    return this.hosts.has(sessionId)
  }

  detach(sessionId: string): void {
    this.hosts.delete(sessionId)
  }

  async whileOpening<T>(work: () => Promise<T>): Promise<T> {
    this.opening++
    try {
      return await work()
    } finally {
      if (--this.opening === 0) {
        this.early = []
      }
    }
  }
}

/**
 * Takes the updates out of the stream, in their order. The SDK would write each one that it does not know, such as those of
 * newer programs, to the standard error.
 */
function withoutUpdates({ readable, writable }: Stream, routes: SessionRoutes): Stream {
  const taking = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!('method' in message) || message.method !== 'session/update') {
        controller.enqueue(message)
        return
      }
      const { params } = message
      if (!isRecord(params) || typeof params['sessionId'] !== 'string') return
      if (isRecord(params['update']))
        routes.update(params['sessionId'], params['update'] as unknown as SessionUpdate)
    },
  })
  return { readable: readable.pipeThrough(taking), writable }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The answer to one request, in time. */
async function within<T>(
  { clock, limit, signal }: WaitOptions,
  request: () => Promise<T>,
): Promise<Result<T, ConnectionFailure & { readonly code?: number }>> {
  const waiting = new AbortController()
  const late = clock.sleep(limit, AbortSignal.any([waiting.signal, signal])).then(() => 'late' as const)
  try {
    const answer = await Promise.race([request().then((value) => ({ value })), late])
    if (answer !== 'late') return ok(answer.value)
    return fail({ type: 'no-answer', message: `It gave no answer for ${Math.round(limit / 1000)} s.` })
  } catch (thrown) {
    const code = protocolCodeOf(thrown)
    // Without a code it is no answer: the process has ended.
    if (code === null) return fail({ type: 'no-answer', message: 'It gave no answer.' })
    return fail({
      type: 'protocol',
      message: `It answered with an error: ${sentence(shortText(messageOf(thrown)))}`,
      code,
    })
  } finally {
    waiting.abort()
  }
}

/** The code of an error of the protocol; null: it is another one. */
export const protocolCodeOf = (thrown: unknown): number | null =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'number'
    ? thrown.code
    : null
