/** The parts that the entries of the window's contract share; see ipc-contract.ts. */
import { z } from 'zod'

/** A command's input, and the type of its output. `output` exists in the type only. */
export interface CommandShape<I extends z.ZodType, O> {
  readonly input: I
  readonly output?: O
}

/** One entry of the contract: `command<Output>()(inputSchema)`. */
export const command =
  <O>() =>
  <I extends z.ZodType>(input: I): CommandShape<I, O> => ({ input })

export const none = z.object({}).strict()
export const id = z.string().min(1).max(100)
export const path = z.string().min(1).max(4096)
/** An agent of a conversation. */
export const agent = z.object({ agentId: id, conversationId: id })
