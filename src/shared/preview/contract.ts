/** The window's commands about the preview of a worktree's server. A window shows one at a time. */
import { z } from 'zod'
import { command, id, none, path } from '../kernel/command.ts'
import type { PreviewState } from './preview.ts'

/** After the origin of the server: the page can't leave it. */
const address = z.string().regex(/^\//).max(4000)
const length = z.number().min(0).max(20_000)

export const previewContract = {
  /**
   * Shows the page of a run command's server, in place of the preview that the window shows. Its changes arrive as
   * `preview` deltas. It is seen once it has a place. Fails with `no-server`.
   */
  'preview.open': command<PreviewState>()(() =>
    z.object({ folder: path, id, name: z.string().min(1).max(30), path: address }),
  ),
  /** Where the page lies now; null: it is not seen, and rests. */
  'preview.place': command<void>()(() =>
    z.object({
      place: z
        .object({ x: length, y: length, width: length, height: length, zoom: z.number().min(0.2).max(1) })
        .nullable(),
    }),
  ),
  /** Goes to another address of the same server. Fails with `no-preview`. */
  'preview.go': command<void>()(() => z.object({ path: address })),
  /** `focus`: gives the page the keys. `forget`: the problems until now. */
  'preview.act': command<void>()(() =>
    z.object({ action: z.enum(['back', 'forward', 'reload', 'focus', 'forget']) }),
  ),
  /** Ends the page. */
  'preview.close': command<void>()(() => none),
} as const
