/**
 * Runs the commands of a page: checks name and input against the contract, and always answers. A handler never gets input
 * that the contract does not allow. The window answers what is about itself; features answer everything else, as far as the
 * folder that a command names is one of the user's.
 */
import type { z } from 'zod'
import type { CommandHandlers } from '../../../shared/ipc/handlers.ts'
import {
  type Answer,
  type CommandName,
  type CommandReply,
  commands,
} from '../../../shared/ipc/ipc-contract.ts'
import { fail, type Result } from '../../../shared/kernel/result.ts'
import { NOT_TRUSTED } from '../../../shared/worktrees/review.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'
import type { Folders } from '../folders/folders.ts'
import type { FeatureHandlers, Log, SettingsPort } from '../services.ts'

/** The window that sent a command. */
export interface CommandCall {
  readonly stream: DeltaStream
  /** Sends no delta to that window until it has this command's answer. */
  hold(): void
}

/** What the desktop answers itself: all that no feature does. */
export type WindowHandlers = Omit<CommandHandlers<[CommandCall]>, keyof FeatureHandlers>

interface DispatchOptions {
  readonly handlers: WindowHandlers
  /** Answers all other commands. */
  readonly forward: Forward
  readonly log: Log
}

/** @param input as the contract's entry parsed it */
type Forward = (name: CommandName, input: unknown) => Promise<Result<unknown>>

/** Any handler of the window. */
type Handler = (input: unknown, call: CommandCall) => Promise<Result<unknown>>

interface ForwardOptions {
  readonly handlers: () => Promise<FeatureHandlers>
  readonly folders: Pick<Folders, 'known'>
  readonly settings: Pick<SettingsPort, 'trusts'>
  /** Called after each command that may have changed worktrees, also a failed one: it may have changed a part. */
  readonly worktreesChanged: () => void
}

/** Passes commands on to the features, with the real path of their folder. Those that reach files need a known folder. */
export function forwardTo({ handlers, folders, settings, worktreesChanged }: ForwardOptions): Forward {
  const answerOf = async (name: CommandName, input: object): Promise<Result<unknown>> => {
    const handler = (await handlers())[name as keyof FeatureHandlers]
    return handler(input as never)
  }
  const answerIn = async (name: CommandName, input: { readonly folder: string }) => {
    const folder = await folders.known(input.folder)
    if (!folder.ok) return folder
    // Git reads the repository.
    if (isReview(name) && !settings.trusts(folder.value))
      return fail({ type: 'not-trusted', message: NOT_TRUSTED })
    return answerOf(name, { ...input, folder: folder.value })
  }
  return async (name, input) => {
    const given = input as { readonly folder?: string }
    const { folder } = given
    const answer =
      folder !== undefined && REACHES_FILES.test(name)
        ? await answerIn(name, { ...given, folder })
        : await answerOf(name, given)
    if (isReview(name) && !READS_REVIEW.test(name)) worktreesChanged()
    return answer
  }
}

const isReview = (name: CommandName): boolean => name.startsWith('review.')

const REACHES_FILES = /^(definition|review)\.|^comparison\.suggestCheck$/
const READS_REVIEW = /^review\.(changes|picture|file|conflicts|comment)$/

/** Runs a command from one of the program's pages. Never rejects. */
export type Dispatch = (name: unknown, input: unknown, stream: DeltaStream) => Promise<CommandReply>

export function createDispatch({ handlers, forward, log }: DispatchOptions): Dispatch {
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
    const own = Object.hasOwn(handlers, name) ? (handlers[name as keyof WindowHandlers] as Handler) : null
    const answering = async () => (own === null ? forward(name, parsed.data) : own(parsed.data, call))
    const answer = await answering()
      .then(toAnswer)
      .catch((thrown: unknown) => {
        log.error(`A bug in ${name}`, thrown)
        return failure('bug', BUG_MESSAGE)
      })
    return hold === undefined ? { answer } : { answer, hold }
  }
}

const BUG_MESSAGE =
  'Troupe hit an internal error, so this was not done. Your agents and files are unchanged. See the log file for details (Help, Open log).'

/** A failure without its cause, which stays in this process. */
function toAnswer(result: Result<unknown>): Answer<unknown> {
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
