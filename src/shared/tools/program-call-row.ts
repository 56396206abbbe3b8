/** The rows of calls that an external agent makes, by the kind that the Agent Client Protocol gives them. */
import type { ToolCallRow } from './tool-call-row.ts'

/** The names of such calls begin with it; the kind follows. */
export const PROGRAM_CALL = 'acp_'

export const programCallRow = (kind: string): ToolCallRow =>
  ROWS[kind] ?? { kind: 'other', icon: 'tool', label: 'Tool' }

const ROWS: Readonly<Record<string, ToolCallRow>> = {
  read: { kind: 'read', icon: 'file', label: 'Read' },
  edit: { kind: 'edit', icon: 'file-edit', label: 'Edit' },
  delete: { kind: 'edit', icon: 'file-edit', label: 'Delete' },
  move: { kind: 'edit', icon: 'file-edit', label: 'Move' },
  search: { kind: 'search', icon: 'search', label: 'Search' },
  execute: { kind: 'command', icon: 'terminal', label: 'Run' },
  think: { kind: 'other', icon: 'tool', label: 'Think' },
  fetch: { kind: 'web', icon: 'globe', label: 'Fetch' },
}
