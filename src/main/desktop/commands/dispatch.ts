/**
 * Runs the commands of a page: checks name and input against the contract, and always answers. A handler never gets input
 * that the contract does not allow. The window answers what is about itself; features answer everything else, as far as the
 * folder that a command names is one of the user's.
 */
import { type CommandHandlers, checkedInput } from '../../../shared/ipc/handlers.ts'
import {
  type Answer,
  answeredAsText,
  type CommandName,
  type CommandReply,
} from '../../../shared/ipc/ipc-contract.ts'
import { fail, type Result } from '../../../shared/kernel/result.ts'
import { NOT_TRUSTED } from '../../../shared/worktrees/review.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'
import type { Folders } from '../folders/folders.ts'
import type { Log } from '../log.ts'
import type { FeatureHandlers, SettingsPort } from '../services.ts'

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
  /**
   * Called after each command that may have changed worktrees, also a failed one: it may have changed a part.
   * @param mergedIn the folder in which a worktree was merged; null: none was
   */
  readonly worktreesChanged: (mergedIn: string | null) => void
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
    if (isReview(name) && !READS_REVIEW.test(name))
      worktreesChanged(answer.ok && MERGES.test(name) ? (folder ?? null) : null)
    return answer
  }
}

const isReview = (name: CommandName): boolean => name.startsWith('review.')

const REACHES_FILES = /^(definition|review|agentTests)\.|^comparison\.(suggestCheck|uncommitted)$/
const MERGES = /^review\.(merge|mergeResolved)$/
const READS_REVIEW = /^review\.(conversations|changes|picture|file|conflicts|comment)$/

/** Runs a command from one of the program's pages. Never rejects. */
export type PageDispatch = (name: unknown, input: unknown, stream: DeltaStream) => Promise<CommandReply>

export function createDispatch({ handlers, forward, log }: DispatchOptions): PageDispatch {
  return async (given, input, stream) => {
    const checked = checkedInput(given, input)
    if (!checked.ok) {
      log.error(checked.failure.message)
      return { answer: toAnswer(checked) }
    }
    const name = given as CommandName
    let hold: number | undefined
    const call: CommandCall = {
      stream,
      hold: () => {
        hold ??= stream.hold()
      },
    }
    const own = Object.hasOwn(handlers, name) ? (handlers[name as keyof WindowHandlers] as Handler) : null
    const answering = async () => (own === null ? forward(name, checked.value) : own(checked.value, call))
    const answer = await answering()
      .then((result) => (AS_TEXT.has(name) ? JSON.stringify(toAnswer(result)) : toAnswer(result)))
      .catch((thrown: unknown) => {
        log.error(`A bug in ${name}`, thrown)
        return failure('bug', BUG_MESSAGE)
      })
    return hold === undefined ? { answer } : { answer, hold }
  }
}

const AS_TEXT: ReadonlySet<CommandName> = new Set<CommandName>(answeredAsText)

const BUG_MESSAGE =
  'Troupe hit an internal error, so this was not done. Your agents and files are unchanged. See the log file for details (Help, Open log).'

/** A failure without its cause, which stays in this process. */
function toAnswer(result: Result<unknown>): Answer<unknown> {
  return result.ok ? { ok: true, value: result.value } : failure(result.failure.type, result.failure.message)
}

function failure(type: string, message: string): Answer<never> {
  return { ok: false, failure: { type, message } }
}
