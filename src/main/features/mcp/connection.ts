/**
 * One connection to one MCP server, shared by all agents of a folder. It starts at the first need, reconnects with
 * growing pauses, and never lets a server stall an agent: every wait has a time limit and ends with the caller's signal.
 */
import {
  type Client,
  type SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { McpLogLine, McpServerState, McpStatus } from '../../../shared/mcp/mcp.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { ToolOutcome } from '../../runtime/ports/tool.ts'
import { answersNoPost, errorIn, httpText, needsSignIn, signsInAsBefore2025 } from './connection-failures.ts'
import type { OAuthSession } from './oauth-session.ts'
import { resourceOutcome, toolOutcomeOf } from './result-content.ts'
import { type ServerCall, ServerCalls } from './server-calls.ts'
import {
  createClient,
  NO_LISTS,
  openTransport,
  readLists,
  readPrompt,
  type ServerLists,
} from './server-client.ts'
import type { ServerConfig } from './server-entry.ts'
import { StdioTransport } from './stdio-transport.ts'

/** ms until the server must have answered the first request. */
const START_LIMIT = 30_000
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000
/** A connection that lasted this long starts again without a pause. */
const STEADY_AFTER = 60_000
/** Sign-ins in a row that one request may need: the scope may have to grow. */
const MOST_SIGN_INS = 2
const MOST_LOG_LINES = 500
const LONGEST_LOG_LINE = 500

/** Why a server that wants a sign-in can't be used. */
export const SIGN_IN_FIRST = 'The user has to sign in first, in Settings › MCP servers.'

interface ConnectionOptions {
  readonly name: string
  readonly config: ServerConfig
  /** The folder of the conversations that use the server: its working folder and its root. */
  readonly folder: string
  /** The environment of a server's process, without the program's keys; the entry's own `env` is added. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** Called after each change of the state, of the tools or of the log. */
  readonly onChange: (change: 'state' | 'tools' | 'log') => void
  /** The sign-in at an HTTP server; null: the server is a process. */
  readonly signIn: OAuthSession | null
  /** Identifies this program to servers. */
  readonly version: string
  /** Whether the user lets this server ask a model. */
  readonly mayAskModel: () => boolean
}

interface Live
  extends Pick<McpServerState, 'status' | 'pid' | 'version' | 'protocol' | 'prompts' | 'resources' | 'log'>,
    Pick<ServerLists, 'tools'> {
  /** Whether it is spoken to as SSE, also where the entry does not say so. */
  readonly isSse: boolean
}

export class McpConnection {
  private readonly options: ConnectionOptions
  private status: McpStatus = { kind: 'idle' }
  private client: Client | null = null
  private transport: Transport | null = null
  private starting: Promise<void> | null = null
  private lists = NO_LISTS
  private version: string | null = null
  private protocol: string | null = null
  private readonly lines: McpLogLine[] = []
  private failures = 0
  private retry: AbortController | null = null
  private isClosed = false
  /** The server signs users in as revision 2025-03-26 says: its own address stands for the authorization server. */
  private isOldSignIn = false
  private isSse: boolean
  private readonly calls: ServerCalls

  constructor(options: ConnectionOptions) {
    this.options = options
    const { name, config, clock } = options
    this.isSse = config.kind === 'http' && config.wire === 'sse'
    this.calls = new ServerCalls({
      name,
      timeoutMs: config.timeoutMs,
      clock,
      log: (kind, text) => this.log(kind, text),
      start: () => this.start(),
      client: () => this.client,
      whyNot: () => this.whyNot(),
      needsSignIn: (thrown) => {
        if (!needsSignIn(thrown)) return false
        this.setStatus({ kind: 'sign-in' })
        return true
      },
      signedIn: (request) => this.signedIn(request),
    })
  }

  state(): Live {
    const { status, version, protocol } = this
    const { tools, prompts, resources } = this.lists
    const runs = status.kind === 'connected' || status.kind === 'starting'
    const pid = runs && this.transport instanceof StdioTransport ? this.transport.pid : null
    const names = prompts.map(({ name }) => name)
    const { isSse } = this
    return { status, isSse, pid, version, protocol, tools, prompts: names, resources, log: [...this.lines] }
  }

  /** What the server says about the use of its tools; null: nothing, or it is not connected. */
  get instructions(): string | null {
    return this.client?.getInstructions()?.trim() || null
  }

  promptList(): ServerLists['prompts'] {
    return this.lists.prompts
  }

  log(kind: McpLogLine['kind'], text: string): void {
    const line = text.replace(/\s+$/, '').slice(0, LONGEST_LOG_LINE)
    if (line === '') return
    this.lines.push({ at: this.options.clock.now(), kind, text: line })
    if (this.lines.length > MOST_LOG_LINES) this.lines.splice(0, this.lines.length - MOST_LOG_LINES)
    this.options.onChange('log')
  }

  /** Connects unless it is connected. Resolves when the attempt is over; the state says how. */
  start(): Promise<void> {
    if (this.isClosed || this.status.kind === 'connected') return Promise.resolve()
    this.retry?.abort()
    this.starting ??= this.connect().finally(() => {
      this.starting = null
    })
    return this.starting
  }

  /** Ends the connection and connects anew. The user asked for it: where needed, the browser opens for a sign-in. */
  async restart(): Promise<void> {
    const { signIn } = this.options
    await this.disconnect()
    this.failures = 0
    this.isClosed = false
    await signIn?.begin()
    try {
      await this.start()
    } finally {
      signIn?.end()
    }
  }

  /** Ends the connection and its process until the next call or start. Its tools stay known. */
  async becomeIdle(): Promise<void> {
    if (this.calls.newest() !== null) return
    this.setStatus({ kind: 'idle' })
    await this.disconnect()
  }

  /** Ends the connection and its process. */
  async close(): Promise<void> {
    this.isClosed = true
    this.retry?.abort()
    await this.disconnect()
    this.setStatus({ kind: 'idle' })
  }

  /** @param name the tool's name for agents */
  callTool(
    { tool, name }: { readonly tool: string; readonly name: string },
    input: Readonly<Record<string, unknown>>,
    call: ServerCall,
  ): Promise<ToolOutcome> {
    return this.calls.run(
      {
        what: `call ${tool}`,
        title: `Call of ${name}`,
        run: async (client, options) =>
          toolOutcomeOf(await client.callTool({ name: tool, arguments: { ...input } }, options)),
      },
      call,
    )
  }

  readResource(uri: string, call: ServerCall): Promise<ToolOutcome> {
    return this.calls.run(
      {
        what: `read ${uri}`,
        title: `ReadMcpResource ${uri}`,
        run: async (client, options) => resourceOutcome(await client.readResource({ uri }, options)),
      },
      call,
    )
  }

  /** The messages of a prompt, as one text. */
  async prompt(name: string, args: Readonly<Record<string, string>>): Promise<string> {
    await this.start()
    if (this.client === null) throw new Error(this.whyNot())
    return readPrompt(this.client, name, args)
  }

  // ---- sign-in -----------------------------------------------------------------------------------

  /** Repeats a request after each sign-in that the server asks for, while the user is there for it. */
  private async signedIn<T>(request: () => Promise<T>): Promise<T> {
    const { signIn } = this.options
    for (let times = 0; ; times++) {
      try {
        return await request()
      } catch (thrown) {
        const { transport } = this
        if (!(thrown instanceof UnauthorizedError) || signIn === null || times === MOST_SIGN_INS) throw thrown
        if (!takesSignIn(transport)) throw thrown
        await transport.finishAuth(await signIn.redirected())
      }
    }
  }

  private whyNot(): string {
    switch (this.status.kind) {
      case 'failed':
        return this.status.message
      case 'sign-in':
        return SIGN_IN_FIRST
      default:
        return 'It is not connected.'
    }
  }

  // ---- the connection ------------------------------------------------------------------------------

  private async connect(): Promise<void> {
    const { clock, config, name } = this.options
    const startedAt = clock.now()
    this.setStatus({ kind: 'starting', since: startedAt })
    this.log('start', config.kind === 'stdio' ? [config.command, ...config.args].join(' ') : config.url)
    try {
      const client = await this.open()
      if (this.isClosed) throw new Error('The connection was closed.')
      const server = client.getServerVersion()
      this.client = client
      this.version = server === undefined ? null : `${server.name} ${server.version}`
      this.protocol = client.getNegotiatedProtocolVersion() ?? null
      this.setStatus({ kind: 'connected', since: clock.now() })
      this.log(
        'ready',
        [
          this.version ?? name,
          ...(this.protocol === null ? [] : [`protocol ${this.protocol}`]),
          `${this.lists.tools.length} ${this.lists.tools.length === 1 ? 'tool' : 'tools'}`,
          `${clock.now() - startedAt} ms`,
        ].join(' · '),
      )
      this.options.onChange('tools')
    } catch (thrown) {
      await this.transport?.close().catch(() => {})
      if (needsSignIn(thrown)) {
        this.log('end', 'The user has to sign in.')
        this.setStatus({ kind: 'sign-in' })
      } else this.failed(this.startFailure(thrown))
    }
  }

  /** A client with the server's lists. While the user is there for it, each demand to sign in is followed. */
  private async open(): Promise<Client> {
    const { signIn } = this.options
    /** Why streamable HTTP failed, while SSE is tried. */
    let refusal: SdkHttpError | null = null
    for (let times = 0; ; times++) {
      const { isOldSignIn } = this
      const isSse = this.isSse || refusal !== null
      const log = (kind: McpLogLine['kind'], text: string) => this.log(kind, text)
      const transport = openTransport({ ...this.options, isOldSignIn, isSse, log })
      const client = createClient({
        ...this.options,
        caller: () => this.calls.newest(),
        log,
        listChanged: (changed) => void this.listAgain(changed),
      })
      this.transport = transport
      client.onclose = () => this.lost(client, transport)
      client.onerror = (error) => {
        this.log('error', error.message)
        // A new stream would be a new session, of which the client knows nothing.
        if (error instanceof SseError && this.client === client) void client.close()
      }
      try {
        await client.connect(transport, { timeout: START_LIMIT })
        this.lists = await this.signedIn(() => readLists(client))
        this.isSse = isSse
        return client
      } catch (thrown) {
        if (!isSse && answersNoPost(thrown)) {
          refusal = thrown
          this.log('error', `${httpText(thrown)} Trying SSE.`)
          await transport.close()
          continue
        }
        if (refusal !== null && !needsSignIn(thrown)) throw refusal
        if (!this.isOldSignIn && (await signsInAsBefore2025(thrown, this.options.config))) {
          this.isOldSignIn = true
          continue
        }
        if (!(thrown instanceof UnauthorizedError) || signIn === null || times === MOST_SIGN_INS) throw thrown
        if (!takesSignIn(transport)) throw thrown
        await transport.finishAuth(await signIn.redirected())
        await transport.close()
      }
    }
  }

  private startFailure(thrown: unknown): string {
    const { transport } = this
    const ended = transport instanceof StdioTransport ? transport.ended : null
    const { config } = this.options
    if (ended?.code === 127 && config.kind === 'stdio') return `The command ${config.command} was not found.`
    if (ended !== null) return this.endText(ended)
    return `It did not start: ${httpText(thrown) ?? messageOf(thrown)}`
  }

  /** How its process ended, with the error that it wrote since its start. */
  private endText({ code }: { readonly code: number | null }): string {
    const start = this.lines.findLastIndex(({ kind }) => kind === 'start')
    const written = this.lines.slice(Math.max(0, start)).filter(({ kind }) => kind === 'stderr')
    const error = errorIn(written.map(({ text }) => text))
    return `It ended with exit code ${code ?? 'unknown'}${error === undefined ? '' : `: ${error.replace(/\.$/, '')}`}.`
  }

  private async listAgain(client: Client): Promise<void> {
    try {
      const lists = await readLists(client)
      if (this.client !== client) return
      this.lists = lists
      this.log('ready', `${this.lists.tools.length} tools now`)
      this.options.onChange('tools')
    } catch (thrown) {
      this.log('error', `The new list did not arrive: ${messageOf(thrown)}`)
    }
  }

  private lost(client: Client, transport: Transport): void {
    if (this.client !== client) return
    this.client = null
    const ended = transport instanceof StdioTransport ? transport.ended : null
    this.log('end', ended === null ? 'The connection ended.' : `exit code ${ended.code ?? 'unknown'}`)
    if (this.isClosed) return
    const { status } = this
    if (status.kind === 'connected' && this.options.clock.now() - status.since >= STEADY_AFTER)
      this.failures = 0
    this.failed(ended === null ? 'The connection ended.' : this.endText(ended))
  }

  /** Tries again after a pause. */
  private failed(message: string): void {
    const { clock } = this.options
    this.client = null
    if (this.isClosed) return
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.failures++)
    this.log('error', message)
    this.setStatus({ kind: 'failed', message, retryAt: clock.now() + pause })
    const retry = new AbortController()
    this.retry = retry
    void clock.sleep(pause, retry.signal).then(() => {
      if (!retry.signal.aborted) void this.start()
    })
  }

  private async disconnect(): Promise<void> {
    this.retry?.abort()
    await this.starting
    const { client, transport } = this
    this.client = null
    this.transport = null
    await client?.close().catch(() => {})
    await transport?.close().catch(() => {})
  }

  private setStatus(status: McpStatus): void {
    this.status = status
    this.options.onChange('state')
  }
}

const takesSignIn = (
  transport: Transport | null,
): transport is SSEClientTransport | StreamableHTTPClientTransport =>
  transport instanceof StreamableHTTPClientTransport || transport instanceof SSEClientTransport
