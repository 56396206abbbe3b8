/**
 * The calls of one server that are in flight. Each has a time limit; past it a call goes on in the background, as a
 * command of its agent, or is canceled where that can't be.
 */
import type { Client } from '@modelcontextprotocol/client'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import type { McpLogLine } from '../../../shared/mcp/mcp.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import {
  type BackgroundWork,
  type ToolContext,
  type ToolOutcome,
  toolError,
} from '../../runtime/ports/tool.ts'
import type { Asker } from './server-questions.ts'

/** ms. Timers accept no longer time. */
const NO_LIMIT = 2 ** 31 - 1

/** One call of an agent. */
export type ServerCall = Pick<
  ToolContext,
  'signal' | 'onOutput' | 'askForm' | 'askModel' | 'toBackground' | 'holdChanges'
>

/** The connection, as its calls use it. */
interface CallsHome {
  readonly name: string
  /** In ms. */
  readonly timeoutMs: number
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  log(kind: McpLogLine['kind'], text: string): void
  start(): Promise<void>
  /** Null: it is not connected. */
  client(): Client | null
  /** Why the server can't be used, as a sentence. */
  whyNot(): string
  /** Whether the failure means that the user has to sign in; the state says so afterwards. */
  needsSignIn(thrown: unknown): boolean
  /** Repeats a request after each sign-in that the server asks for. */
  signedIn<T>(request: () => Promise<T>): Promise<T>
}

interface WantedCall {
  /** For the log: "call search". */
  readonly what: string
  /** For the agent: "Call of mcp__github__search". */
  readonly title: string
  readonly run: (client: Client, options: Parameters<Client['callTool']>[1]) => Promise<ToolOutcome>
}

interface InFlight extends Asker {
  onOutput: (text: string) => void
  goesOn: boolean
}

export class ServerCalls {
  private readonly home: CallsHome
  /** Oldest first. */
  private readonly calls: InFlight[] = []

  constructor(home: CallsHome) {
    this.home = home
  }

  /** A server's question does not say to which call it belongs: the newest one is taken. */
  newest(): Asker | null {
    return this.calls.at(-1) ?? null
  }

  /** Never rejects. */
  async run(wanted: WantedCall, call: ServerCall): Promise<ToolOutcome> {
    const { name, timeoutMs, clock } = this.home
    await this.home.start()
    const client = this.home.client()
    if (client === null)
      return toolError(
        `The MCP server ${name} can't be used: ${this.home.whyNot()} Continue without it, or try again later.`,
      )
    const stopping = new AbortController()
    const stop = () => stopping.abort(call.signal.reason)
    if (call.signal.aborted) stop()
    call.signal.addEventListener('abort', stop, { once: true })
    const inFlight: InFlight = {
      onOutput: call.onOutput,
      askForm: call.askForm,
      askModel: call.askModel,
      questions: 0,
      goesOn: false,
    }
    const done = this.send(wanted, { client, inFlight, signal: stopping.signal })
    const answered = new AbortController()
    const late = clock.sleep(timeoutMs, answered.signal).then(() => null)
    const outcome = await Promise.race([done, late])
    answered.abort()
    if (outcome !== null) {
      call.signal.removeEventListener('abort', stop)
      return outcome
    }
    const gone =
      call.toBackground?.({ title: wanted.title, done, stop: () => stopping.abort() }) ?? 'it can not go on'
    if (typeof gone === 'string') {
      stopping.abort()
      await done
      return tooLate(this.home, gone)
    }
    // The call ends with the agent's run or with TaskStop now, no longer with the call that the model made.
    call.signal.removeEventListener('abort', stop)
    inFlight.goesOn = true
    inFlight.onOutput = gone.onOutput
    const endChanges = call.holdChanges?.()
    if (endChanges) void done.then(endChanges)
    return goesOn(this.home, gone)
  }

  private async send(
    { what, run }: WantedCall,
    { client, inFlight, signal }: { client: Client; inFlight: InFlight; signal: AbortSignal },
  ): Promise<ToolOutcome> {
    const { home } = this
    const { name, clock } = home
    const startedAt = clock.now()
    this.calls.push(inFlight)
    try {
      const outcome = await home.signedIn(() =>
        run(client, {
          signal,
          timeout: NO_LIMIT,
          onprogress: ({ progress, total, message }) =>
            inFlight.onOutput(`${message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`}\n`),
        }),
      )
      home.log('call', `${what} · ${clock.now() - startedAt} ms${outcome.isError ? ' · failed' : ''}`)
      return outcome
    } catch (thrown) {
      const reason = messageOf(thrown)
      home.log('error', `${what}: ${reason}`)
      if (signal.aborted) return toolError('This call was stopped before the server answered.', 'stopped')
      if (home.needsSignIn(thrown))
        return toolError(`The MCP server ${name} can't be used: ${home.whyNot()} Continue without it.`)
      if (home.client() !== client)
        return toolError(
          `The MCP server ${name} ended during this call, so its result is unknown. ${home.whyNot()} Check what it did before you call it again.`,
        )
      return toolError(
        `The MCP server ${name} refused the call: ${reason}\nChange the input, or continue without the call.`,
      )
    } finally {
      this.calls.splice(this.calls.indexOf(inFlight), 1)
    }
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`

function goesOn({ name, timeoutMs }: CallsHome, { id }: BackgroundWork): ToolOutcome {
  return {
    isError: false,
    note: 'in the background',
    content: `The MCP server ${name} has not answered within ${seconds(timeoutMs)}, so the call goes on in the background; its id is ${id}. Read its result with TaskOutput (task_id "${id}"; block: false returns at once), or cancel it with TaskStop. A notice tells you when it ends. Do not repeat the call meanwhile: it may take effect twice.`,
  }
}

function tooLate({ name, timeoutMs }: CallsHome, reason: string): ToolOutcome {
  return toolError(
    `The MCP server ${name} did not answer within ${seconds(timeoutMs)}, so the call was canceled; it could not go on in the background: ${sentence(reason)} It may have taken effect: check first. A longer limit is the entry’s "timeout", in ms.`,
    'timed out',
  )
}
