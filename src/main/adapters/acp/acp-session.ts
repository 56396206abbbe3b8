/** One session of a program of another maker: the handshake, prompts, and its questions to this program. */
import type {
  AnyMessage,
  ClientConnection,
  ContentBlock,
  InitializeResponse,
  PromptResponse,
  ReadTextFileRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  Stream,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import type { Clock } from '../../runtime/ports.ts'
import type { AcpProcess } from './acp-process.ts'

/** The JSON-RPC code for "log in first". */
const LOGIN_NEEDED = -32000

/** What the program asks of Troupe. A rejection becomes the error of its request. */
export interface SessionHost {
  update(update: SessionUpdate): void
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>
  readFile(request: ReadTextFileRequest): Promise<string>
  writeFile(request: WriteTextFileRequest): Promise<void>
}

export interface AcpSession {
  /** "Gemini CLI 0.12.0", as the program calls itself; null: it does not say. */
  readonly agentName: string | null
  readonly takesImages: boolean
  /** Rejects if the process ends or answers with an error. */
  prompt(content: readonly ContentBlock[]): Promise<PromptResponse>
  cancel(): void
}

export interface OpenOptions {
  readonly process: AcpProcess
  readonly host: SessionHost
  /** The agent's folder. Absolute. */
  readonly cwd: string
  readonly clock: Clock
  /** ms for each answer of the handshake. */
  readonly startLimit: number
  readonly signal: AbortSignal
}

/** Fails with `no-answer`, `wrong-version`, `login` or `protocol`; the message is for the user. */
export async function openSession(options: OpenOptions): Promise<Result<AcpSession>> {
  const { process, host, cwd, signal } = options
  const { client, methods, PROTOCOL_VERSION, RequestError } = await import('@agentclientprotocol/sdk')
  const answering = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (thrown) {
      throw thrown instanceof RequestError ? thrown : new RequestError(-32603, messageOf(thrown))
    }
  }
  const connection = client({ name: 'troupe' })
    .onRequest(methods.client.session.requestPermission, ({ params }) =>
      answering(() => host.permission(params)),
    )
    .onRequest(methods.client.fs.readTextFile, ({ params }) =>
      answering(async () => ({ content: await host.readFile(params) })),
    )
    .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
      answering(async () => {
        await host.writeFile(params)
        return {}
      }),
    )
    .connect(withoutUpdates(process.stream, host))
  const initialized = await within(options, () =>
    connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'troupe', title: 'Troupe', version: '0.1.0' },
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
    }),
  )
  if (!initialized.ok) return initialized
  const { protocolVersion, authMethods } = initialized.value
  if (protocolVersion !== PROTOCOL_VERSION)
    return fail({
      type: 'wrong-version',
      message: `It speaks version ${String(protocolVersion)} of the Agent Client Protocol, and Troupe version ${PROTOCOL_VERSION}. Install another version of it.`,
    })
  const opened = await within(options, () =>
    connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
  )
  if (!opened.ok) return opened.failure.code === LOGIN_NEEDED ? fail(loginNeeded(authMethods)) : opened
  const { sessionId } = opened.value
  if (signal.aborted || typeof sessionId !== 'string')
    return fail({ type: 'protocol', message: 'It began no session.' })
  return ok(sessionOf({ connection, sessionId, initialized: initialized.value, methods }))
}

/**
 * Takes the updates out of the stream, in their order. The SDK would write each one that it does not know, such as those of
 * newer programs, to the standard error.
 */
function withoutUpdates({ readable, writable }: Stream, host: SessionHost): Stream {
  const taking = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!('method' in message) || message.method !== 'session/update') controller.enqueue(message)
      else if (isRecord(message.params) && isRecord(message.params['update']))
        host.update(message.params['update'] as SessionUpdate)
    },
  })
  return { readable: readable.pipeThrough(taking), writable }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function sessionOf({
  connection,
  sessionId,
  initialized,
  methods,
}: {
  readonly connection: ClientConnection
  readonly sessionId: string
  readonly initialized: InitializeResponse
  readonly methods: typeof import('@agentclientprotocol/sdk').methods
}): AcpSession {
  const { agentInfo, agentCapabilities } = initialized
  return {
    agentName:
      agentInfo == null ? null : shortText(`${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`),
    takesImages: agentCapabilities?.promptCapabilities?.image === true,
    prompt: (content) =>
      connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [...content] }),
    cancel: () => {
      connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined)
    },
  }
}

/** The answer to one request of the handshake, in time. */
async function within<T>(
  { clock, startLimit, signal }: Pick<OpenOptions, 'clock' | 'startLimit' | 'signal'>,
  request: () => Promise<T>,
): Promise<Result<T, { readonly type: string; readonly message: string; readonly code?: number }>> {
  const waiting = new AbortController()
  const late = clock.sleep(startLimit, AbortSignal.any([waiting.signal, signal])).then(() => 'late' as const)
  try {
    const answer = await Promise.race([request().then((value) => ({ value })), late])
    if (answer !== 'late') return ok(answer.value)
    return fail({ type: 'no-answer', message: `It gave no answer for ${Math.round(startLimit / 1000)} s.` })
  } catch (thrown) {
    const code = codeOf(thrown)
    const message = `It answered with an error: ${shortText(messageOf(thrown))}.`
    return fail({ type: 'protocol', message, ...(code !== null && { code }) })
  } finally {
    waiting.abort()
  }
}

function loginNeeded(methods: InitializeResponse['authMethods']) {
  const offered = (methods ?? []).map(({ name, description }) =>
    shortText(description ? `${name} (${description})` : name),
  )
  const ways = offered.length === 0 ? '' : ` It offers: ${offered.join('; ')}.`
  return {
    type: 'login',
    message: `It needs a login. Start the program yourself once, in a terminal, and log in there; then start this agent again.${ways}`,
  }
}

const codeOf = (thrown: unknown): number | null =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'number'
    ? thrown.code
    : null

const shortText = (text: string): string => makeVisible(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 300)
