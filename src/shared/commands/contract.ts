/** The window's commands about keys. */
import { z } from 'zod'
import { command, none } from '../kernel/command.ts'
import type { KeyBindings } from './key-bindings.ts'

const actionId = z.string().min(1).max(100)

export const keysContract = {
  'keys.state': command<KeyBindings>()(none),
  /** Gives an action other keys; null: none. Fails with `bad-keys`, `not-found` or `not-saved`. */
  'keys.set': command<KeyBindings>()(z.object({ id: actionId, keys: z.string().min(1).max(60).nullable() })),
  /** Gives actions their default keys again; null: all. Fails as `keys.set`. */
  'keys.reset': command<KeyBindings>()(z.object({ ids: z.array(actionId).min(1).max(500).nullable() })),
} as const
