/** The entries of the window's contract about hooks. */
import { z } from 'zod'
import { type FolderHooks, type HookRun, type HookTest, hookEvents } from '../hooks/hooks.ts'
import { command, path } from './command.ts'

export const hooksCommands = {
  /** The hooks of a folder, and their runs since the program started, the oldest first. */
  'hooks.state': command<FolderHooks & { readonly runs: readonly HookRun[] }>()(z.object({ folder: path })),
  /** Lets a hook run as it is defined now, or keeps it off. */
  'hooks.decide': command<void>()(
    z.object({ folder: path, id: z.string().min(1).max(1000), decision: z.enum(['approved', 'refused']) }),
  ),
  /** Runs the hooks of an event that are on, with a sample. */
  'hooks.test': command<readonly HookTest[]>()(
    z.object({
      folder: path,
      event: z.enum(hookEvents),
      tool: z.string().max(200),
      input: z.record(z.string(), z.unknown()),
    }),
  ),
} as const
