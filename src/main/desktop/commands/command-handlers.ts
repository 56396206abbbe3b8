/** The types of the command handlers: one function for each entry of the contract. */
import type { z } from 'zod'
import type { CommandName, CommandOutput, Commands } from '../../../shared/ipc/ipc-contract.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'

/** The context of a command. */
export interface CommandCall {
  /** The stream of the window that sent the command. */
  readonly stream: DeltaStream
  /** Sends no delta to that window until it has this command's answer. */
  hold(): void
}

/** Answers one command. Expected failures are values; a thrown error is a bug. */
type CommandHandler<N extends CommandName> = (
  input: z.output<Commands[N]['input']>,
  call: CommandCall,
) => Promise<Result<CommandOutput<N>>>

export type CommandHandlers = { readonly [N in CommandName]: CommandHandler<N> }

/** The handlers of one noun: `folder.open`, `folder.trust` … */
export type HandlersOf<Noun extends string> = {
  readonly [N in Extract<CommandName, `${Noun}.${string}`>]: CommandHandler<N>
}
