/**
 * The process of an external agent, and its wire: one JSON-RPC message a line. It runs under the guard of MCP
 * servers, so it never outlives this program.
 */

import { ReadableStream } from 'node:stream/web'
import type { Stream } from '@agentclientprotocol/sdk'
import { describeLaunch } from '../../../../shared/agent-definition/external-agent-launch.ts'
import type { DefinitionSnapshot } from '../../../../shared/events/agent-event.ts'
import { writeProgramFailure } from '../../../../shared/external-agents/program-failure.ts'
import { maskSecrets } from '../../../../shared/kernel/mask-secrets.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { failedRun } from '../../../platform/acp/turn-end.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { RunEnd } from '../../../runtime/ports/run-end.ts'
import { type ServerCommand, startGuarded } from '../../mcp/guarded-process.ts'

/** Bytes of one message. A program that writes a longer one is ended. */
const LONGEST_MESSAGE = 32 * 1024 * 1024
/** Lines that are no message. Some programs print a few; one that prints more does not speak the protocol. */
const MOST_NOISE = 100
/** Messages handled in a row before other work gets its turn: a program that floods must not stall this one. */
const MOST_IN_A_ROW = 50
/** Characters of the standard error that are kept, and its last lines that are shown. */
const KEPT_ERRORS = 8000
const SHOWN_ERRORS = 5

export interface AgentProcess {
  readonly stream: Stream
  /** Resolves with the exit code when the process has ended; null: a signal ended it, or it could not be started. */
  readonly ended: Promise<number | null>
  /** Ends the process, because what it does can't be used. */
  refuse(why: string): void
  /** Why what it writes can't be used; null: it can. */
  problem(): string | null
  /** The last lines of its standard error, without secrets. */
  lastErrors(): string
  /** What it says without secrets: those of a well-known form, and the values of its variables that look like keys. */
  withoutSecrets(text: string): string
  /** Ends the process group: SIGTERM, then SIGKILL 2 s later. Resolves when nothing of the group runs any more. */
  end(): Promise<void>
}

export function startAgentProcess(command: ServerCommand): AgentProcess {
  const guarded = startGuarded(command)
  const { child } = guarded
  let errors = ''
  let problem: string | null = null
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-KEPT_ERRORS)
  })
  child.stderr.on('error', () => {})
  child.once('error', (error) => {
    errors += `\n${error.message}`
  })
  const given = secretsIn(command.environment)
  const withoutSecrets = (text: string) =>
    maskSecrets(given.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)).text
  const { ended } = guarded
  const refuse = (why: string) => {
    problem ??= why
    guarded.end()
  }
  return {
    stream: {
      readable: ReadableStream.from(messagesOf(child.stdout, refuse)) as Stream['readable'],
      writable: new WritableStream({
        write: (message) =>
          new Promise<void>((resolve, reject) => {
            child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
          }),
      }),
    },
    ended,
    refuse,
    problem: () => problem,
    lastErrors: () => shownErrors(withoutSecrets(errors)),
    withoutSecrets,
    async end() {
      child.stdin.end()
      guarded.end()
      await Promise.all([ended, guarded.gone])
    },
  }
}

/** Backpressure: the next line is read when the last one was taken. */
async function* messagesOf(
  stdout: AsyncIterable<Buffer>,
  refuse: (why: string) => void,
): AsyncGenerator<object> {
  let noise = 0
  let inARow = 0
  try {
    for await (const line of linesOf(stdout)) {
      if (++inARow % MOST_IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve))
      const message = messageIn(line)
      if (message !== null) yield message
      else if (line.trim() !== '' && ++noise > MOST_NOISE) {
        refuse('It writes text that is not the Agent Client Protocol.')
        return
      }
    }
  } catch (thrown) {
    // The guard has closed the pipe of an ended process, which something that it left behind held open.
    if (codeOf(thrown) === 'ERR_STREAM_PREMATURE_CLOSE') return
    refuse(thrown instanceof TooLong ? thrown.message : 'Its output could not be read.')
  }
}

/** A JSON-RPC message; null: anything else. */
function messageIn(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return 'method' in value || ('id' in value && ('result' in value || 'error' in value)) ? value : null
  } catch {
    return null
  }
}

async function* linesOf(stdout: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdout) {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8')
      rest = []
      bytes = 0
      from = end + 1
    }
    if (from === chunk.length) continue
    rest.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > LONGEST_MESSAGE) throw new TooLong()
  }
}

class TooLong extends Error {
  override readonly message = 'It sent a message of more than 32 MB.'
}

/** A short value is in many words that are no secrets. */
const secretsIn = (environment: ServerCommand['environment']): readonly string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    /key|token|secret|passw|credential/i.test(name) && value.length >= 8 ? [value] : [],
  )

function shownErrors(errors: string): string {
  const lines = errors.split('\n').flatMap((line) => {
    const text = makeVisible(line).trim()
    return text === '' ? [] : [text.slice(0, 500)]
  })
  return lines.slice(-SHOWN_ERRORS).join('\n')
}

/** ms in which a process whose pipe has closed mostly ends, which says more than the error of the pipe. */
const SOON = 300

/**
 * A failure with what the program said last, and what to do. A process that runs on is left alone: other sessions may
 * use it.
 *
 * @param why what happened, for a process that runs on
 */
export async function explainedFailure(
  process: AgentProcess,
  why: string,
  { definition, clock }: { readonly definition: DefinitionSnapshot; readonly clock: Clock },
): Promise<RunEnd> {
  const runs = clock.sleep(SOON, new AbortController().signal).then(() => 'runs' as const)
  const code = await Promise.race([process.ended, ...(process.problem() === null ? [runs] : [])])
  const { program, name } = definition
  const line = program === undefined ? name : describeLaunch(program)
  const what =
    process.problem() ??
    (code === 'runs'
      ? process.withoutSecrets(why)
      : code === 127
        ? `The command ${program?.command ?? name} was not found. Install it, or correct command in its definition.`
        : code === null
          ? 'It was ended by a signal, or could not be started.'
          : `It ended with the exit code ${code} before its work was done.`)
  const output = process.lastErrors()
  const tryCommand = code === 127 ? null : line
  return failedRun(writeProgramFailure({ what: `${name} failed. ${what}`, output, tryCommand }))
}
