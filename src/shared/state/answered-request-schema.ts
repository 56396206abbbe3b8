/** The permission requests of an agent that were answered, as checkpoints and the window's port carry them. */
import { z } from 'zod'

export const answeredRequest = z.object({
  requestId: z.string(),
  toolName: z.string(),
  /** "run a command", "write src/a.ts": completes "AGENT wanted to …". */
  action: z.string(),
  /** The first line of the command, path or address; empty for a change of a file. */
  text: z.string(),
  decision: z.enum(['allow-once', 'allow-always', 'deny']),
  /** The user's feedback with a denial. */
  feedback: z.string().nullable(),
  /** The rule that the answer saved, or that answered; null: none. */
  rule: z.string().nullable(),
  /** `rules`: a change of the rules decided about the call. */
  answeredBy: z.enum(['user', 'rules']),
  /** ms since the epoch. */
  at: z.number(),
})
