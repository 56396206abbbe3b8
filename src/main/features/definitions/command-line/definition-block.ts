/** Prints a definition as text: its fields, then its problems. */
import type { AgentDefinition, Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'

export type Problem = Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>

interface Block {
  readonly path: string
  readonly definition: AgentDefinition | null
  readonly offered: boolean
  readonly diagnostics: readonly Problem[]
}

/** `path:line:column severity message (code)`, which editors and terminals turn into a link. */
export function problemLine(path: string, { code, severity, line, column, message }: Problem): string {
  return oneLine(`${path}:${line}:${column} ${severity} ${message} (${code})`)
}

/** Ends with an empty line but no final line break, which the printer adds. */
export function definitionBlock({ path, definition, offered, diagnostics }: Block): string {
  const problems = diagnostics.map((problem) => problemLine(path, problem))
  const state = definition === null ? ': not an agent' : offered ? '' : ': not in use'
  const fields = definition === null ? [] : fieldLines(definition)
  return `${[oneLine(`${path}${state}`), ...fields, ...problems].join('\n')}\n`
}

/** The fields that are set, and the most important ones even if unset. */
function fieldLines(definition: AgentDefinition): readonly string[] {
  const { name, description, prompt, tools, disallowedTools, model, ...others } = definition
  const rows: readonly (readonly [string, string])[] = [
    ['name', name],
    ['description', description],
    ['tools', tools === null || tools.includes('*') ? 'all' : tools.join(', ') || 'none'],
    ...(disallowedTools.length > 0 ? [['disallowedTools', disallowedTools.join(', ')] as const] : []),
    ['model', model],
    ...Object.entries(others).flatMap(([key, value]) => {
      const isUnset = value === null || value === false || (Array.isArray(value) && value.length === 0)
      return isUnset ? [] : [[key, valueText(value)] as const]
    }),
    ['prompt', prompt === '' ? 'empty' : `${prompt.split('\n').length} lines, ${prompt.length} characters`],
  ]
  const width = Math.max(...rows.map(([key]) => key.length))
  return rows.map(([key, value]) => `  ${key.padEnd(width)}  ${oneLine(value, 200)}`)
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
