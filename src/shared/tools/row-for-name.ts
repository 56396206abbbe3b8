import { PROGRAM_CALL, programCallRow } from './program-call-row.ts'
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
