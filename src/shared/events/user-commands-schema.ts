/** Commands that the user runs in the folder: their events, and what is known of the last ones. */
import { z } from 'zod'
import { declareEvent } from './event-schema.ts'

/** `next`: the output goes to the agent with the user's next message; `off`: it does not; `sent`: it did. */
const commandSharing = z.enum(['next', 'off', 'sent'])
export type CommandSharing = z.infer<typeof commandSharing>

const end = {
  /** Null: a signal ended the command, it did not start, or its end is unknown. */
  exitCode: z.number().nullable(),
  /** `user`: the user stopped it; `program`: the program ended; `lost`: the program died. */
  by: z.enum(['exit', 'user', 'program', 'lost']),
  /** Its output, or the reason why it did not start. A long output has its head and tail. */
  output: z.string(),
}

export const userCommandEvents = [
  /** The model does not receive these events. `cwd`: absolute. */
  declareEvent('user-command-started', { commandId: z.string(), command: z.string(), cwd: z.string() }),
  declareEvent('user-command-ended', {
    commandId: z.string(),
    ...end,
    durationMs: z.number(),
    /** The file with the whole output, relative to the data folder; null: `output` is all of it. */
    outputFile: z.object({ path: z.string(), bytes: z.number() }).nullable(),
  }),
  declareEvent('user-command-shared', { commandId: z.string(), sharing: commandSharing }),
] as const

const userCommand = z.object({
  commandId: z.string(),
  command: z.string(),
  cwd: z.string(),
  sharing: commandSharing,
  /** Null: the command runs. */
  ended: z.object(end).nullable(),
})
export type UserCommand = Readonly<z.infer<typeof userCommand>>

export const userCommandState = {
  /** The user's last commands, oldest first. */
  userCommands: z.array(userCommand).default([]),
}
