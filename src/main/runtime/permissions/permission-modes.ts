/** Permission modes in order, from the least to the most permissive. */
import type { PermissionMode } from '../../../shared/agent-event.ts'

const order: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']

/** The mode of a child: the wanted mode (null: its parent's), never more permissive than its parent's. */
export function narrowerMode(parent: PermissionMode, wanted: PermissionMode | null): PermissionMode {
  if (wanted === null) return parent
  return order.indexOf(wanted) < order.indexOf(parent) ? wanted : parent
}
