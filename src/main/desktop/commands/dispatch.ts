/**
 * Runs the commands of a page: checks name and input against the contract, and always answers. A handler
 * never gets input that the contract does not allow.
 */
import type { z } from 'zod'
import {
  type Answer,
  type CommandName,
  type CommandReply,
  commands,
} from '../../../shared/ipc/ipc-contract.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'
import type { Log } from '../services.ts'
import type { CommandCall, CommandHandlers } from './command-handlers.ts'

interface DispatchOptions {
  readonly handlers: CommandHandlers
  readonly log: Log
}

/** Runs a command from one of the program's pages. Never rejects. */
export type Dispatch = (name: unknown, input: unknown, stream: DeltaStream) => Promise<CommandReply>

export function createDispatch({ handlers, log }: DispatchOptions): Dispatch {
  return async (name, input, stream) => {
    if (!isCommand(name)) return { answer: failure('unknown-command', unknownMessage(name)) }
    const parsed = (commands[name].input as z.ZodType).safeParse(input)
    if (!parsed.success) {
      log.error(`Refused ${name}: ${wrongFields(parsed.error)}`)
      return { answer: failure('bad-input', badInputMessage(name, parsed.error)) }
    }
    let hold: number | undefined
    const call: CommandCall = {
      stream,
      hold: () => {
        hold ??= stream.hold()
      },
    }
    const answer = await answerTo(handlers[name], parsed.data, call).catch((thrown: unknown) => {
      log.error(`A bug in ${name}`, thrown)
      return failure('bug', BUG_MESSAGE)
    })
    return hold === undefined ? { answer } : { answer, hold }
  }
}

const BUG_MESSAGE =
  'Troupe hit an internal error, so this was not done. Your agents and files are unchanged. See the log file for details (Help, Open log).'

/** @param input as the contract's entry for this handler parsed it */
async function answerTo(
  handler: CommandHandlers[CommandName],
  input: unknown,
  call: CommandCall,
): Promise<Answer<unknown>> {
  const result: Result<unknown> = await handler(input as never, call)
  return result.ok ? { ok: true, value: result.value } : failure(result.failure.type, result.failure.message)
}

function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commands, name)
}

function failure(type: string, message: string): Answer<never> {
  return { ok: false, failure: { type, message } }
}

function unknownMessage(name: unknown): string {
  return `Unknown command “${String(name).slice(0, 60)}”: the window and the program may be of different versions. Restart Troupe.`
}

function badInputMessage(name: string, error: z.ZodError): string {
  return `Invalid input for “${name}”, so nothing was done. ${wrongFields(error)}`
}

/** Names the invalid fields and the reasons, never the values: a value may be a key. */
function wrongFields(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
    .join('; ')
}
