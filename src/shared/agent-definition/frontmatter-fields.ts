/**
 * The values of a frontmatter, each checked where it is asked for. What is wrong is a diagnostic at its
 * place in the file, and the default holds; `unsafe` says that a default would allow more than was meant.
 */
import { isScalar, type Node, type Pair, type YAMLMap } from 'yaml'
import { type PermissionMode, permissionModes } from '../agent-event.ts'
import type { Diagnostic } from './agent-definition.ts'

type Place = (offset: number) => { readonly line: number; readonly column: number }

export class FrontmatterFields {
  readonly diagnostics: Diagnostic[] = []
  /** Whether a wrong value would make the agent less safe than its author meant. */
  unsafe = false
  private readonly map: YAMLMap
  private readonly place: Place

  constructor(map: YAMLMap, place: Place) {
    this.map = map
    this.place = place
  }

  text(key: string): string | null {
    const value = this.value(key)
    if (value === null || value === undefined) return null
    if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    this.complain(key, 'warning', `${key} is text.`)
    return null
  }

  /** A list, or text split on commas outside brackets (on blanks where there is no comma); null where it is absent. */
  names(key: string, isSafety: boolean): readonly string[] | null {
    const value = this.value(key)
    if (value === undefined) return null
    if (value === null) return []
    if (typeof value === 'string') return splitNames(value)
    if (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
      return joinBrackets(value.map((entry) => entry.trim())).filter((entry) => entry !== '')
    this.complain(
      key,
      isSafety ? 'error' : 'warning',
      `${key} is a list of names, or names with commas between them.`,
      isSafety,
    )
    return []
  }

  flag(key: string, isSafety = false): boolean {
    const value = this.value(key)
    if (value === undefined || value === null) return false
    if (typeof value === 'boolean') return value
    if (typeof value === 'string' && /^(true|false)$/i.test(value.trim())) return /^true$/i.test(value.trim())
    this.complain(key, isSafety ? 'error' : 'warning', `${key} is true or false.`, isSafety)
    return false
  }

  mode(): PermissionMode | null {
    const value = this.value('permissionMode')
    if (value === null || value === undefined) return null
    // In the foreground a bubbling agent asks like any other.
    if (value === 'bubble') return 'default'
    const mode = permissionModes.find((known) => known === value)
    if (mode) return mode
    const known = [...permissionModes, 'bubble'].join(', ')
    this.complain('permissionMode', 'error', `permissionMode is one of ${known}.`, true)
    return null
  }

  turns(): number | null {
    const value = this.value('maxTurns')
    if (value === undefined || value === null) return null
    const turns = typeof value === 'string' ? Number(value) : value
    if (typeof turns === 'number' && Number.isInteger(turns) && turns >= 1) return turns
    this.complain('maxTurns', 'warning', 'maxTurns is a whole number from 1.')
    return null
  }

  /** Complains about the value of a key; `unsafe` also keeps the agent from being offered. */
  complain(key: string, severity: Diagnostic['severity'], message: string, unsafe = false): void {
    const pair = this.pairOf(key)
    const node = (pair?.value ?? pair?.key) as Node | null | undefined
    const { line, column } = this.place(node?.range?.[0] ?? 0)
    this.diagnostics.push({ code: `bad-${key}`, severity, line, column, message })
    this.unsafe ||= unsafe
  }

  /** Undefined where the key is absent, null where it has no value. */
  value(key: string): unknown {
    const value: unknown = this.map.get(key, false)
    // `get` says undefined for a key without a value, too.
    if (value === undefined) return this.map.has(key) ? null : undefined
    if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value
    return typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value
  }

  private pairOf(key: string): Pair | undefined {
    return this.map.items.find((item) => isScalar(item.key) && item.key.value === key)
  }
}

function splitNames(text: string): readonly string[] {
  const byComma = text.includes(',')
  const parts: string[] = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (depth <= 0 && (byComma ? letter === ',' : /\s/.test(letter))) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** `[Agent(a, b), Read]` without quotes is three entries to YAML, and two to whoever wrote it. */
function joinBrackets(entries: readonly string[]): readonly string[] {
  const joined: string[] = []
  let parts: string[] = []
  let depth = 0
  for (const entry of entries) {
    parts.push(entry)
    for (const letter of entry) depth += letter === '(' ? 1 : letter === ')' ? -1 : 0
    if (depth > 0) continue
    joined.push(parts.join(', '))
    parts = []
    depth = 0
  }
  return parts.length === 0 ? joined : [...joined, parts.join(', ')]
}
