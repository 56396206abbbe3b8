/**
 * The one way in: takes a message from a page, checks who sent it, what it is called and what it holds,
 * and gives back an answer, whatever happens. A handler never sees input that the contract does not allow.
 */
import type { z } from 'zod'
import { type Answer, type CommandName, type CommandReply, commands } from '../../../shared/ipc-contract.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'
import type { Log } from '../services.ts'
import type { CommandCall, CommandHandlers } from './command-handlers.ts'

export interface DispatchOptions {
  readonly handlers: CommandHandlers
  readonly log: Log
}

/** Runs a command that came from one of our own pages. Never rejects. */
export type Dispatch = (name: unknown, input: unknown, stream: DeltaStream) => Promise<CommandReply>

export function createDispatch({ handlers, log }: DispatchOptions): Dispatch {
  return async (name, input, stream) => {
    if (!isCommand(name)) return { answer: failure('unknown-command', unknownWords(name)) }
    const parsed = (commands[name].input as z.ZodType).safeParse(input)
    if (!parsed.success) {
      log.error(`Refused ${name}: ${wrongPlaces(parsed.error)}`)
      return { answer: failure('bad-input', badInputWords(name, parsed.error)) }
    }
    let hold: number | undefined
    const call: CommandCall = {
      stream,
      hold: () => {
        hold ??= stream.hold()
      },
    }
    const answer = await run(handlers, name, parsed.data, call).catch((thrown: unknown) => {
      log.error(`A bug in ${name}`, thrown)
      return failure('bug', BUG_WORDS)
    })
    return hold === undefined ? { answer } : { answer, hold }
  }
}

const BUG_WORDS =
  'Something inside Troupe went wrong, and this was not done. Your agents and files are as they were; details are in the log file (Help, Open log).'

async function run(
  handlers: CommandHandlers,
  name: CommandName,
  input: unknown,
  call: CommandCall,
): Promise<Answer<unknown>> {
  const handler = handlers[name] as (
    input: unknown,
    call: CommandCall,
  ) => ReturnType<CommandHandlers['start']>
  const result = await handler(input, call)
  return result.ok ? { ok: true, value: result.value } : failure(result.failure.type, result.failure.message)
}

function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commands, name)
}

function failure(type: string, message: string): Answer<never> {
  return { ok: false, failure: { type, message } }
}

function unknownWords(name: unknown): string {
  return `The window asked for something this program does not know (${String(name).slice(0, 60)}). Restart Troupe: the window and the program may be of different versions.`
}

function badInputWords(name: string, error: z.ZodError): string {
  return `The window asked for “${name}” in a way the program does not understand, so nothing was done. ${wrongPlaces(error)}`
}

/** Which fields are wrong and why; never what was in them, which may be a key. */
function wrongPlaces(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
    .join('; ')
}
