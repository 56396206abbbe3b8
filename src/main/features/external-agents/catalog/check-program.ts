/** Starts a program once, to see what it answers: its name and version, what it can do, and whether it needs a login. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyMessage, InitializeResponse } from '@agentclientprotocol/sdk'
import type { ProgramCheck } from '../../../../shared/external-agents/known-program.ts'
import { fail, messageOf, ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import { type AgentProcess, startAgentProcess } from '../backing/agent-process.ts'
import type { ProgramStart } from './program-start.ts'

interface CheckOptions {
  readonly title: string
  readonly start: Pick<ProgramStart, 'command' | 'args'>
  /** All variables that it gets. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Clock
  /** Ends the check. */
  readonly signal: AbortSignal
  /** ms for all answers together. */
  readonly limit?: number
}

/** The first start of a program may set up a lot. */
const LIMIT = 60_000
/** The JSON-RPC code for "log in first". */
const LOGIN_NEEDED = -32000

/** Fails with `no-answer`; the message has the reason and the program's last lines. It opens a session in an empty folder. */
export async function checkProgram(options: CheckOptions): Promise<Result<Omit<ProgramCheck, 'id'>>> {
  const { start, environment, clock, title, signal, limit = LIMIT } = options
  const folder = await mkdtemp(join(tmpdir(), 'troupe-check-'))
  const began = clock.now()
  const { command, args } = start
  const process = startAgentProcess({ command, args, cwd: folder, environment })
  const over = new AbortController()
  try {
    const late = clock.sleep(limit, AbortSignal.any([over.signal, signal])).then((): Answer => {
      throw new Error(
        signal.aborted ? 'You canceled the check.' : `It gave no answer for ${Math.round(limit / 1000)} s.`,
      )
    })
    const { initialized, login } = await Promise.race([shakeHands(process, folder), late])
    return ok({ ...factsOf(initialized), ms: clock.now() - began, login })
  } catch (thrown) {
    const why =
      process.problem() ?? (await endOf(process, clock)) ?? process.withoutSecrets(messageOf(thrown))
    const errors = process.lastErrors()
    const said = errors === '' ? '' : `\nIts last output:\n${errors}`
    return fail({ type: 'no-answer', message: `${title} does not answer as it should. ${why}${said}` })
  } finally {
    over.abort()
    await process.end()
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** A process whose pipe has closed has mostly ended, which says more than the error of the pipe. Null: it still runs. */
async function endOf({ ended }: AgentProcess, clock: Clock): Promise<string | null> {
  const over = new AbortController()
  const soon = clock.sleep(SOON, over.signal).then(() => 'runs' as const)
  const code = await Promise.race([ended, soon])
  over.abort()
  if (code === 'runs') return null
  return code === null ? 'It could not be started.' : `It ended with the exit code ${code}.`
}

/** ms */
const SOON = 300

interface Answer {
  readonly initialized: InitializeResponse
  readonly login: ProgramCheck['login']
}

async function shakeHands({ stream }: AgentProcess, cwd: string): Promise<Answer> {
  const { client, methods, PROTOCOL_VERSION, RequestError } = await import('@agentclientprotocol/sdk')
  let loggedOut: string | null = null
  const withoutNotices = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      // The SDK would write each notice that it does not know to the standard error.
      if (!('method' in message) || 'id' in message) controller.enqueue(message)
      else if (message.method === '_auth/status_update') loggedOut = loggedOutIn(message.params)
    },
  })
  const { agent } = client({ name: 'troupe' }).connect({
    readable: stream.readable.pipeThrough(withoutNotices),
    writable: stream.writable,
  })
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'troupe', title: 'Troupe', version: '0.1.0' },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  })
  if (initialized.protocolVersion !== PROTOCOL_VERSION)
    throw new Error(
      `It speaks version ${String(initialized.protocolVersion)} of the Agent Client Protocol, and Troupe version ${PROTOCOL_VERSION}.`,
    )
  try {
    await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })
    const login = loggedOut === null ? null : { message: loggedOut, methods: methodsOf(initialized) }
    return { initialized, login }
  } catch (thrown) {
    if (!(thrown instanceof RequestError) || thrown.code !== LOGIN_NEEDED) throw thrown
    return { initialized, login: { message: shortText(thrown.message), methods: methodsOf(initialized) } }
  }
}

function factsOf({
  agentInfo,
  agentCapabilities,
}: InitializeResponse): Omit<ProgramCheck, 'id' | 'ms' | 'login'> {
  const { loadSession, promptCapabilities, mcpCapabilities, sessionCapabilities } = agentCapabilities ?? {}
  return {
    name: agentInfo == null ? null : shortText(agentInfo.title ?? agentInfo.name),
    version: agentInfo == null ? null : shortText(agentInfo.version),
    can: {
      resume: loadSession === true || sessionCapabilities?.resume != null,
      images: promptCapabilities?.image === true,
      mcp: (['http', 'sse'] as const).filter((kind) => mcpCapabilities?.[kind] === true),
    },
  }
}

/** Some programs open a session without a login, and tell the state of the login in a notice of their own. */
function loggedOutIn(params: unknown): string | null {
  const { authStatus } = (params ?? {}) as { authStatus?: { kind?: unknown; label?: unknown } }
  return authStatus?.kind === 'none' ? shortText(authStatus.label ?? 'Not logged in') : null
}

const methodsOf = ({ authMethods }: InitializeResponse) =>
  (authMethods ?? []).map(({ id, name, description }) => ({
    id: shortText(id),
    name: shortText(name),
    description: shortText(description ?? ''),
  }))

const shortText = (text: unknown): string =>
  makeVisible(String(text).replaceAll(/\s+/g, ' ').trim()).slice(0, 300)
