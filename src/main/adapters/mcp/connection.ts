/**
 * One connection to one MCP server, shared by all agents of a folder. It starts at the first need, reconnects with
 * growing pauses, and never lets a server stall an agent: every wait has a time limit and ends with the caller's signal.
 */
import { pathToFileURL } from 'node:url'
import {
  Client,
  IssuerMismatchError,
  type Tool as McpToolDefinition,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { FormAnswer, FormContent } from '../../../shared/form.ts'
import type { McpLogLine, McpServerState, McpStatus } from '../../../shared/mcp.ts'
import { messageOf } from '../../../shared/result.ts'
import type { Clock } from '../../runtime/ports.ts'
import type { ToolOutcome } from '../../runtime/tool.ts'
import { toolError } from '../../runtime/tool.ts'
import { type OAuthSession, SignInNeeded } from './oauth-session.ts'
import { outcomeOf, resourceOutcome } from './result-content.ts'
import type { ServerConfig } from './server-entry.ts'
import { StdioTransport } from './stdio-transport.ts'

/** ms until the server must have answered the first request. */
const START_LIMIT = 30_000
/** ms until a list must have arrived. */
const LIST_LIMIT = 15_000
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000
/** A connection that lasted this long starts again without a pause. */
const STEADY_AFTER = 60_000
/** Sign-ins in a row that one request may need: the scope may have to grow. */
const MOST_SIGN_INS = 2
const MOST_LOG_LINES = 500
const LONGEST_LOG_LINE = 500

export interface ConnectionOptions {
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
}

/** One call of an agent. */
export interface ServerCall {
  readonly signal: AbortSignal
  readonly onOutput: (text: string) => void
  readonly askForm: (form: FormContent) => Promise<FormAnswer>
}

type Live = Pick<
  McpServerState,
  'status' | 'pid' | 'version' | 'protocol' | 'prompts' | 'resources' | 'log'
> & { readonly tools: readonly McpToolDefinition[] }

export class McpConnection {
  private readonly options: ConnectionOptions
  private status: McpStatus = { kind: 'idle' }
  private client: Client | null = null
  private transport: Transport | null = null
  private starting: Promise<void> | null = null
  private tools: readonly McpToolDefinition[] = []
  private prompts: readonly {
    readonly name: string
    readonly description: string
    readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
  }[] = []
  private resources: readonly { readonly uri: string; readonly name: string }[] = []
  private version: string | null = null
  private protocol: string | null = null
  private readonly lines: McpLogLine[] = []
  private failures = 0
  private retry: AbortController | null = null
  private isClosed = false
  /** The server signs users in as revision 2025-03-26 says: its own address stands for the authorization server. */
  private isOldSignIn = false
  /** The calls in flight, oldest first: a server's question belongs to the newest one. */
  private readonly calls: ServerCall[] = []

  constructor(options: ConnectionOptions) {
    this.options = options
  }

  state(): Live {
    const { status, tools, prompts, resources, version, protocol } = this
    const pid = this.transport instanceof StdioTransport ? this.transport.pid : null
    const names = prompts.map(({ name }) => name)
    return { status, pid, version, protocol, tools, prompts: names, resources, log: [...this.lines] }
  }

  promptList(): typeof this.prompts {
    return this.prompts
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

  /** Ends the connection and its process. */
  async close(): Promise<void> {
    this.isClosed = true
    this.retry?.abort()
    await this.disconnect()
    this.setStatus({ kind: 'idle' })
  }

  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    call: ServerCall,
  ): Promise<ToolOutcome> {
    return this.request(call, `call ${tool}`, async (client, options) =>
      outcomeOf(await client.callTool({ name: tool, arguments: { ...input } }, options)),
    )
  }

  async readResource(uri: string, call: ServerCall): Promise<ToolOutcome> {
    return this.request(call, `read ${uri}`, async (client, options) =>
      resourceOutcome(await client.readResource({ uri }, options)),
    )
  }

  /** The messages of a prompt, as one text. */
  async prompt(name: string, args: Readonly<Record<string, string>>): Promise<string> {
    await this.start()
    if (this.client === null) throw new Error(this.whyNot())
    const { messages } = await this.client.getPrompt(
      { name, arguments: { ...args } },
      { timeout: LIST_LIMIT },
    )
    return messages
      .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
      .join('\n\n')
  }

  // ---- calls -------------------------------------------------------------------------------------

  private async request(
    call: ServerCall,
    what: string,
    run: (client: Client, options: Parameters<Client['callTool']>[1]) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const { name, config, clock } = this.options
    await this.start()
    const { client } = this
    if (client === null)
      return toolError(
        `The MCP server ${name} can't be used: ${this.whyNot()} Continue without it, or try again later.`,
      )
    const startedAt = clock.now()
    this.calls.push(call)
    try {
      const outcome = await this.signedIn(() =>
        run(client, {
          signal: call.signal,
          timeout: config.timeoutMs,
          onprogress: ({ progress, total, message }) =>
            call.onOutput(`${message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`}\n`),
        }),
      )
      this.log('call', `${what} · ${clock.now() - startedAt} ms${outcome.isError ? ' · failed' : ''}`)
      return outcome
    } catch (thrown) {
      const reason = messageOf(thrown)
      this.log('error', `${what}: ${reason}`)
      if (call.signal.aborted)
        return toolError('This call was stopped before the server answered.', 'stopped')
      if (needsSignIn(thrown)) {
        this.setStatus({ kind: 'sign-in' })
        return toolError(`The MCP server ${name} can't be used: ${this.whyNot()} Continue without it.`)
      }
      if (this.client !== client)
        return toolError(
          `The MCP server ${name} ended during this call, so its result is unknown. ${this.whyNot()} Check what it did before you call it again.`,
        )
      if (clock.now() - startedAt >= config.timeoutMs)
        return toolError(
          `The MCP server ${name} did not answer within ${Math.round(config.timeoutMs / 1000)} s, so the call was canceled. It may have taken effect: check first. A longer limit is the entry’s "timeout", in ms.`,
          'timed out',
        )
      return toolError(
        `The MCP server ${name} refused the call: ${reason}\nChange the input, or continue without the call.`,
      )
    } finally {
      this.calls.splice(this.calls.indexOf(call), 1)
    }
  }

  /** Repeats a request after each sign-in that the server asks for, while the user is there for it. */
  private async signedIn<T>(request: () => Promise<T>): Promise<T> {
    const { signIn } = this.options
    for (let times = 0; ; times++) {
      try {
        return await request()
      } catch (thrown) {
        const { transport } = this
        if (!(thrown instanceof UnauthorizedError) || signIn === null || times === MOST_SIGN_INS) throw thrown
        if (!(transport instanceof StreamableHTTPClientTransport)) throw thrown
        await transport.finishAuth(await signIn.redirected())
      }
    }
  }

  private whyNot(): string {
    switch (this.status.kind) {
      case 'failed':
        return this.status.message
      case 'sign-in':
        return 'The user has to sign in first, in Settings › MCP servers.'
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
          `${this.tools.length} ${this.tools.length === 1 ? 'tool' : 'tools'}`,
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
    for (let times = 0; ; times++) {
      const transport = this.openTransport()
      const client = this.createClient()
      this.transport = transport
      client.onclose = () => this.lost(client, transport)
      client.onerror = (error) => this.log('error', error.message)
      try {
        await client.connect(transport, { timeout: START_LIMIT })
        await this.signedIn(() => this.list(client))
        return client
      } catch (thrown) {
        if (!this.isOldSignIn && (await this.signsInAsBefore2025(thrown))) {
          this.isOldSignIn = true
          continue
        }
        if (!(thrown instanceof UnauthorizedError) || signIn === null || times === MOST_SIGN_INS) throw thrown
        if (!(transport instanceof StreamableHTTPClientTransport)) throw thrown
        await transport.finishAuth(await signIn.redirected())
        await transport.close()
      }
    }
  }

  /** Only where the server names no authorization server of its own, and the issuer is at the server's address. */
  private async signsInAsBefore2025(thrown: unknown): Promise<boolean> {
    const { config } = this.options
    if (!(thrown instanceof IssuerMismatchError) || config.kind !== 'http') return false
    const { origin, pathname } = new URL(config.url)
    const paths = [
      `/.well-known/oauth-protected-resource${pathname}`,
      '/.well-known/oauth-protected-resource',
    ]
    const answers = await Promise.all(
      paths.map((path) =>
        fetch(new URL(path, origin), { redirect: 'manual', signal: AbortSignal.timeout(LIST_LIMIT) }),
      ),
    )
    const issuer = thrown.received ?? ''
    return (
      answers.every(({ status }) => status === 404) &&
      URL.canParse(issuer) &&
      new URL(issuer).origin === origin
    )
  }

  private startFailure(thrown: unknown): string {
    const { transport } = this
    const ended = transport instanceof StdioTransport ? transport.ended : null
    const { config } = this.options
    const lastError = this.lines.findLast(({ kind }) => kind === 'stderr')?.text
    if (ended?.code === 127 && config.kind === 'stdio') return `The command ${config.command} was not found.`
    if (ended !== null)
      return `It ended with exit code ${ended.code ?? 'unknown'}${lastError === undefined ? '' : `: ${lastError}`}.`
    return `It did not start: ${messageOf(thrown)}`
  }

  private createClient(): Client {
    const { version, folder, name } = this.options
    const client = new Client(
      { name: 'troupe', version },
      {
        capabilities: { roots: {}, elicitation: { form: {}, url: {} } },
        versionNegotiation: { mode: 'auto' },
        listChanged: {
          tools: { autoRefresh: false, onChanged: () => void this.listAgain(client) },
          prompts: { autoRefresh: false, onChanged: () => void this.listAgain(client) },
          resources: { autoRefresh: false, onChanged: () => void this.listAgain(client) },
        },
      },
    )
    client.setRequestHandler('roots/list', () => ({
      roots: [{ uri: pathToFileURL(folder).href, name: 'project' }],
    }))
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const call = this.calls.at(-1)
      if (call === undefined) return { action: 'cancel' }
      const { message } = params
      const form: FormContent =
        params.mode === 'url'
          ? { kind: 'elicitation-url', server: name, message, url: params.url }
          : { kind: 'elicitation', server: name, message, schema: { ...params.requestedSchema } }
      const answer = await call.askForm(form)
      if (answer.action === 'accept') return { action: 'accept', content: withDefaults(form, answer.values) }
      return { action: answer.action }
    })
    client.setNotificationHandler('notifications/message', ({ params }) => {
      const text = typeof params.data === 'string' ? params.data : JSON.stringify(params.data)
      this.log('message', `${params.level}: ${text}`)
      this.calls.at(-1)?.onOutput(`${text.slice(0, LONGEST_LOG_LINE)}\n`)
    })
    return client
  }

  private openTransport(): Transport {
    const { config, folder, environment } = this.options
    if (config.kind === 'http')
      return new StreamableHTTPClientTransport(new URL(config.url), {
        requestInit: { headers: { ...config.headers } },
        ...(this.options.signIn && { authProvider: this.options.signIn }),
        skipIssuerMetadataValidation: this.isOldSignIn,
      })
    return new StdioTransport({
      command: config.command,
      args: config.args,
      cwd: folder,
      environment: { ...environment, ...config.env },
      onStderr: (text) => {
        for (const line of text.split('\n')) this.log('stderr', line)
      },
      onNoise: (line) => this.log('error', `A line that is not JSON was skipped: ${line}`),
    })
  }

  private async list(client: Client): Promise<void> {
    const limit = { timeout: LIST_LIMIT }
    const capabilities = client.getServerCapabilities() ?? {}
    this.tools = capabilities.tools ? (await client.listTools(undefined, limit)).tools : []
    this.prompts = capabilities.prompts
      ? (await client.listPrompts(undefined, limit)).prompts.map((prompt) => ({
          name: prompt.name,
          description: prompt.description ?? '',
          arguments: (prompt.arguments ?? []).map((one) => ({
            name: one.name,
            required: one.required ?? false,
          })),
        }))
      : []
    this.resources = capabilities.resources
      ? (await client.listResources(undefined, limit)).resources.map(({ uri, name }) => ({ uri, name }))
      : []
  }

  private async listAgain(client: Client): Promise<void> {
    try {
      await this.list(client)
      if (this.client !== client) return
      this.log('ready', `${this.tools.length} tools now`)
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
    this.failed(
      ended === null ? 'The connection ended.' : `It ended with exit code ${ended.code ?? 'unknown'}.`,
    )
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

/** The user's values, and the schema's defaults for the properties that the user left out. */
function withDefaults(
  form: FormContent,
  values: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean | string[]> {
  const properties = form.kind === 'elicitation' ? form.schema['properties'] : undefined
  const defaults = Object.entries(
    (properties ?? {}) as Record<string, { readonly default?: unknown }>,
  ).flatMap(([key, property]) => (property.default === undefined ? [] : [[key, property.default] as const]))
  // The client checks the values against the schema before it sends them.
  return { ...Object.fromEntries(defaults), ...values } as Record<
    string,
    string | number | boolean | string[]
  >
}

/** The SDK may wrap the error. */
function needsSignIn(thrown: unknown): boolean {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause)
    if (cause instanceof SignInNeeded || cause instanceof UnauthorizedError) return true
  return false
}
