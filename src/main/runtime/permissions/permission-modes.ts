/** How much each mode allows, from least to most. */
import type { PermissionMode } from '../../../shared/agent-event.ts'

const order: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']

/** The mode a child gets: what it wants (null: the same as its parent), but never more than its parent has. */
export function narrowerMode(parent: PermissionMode, wanted: PermissionMode | null): PermissionMode {
  if (wanted === null) return parent
  return order.indexOf(wanted) < order.indexOf(parent) ? wanted : parent
}
