/** The parts of which the contract with the window consists; see ipc-contract.ts. */
import { z } from 'zod'
import type { Result } from './result.ts'

/** A command's input, and the type of its output. `output` exists in the type only. */
export interface CommandShape<I extends z.ZodType, O> {
  readonly input: I
  readonly output?: O
}

/** The input of a command as its handler gets it: checked, with its defaults. */
export type InputOf<C> = C extends CommandShape<infer I, unknown> ? z.output<I> : never
export type OutputOf<C> = C extends CommandShape<z.ZodType, infer O> ? O : never

/** A port whose methods answer the commands of a noun: `approve` answers `mcp.approve`, with its input as it is. */
export type PortOf<Contract, Noun extends string> = {
  readonly [N in keyof Contract as N extends `${Noun}.${infer Method}` ? Method : never]: InputOf<
    Contract[N]
  > extends Record<string, never>
    ? () => Promise<Result<OutputOf<Contract[N]>>>
    : (input: InputOf<Contract[N]>) => Promise<Result<OutputOf<Contract[N]>>>
}

/** One entry of the contract: `command<Output>()(() => inputSchema)`. A schema is made when its command is first used. */
export const command =
  <O>() =>
  <I extends z.ZodType>(make: () => I): CommandShape<I, O> => {
    let made: I | null = null
    return {
      get input() {
        made ??= make()
        return made
      },
    }
  }

export const none = z.object({}).strict()
export const id = z.string().min(1).max(100)
export const path = z.string().min(1).max(4096)
/** An agent of a conversation. */
export const agent = z.object({ agentId: id, conversationId: id })
