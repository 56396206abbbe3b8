/** The labels of the permission modes, from least to most permissive. */
import type { EffectiveMode, PermissionMode } from '../../shared/permission-modes.ts'

interface ModeText {
  readonly value: PermissionMode
  readonly label: string
  readonly hint: string
}

export const PERMISSION_MODES: readonly ModeText[] = [
  { value: 'plan', label: 'Plan only', hint: "Agents read and plan, but don't change anything." },
  {
    value: 'dontAsk',
    label: 'Deny instead of asking',
    hint: 'Actions that need your permission are denied.',
  },
  { value: 'default', label: 'Ask before edits', hint: 'Agents ask before they change or run anything.' },
  {
    value: 'acceptEdits',
    label: 'Accept edits',
    hint: 'Agents edit files without asking; commands still ask.',
  },
  {
    value: 'bypassPermissions',
    label: 'Bypass permissions',
    hint: 'Agents never ask. Only in folders that allow it.',
  },
]

export function modeLabel(mode: PermissionMode): string {
  return PERMISSION_MODES.find((other) => other.value === mode)?.label ?? mode
}

/** The effective mode of an agent: its label, and whether the agent is denied instead of asking. */
export function modeText({ permissionMode, neverAsks }: EffectiveMode): string {
  return `${modeLabel(permissionMode)}${neverAsks ? ', denies instead of asking' : ''}`
}
