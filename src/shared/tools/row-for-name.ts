import type { ToolCallRow } from './tool-call-row.ts'
import { toolFacts } from './tool-facts.ts'
import { canonicalToolName } from './tool-names.ts'

/**
 * The row of a call by its tool's name alone: for calls that have not started, and for events of version 1. A
 * started call brings its own row.
 */
export function rowForName(name: string): ToolCallRow {
  const facts = toolFacts(canonicalToolName(name))
  if (facts) return { kind: facts.kind, icon: facts.icon, label: name }
  if (name.startsWith(PROGRAM_CALL)) return programCallRow(name.slice(PROGRAM_CALL.length))
  const [prefix, server, ...tool] = name.split('__')
  if (prefix !== 'mcp') return { kind: 'other', icon: 'tool', label: name }
  const isWhole = server !== undefined && tool.length > 0
  return { kind: 'other', icon: 'plug', label: isWhole ? `${server} ${tool.join('__')}` : name }
}

/** The names of calls that an external agent makes begin with it; the kind follows. */
export const PROGRAM_CALL = 'acp_'

/** The row of a call that an external agent makes, by the kind that the Agent Client Protocol gives it. */
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
