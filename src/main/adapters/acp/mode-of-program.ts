/** The mode of an external agent that is like Troupe's permission mode. */
import type { ProgramOption } from '../../../shared/agent-program.ts'
import type { PermissionMode } from '../../../shared/permission-modes.ts'

/**
 * Ids of modes, the best first. A mode never lets the program decide more by itself than Troupe's mode does: what it asks
 * then, Troupe answers by the user's rules and mode, so `bypassPermissions` needs no mode that asks nothing.
 */
const LIKE: Readonly<Record<PermissionMode, readonly string[]>> = {
  default: ['default', 'ask', 'read-only'],
  acceptEdits: ['acceptEdits', 'autoEdit', 'auto_edit', 'default', 'ask', 'read-only'],
  plan: ['plan', 'read-only'],
  dontAsk: ['dontAsk', 'default', 'ask', 'read-only'],
  bypassPermissions: ['acceptEdits', 'autoEdit', 'auto_edit', 'default', 'ask', 'read-only'],
}

/** The id of the mode, or null: the program offers none that is like it. */
export function modeOfProgram(
  { values }: Pick<ProgramOption, 'values'>,
  mode: PermissionMode,
): string | null {
  const plain = (id: string) => id.toLowerCase().replace(/[\s_-]/g, '')
  for (const wanted of LIKE[mode]) {
    const found = values.find(({ id }) => plain(id) === plain(wanted))
    if (found !== undefined) return found.id
  }
  return null
}
