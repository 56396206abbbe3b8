/** The permission modes in words, from least to most allowed. */
import type { PermissionMode } from '../../shared/agent-event.ts'

interface ModeWords {
  readonly value: PermissionMode
  readonly label: string
  readonly hint: string
}

export const PERMISSION_MODES: readonly ModeWords[] = [
  { value: 'plan', label: 'Plan only', hint: 'Agents read and plan; they change nothing.' },
  { value: 'dontAsk', label: 'Never ask', hint: 'What would need your word is denied.' },
  { value: 'default', label: 'Ask before edits', hint: 'Agents ask before they change or run anything.' },
  { value: 'acceptEdits', label: 'Accept edits', hint: 'Files are changed unasked; commands still ask.' },
  {
    value: 'bypassPermissions',
    label: 'Bypass permissions',
    hint: 'Everything runs unasked. Only in folders you marked.',
  },
]

export function modeLabel(mode: PermissionMode): string {
  return PERMISSION_MODES.find((other) => other.value === mode)?.label ?? mode
}
