/** The window's commands about newer versions of this program. */
import { z } from 'zod'
import { command, none } from '../kernel/command.ts'
import type { Settings } from '../settings/settings.ts'

/** How a newer version gets onto this machine. */
export type UpdateWay =
  /** The program installs it, and starts again. */
  | { readonly kind: 'self' }
  /** The user types this. */
  | { readonly kind: 'command'; readonly command: string }
  /** The user fetches the package for this system there. */
  | { readonly kind: 'fetch'; readonly url: string }

export type UpdateFound =
  | { readonly kind: 'newest' }
  /** `notes`: markdown; null: the release has none. */
  | {
      readonly kind: 'newer'
      readonly version: string
      readonly notes: string | null
      readonly way: UpdateWay
    }
  /** Runs after the next start. */
  | { readonly kind: 'installed'; readonly version: string }
  | { readonly kind: 'failed'; readonly message: string }

export interface UpdateState {
  /** What the last check found; null: none was made. */
  readonly found: UpdateFound | null
  /** ms since the epoch. */
  readonly checkedAt: number | null
  readonly work: 'checking' | 'fetching' | 'installing' | null
  /** Whether the user wants to hear of it later: at the next daily check. */
  readonly isLater: boolean
}

export const updateContract = {
  /** Asks the address of the settings now. The delta `update` follows each change. */
  'update.check': command<UpdateState>()(() => none),
  /** Hides the notice in all windows. */
  'update.later': command<UpdateState>()(() => none),
  /**
   * Fetches the newer version, checks it, asks if agents are working, installs it and starts the program again. Fails with
   * `settings`, `unreachable`, `not-signed`, `not-there`, `not-installed` or `busy`.
   */
  'update.install': command<'installed' | 'canceled'>()(() => none),
  /**
   * Sets the address and the key of updates, after a question of the program's own if both are there. Null: the user
   * declined. Fails with `settings` or `not-saved`.
   */
  'update.source': command<Settings | null>()(() =>
    z.object({ url: z.string().max(500), key: z.string().max(500) }),
  ),
} as const
