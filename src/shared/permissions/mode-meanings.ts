/**
 * What each permission mode means, in the words that the window's menu, the agents' prompts and the docs share. From
 * least to most allowed.
 */
import type { PermissionMode } from './permission-modes.ts'

/** A command in the sandbox writes what Edit and Write could, so the modes speak of both. */
const COMMANDS_IN_SANDBOX = 'commands in the sandbox run without asking and can change files in the folder'

interface ModeMeaning {
  readonly label: string
  /** One sentence. */
  readonly meaning: string
}

export const modeMeanings: Readonly<Record<PermissionMode, ModeMeaning>> = {
  plan: { label: 'Plan only', meaning: 'Read-only: no tool and no command changes files.' },
  dontAsk: {
    label: 'Deny instead of asking',
    meaning: `What would ask is denied; ${COMMANDS_IN_SANDBOX}, and so can Edit and Write.`,
  },
  default: {
    label: 'Ask before edits',
    meaning: `Edit and Write ask; ${COMMANDS_IN_SANDBOX}.`,
  },
  acceptEdits: {
    label: 'Accept edits',
    meaning: `Edit and Write change files in the folder without asking; ${COMMANDS_IN_SANDBOX}.`,
  },
  bypassPermissions: {
    label: 'Bypass permissions',
    meaning: 'Everything runs without asking; only in folders that you marked in Settings.',
  },
}
