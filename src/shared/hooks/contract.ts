/** The window's commands about hooks. */
import { z } from 'zod'
import { command, path } from '../kernel/command.ts'
import type { Result } from '../kernel/result.ts'
import {
  type FolderHooks,
  type HookEvent,
  type HookRun,
  type HookTest,
  hookEvents,
  type NewHook,
  newHookSources,
} from './hooks.ts'

/** Shows, decides and tries the hooks of a folder. */
export interface Hooks {
  state(folder: string): Promise<FolderHooks>
  /** Lets a hook run as it is defined now, or keeps it off. Fails with `not-found` or `io`. */
  decide(folder: string, id: string, decision: 'approved' | 'refused'): Promise<Result<void>>
  /**
   * Adds a hook to a settings file, approved as it is. Fails with `bad-hook`, `taken`, `not-trusted`, `io` or `json`; then
   * the file is unchanged.
   */
  add(folder: string, hook: NewHook): Promise<Result<void>>
  /** Runs the hooks of an event that are on, with a sample input. */
  test(
    folder: string,
    event: HookEvent,
    sample: { readonly tool: string; readonly input: unknown },
  ): Promise<readonly HookTest[]>
}

export const hooksContract = {
  /** The hooks of a folder, and their runs since the program started, the oldest first. */
  'hooks.state': command<FolderHooks & { readonly runs: readonly HookRun[] }>()(() =>
    z.object({ folder: path }),
  ),
  /** Lets a hook run as it is defined now, or keeps it off. */
  'hooks.decide': command<void>()(() =>
    z.object({ folder: path, id: z.string().min(1).max(1000), decision: z.enum(['approved', 'refused']) }),
  ),
  /** Adds a hook of the user to a settings file. */
  'hooks.add': command<void>()(() =>
    z.object({
      folder: path,
      source: z.enum(newHookSources),
      event: z.enum(hookEvents),
      matcher: z.string().max(500),
      command: z.string().min(1).max(4096),
      timeout: z.number().positive().max(3600).nullable(),
    }),
  ),
  /** Runs the hooks of an event that are on, with a sample. */
  'hooks.test': command<readonly HookTest[]>()(() =>
    z.object({
      folder: path,
      event: z.enum(hookEvents),
      tool: z.string().max(200),
      input: z.record(z.string(), z.unknown()),
    }),
  ),
} as const
