/** The shape of what answers the window's commands: one function for each entry of the contract. */
import type { z } from 'zod'
import type { CommandName, CommandOutput, Commands } from '../../../shared/ipc-contract.ts'
import type { Result } from '../../../shared/result.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'

/** The call a command came with. */
export interface CommandCall {
  /** The stream of the window that asks. */
  readonly stream: DeltaStream
  /** From now on no delta is sent to that window until it has this command's answer. */
  hold(): void
}

/** Answers one command. Failures of the day are values; what is thrown counts as a bug. */
export type CommandHandler<N extends CommandName> = (
  input: z.output<Commands[N]['input']>,
  call: CommandCall,
) => Promise<Result<CommandOutput<N>>>

export type CommandHandlers = { readonly [N in CommandName]: CommandHandler<N> }

/** The handlers of one noun: `folder.open`, `folder.trust` … */
export type HandlersOf<Noun extends string> = {
  readonly [N in Extract<CommandName, `${Noun}.${string}`>]: CommandHandler<N>
}
