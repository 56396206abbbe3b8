/** The labels of the permission modes, from least to most permissive. */
import { modeMeanings } from '../../../shared/permissions/mode-meanings.ts'
import type { EffectiveMode, PermissionMode } from '../../../shared/permissions/permission-modes.ts'

interface ModeText {
  readonly value: PermissionMode
  readonly label: string
  readonly hint: string
}

const ORDER: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']

export const PERMISSION_MODES: readonly ModeText[] = ORDER.map((value) => ({
  value,
  label: modeMeanings[value].label,
  hint: modeMeanings[value].meaning,
}))

export function modeLabel(mode: PermissionMode): string {
  return PERMISSION_MODES.find((other) => other.value === mode)?.label ?? mode
}

/** The effective mode of an agent: its label, and whether the agent is denied instead of asking. */
export function modeText({ permissionMode, neverAsks }: EffectiveMode): string {
  return `${modeLabel(permissionMode)}${neverAsks ? ', denies instead of asking' : ''}`
}
