/**
 * Reads an agent definition: markdown with YAML frontmatter, as people have it in `.claude/agents`. Strings
 * in, values out. A wrong value of a known key is a diagnostic, and the default holds; where it would make
 * the agent less safe than its author meant, the agent is not offered.
 */
import { isMap, isScalar, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'
import { type PermissionMode, permissionModes } from '../agent-event.ts'
import { stableColor } from './agent-color.ts'
import { splitFrontmatter } from './split-frontmatter.ts'

/** A definition with its defaults filled in; where it came from is the reader's caller's to know. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** The body: the system prompt. */
  readonly prompt: string
  /** Null: all. */
  readonly tools: readonly string[] | null
  readonly disallowedTools: readonly string[]
  readonly model: string
  readonly color: string
  readonly permissionMode: PermissionMode | null
  readonly maxTurns: number | null
  readonly readOnly: boolean
  readonly oneShot: boolean
  readonly reminder: string | null
  readonly omitProjectInstructions: boolean
  readonly aliases: readonly string[]
  readonly hidden: boolean
}

export interface Diagnostic {
  readonly code: string
  readonly severity: 'notice' | 'warning' | 'error'
  /** From 1, in the file as it is. */
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface ReadDefinition {
  /** Null: not an agent, or not one that may be offered. */
  readonly definition: AgentDefinition | null
  readonly diagnostics: readonly Diagnostic[]
}

/** `stem`: the file's name without `.md`; `source`: in words, for a description that is missing. */
export function readDefinition(
  text: string,
  { stem, source }: { readonly stem: string; readonly source: string },
): ReadDefinition {
  const split = splitFrontmatter(text)
  if (split === null)
    return refused('no-frontmatter', 'notice', 1, 1, 'No frontmatter, so this is not an agent definition.')
  const lines = new LineCounter()
  const document = parseDocument(split.yaml, { lineCounter: lines, prettyErrors: false })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: line + split.firstLine - 1, column: col + split.indent }
  }
  const [mistake] = document.errors
  if (mistake) {
    const { line, column } = place(mistake.pos[0])
    return refused(
      'invalid-yaml',
      'error',
      line,
      column,
      `The frontmatter is not valid YAML: ${mistake.message}`,
    )
  }
  if (!isMap(document.contents))
    return refused(
      'no-fields',
      'notice',
      split.firstLine,
      1,
      'The frontmatter has no fields, so this is not an agent.',
    )

  const fields = new Fields(document.contents, place)
  const name = fields.text('name')
  const described = fields.text('description') ?? fields.text('when-to-use')
  if (name === null && described === null)
    return refused(
      'not-an-agent',
      'notice',
      split.firstLine,
      1,
      'Neither name nor description: not an agent.',
    )
  if (name !== null && /[:\n]/.test(name))
    fields.complain(
      'name',
      'error',
      'A name is one line without a colon, which separates a plugin from its agents.',
      true,
    )
  if (described === null)
    fields.complainAt(
      split.firstLine,
      'warning',
      'no-description',
      'No description: the main agent does not know when to use it.',
    )
  const finalName = name ?? stem.replace(/\.agent$/, '')
  const definition: AgentDefinition = {
    name: finalName,
    description: described?.replaceAll('\\n', '\n') ?? `Agent from ${source}`,
    prompt: split.body.trim(),
    tools: fields.tools('tools'),
    disallowedTools: fields.tools('disallowedTools') ?? [],
    model: modelName(fields.text('model')),
    color: fields.color(finalName),
    permissionMode: fields.mode(),
    maxTurns: fields.turns(),
    readOnly: fields.flag('readOnly', true),
    oneShot: fields.flag('oneShot'),
    reminder: fields.text('criticalSystemReminder') ?? fields.text('criticalSystemReminder_EXPERIMENTAL'),
    omitProjectInstructions: fields.flag('omitProjectInstructions') || fields.flag('omitClaudeMd'),
    aliases: fields.list('aliases') ?? [],
    hidden: fields.flag('hidden'),
  }
  return { definition: fields.unsafe ? null : definition, diagnostics: fields.diagnostics }

  function refused(
    code: string,
    severity: Diagnostic['severity'],
    line: number,
    column: number,
    message: string,
  ) {
    return { definition: null, diagnostics: [{ code, severity, line, column, message }] }
  }
}

const ALIASES: ReadonlySet<string> = new Set(['inherit', 'haiku', 'sonnet', 'opus', 'fable'])

function modelName(text: string | null): string {
  if (text === null || text.trim() === '') return 'inherit'
  const lower = text.trim().toLowerCase()
  return ALIASES.has(lower) ? lower : text.trim()
}

/** The values of a frontmatter, each checked where it is asked for. */
class Fields {
  readonly diagnostics: Diagnostic[] = []
  /** Whether a wrong value would make the agent less safe than its author meant. */
  unsafe = false
  private readonly map: YAMLMap
  private readonly place: (offset: number) => { line: number; column: number }

  constructor(map: YAMLMap, place: (offset: number) => { line: number; column: number }) {
    this.map = map
    this.place = place
  }

  text(key: string): string | null {
    const value = this.value(key)
    if (value === null || value === undefined) return null
    if (typeof value === 'string') return value.trim() === '' ? null : value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    this.complain(key, 'warning', `${key} is text.`)
    return null
  }

  /** A list, or text split on commas outside brackets (on spaces where there is no comma). */
  list(key: string): readonly string[] | null {
    const value = this.value(key)
    if (value === undefined) return null
    if (value === null) return []
    if (typeof value === 'string') return splitOutsideBrackets(value)
    if (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
      return value.map((entry) => entry.trim()).filter((entry) => entry !== '')
    this.complain(key, 'error', `${key} is a list of names, or names with commas between them.`, true)
    return []
  }

  tools(key: 'tools' | 'disallowedTools'): readonly string[] | null {
    const list = this.list(key)
    if (key === 'tools' && list?.length === 0 && !this.unsafe)
      this.complain(
        key,
        'warning',
        'tools is there but empty: the agent has none. Leave the line out for all tools.',
      )
    return list
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
    const value = this.text('permissionMode')
    if (value === null) return null
    // In the foreground a bubbling agent asks like any other.
    if (value === 'bubble') return 'default'
    const mode = permissionModes.find((known) => known === value)
    if (mode) return mode
    this.complain(
      'permissionMode',
      'error',
      `permissionMode is one of ${permissionModes.join(', ')}, bubble.`,
      true,
    )
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

  color(name: string): string {
    return stableColor(this.text('color') ?? this.text('colour'), name)
  }

  complain(key: string, severity: Diagnostic['severity'], message: string, unsafe = false): void {
    const node = this.nodeOf(key)
    const { line, column } = this.place(node?.range?.[0] ?? 0)
    this.diagnostics.push({ code: `bad-${key}`, severity, line, column, message })
    this.unsafe ||= unsafe
  }

  complainAt(line: number, severity: Diagnostic['severity'], code: string, message: string): void {
    this.diagnostics.push({ code, severity, line, column: 1, message })
  }

  private value(key: string): unknown {
    const value: unknown = this.map.get(key, false)
    // `get` says undefined for a key without a value, too.
    if (value === undefined) return this.map.has(key) ? null : undefined
    if (
      value !== null &&
      typeof value === 'object' &&
      'toJSON' in value &&
      typeof value.toJSON === 'function'
    )
      return value.toJSON() as unknown
    return value
  }

  private nodeOf(key: string): Node | null {
    const pair = this.map.items.find((item) => isScalar(item.key) && item.key.value === key)
    return (pair?.value as Node | null | undefined) ?? null
  }
}

function splitOutsideBrackets(text: string): readonly string[] {
  const separator = text.includes(',') ? ',' : ' '
  const parts: string[] = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (depth <= 0 && (letter === separator || (separator === ' ' && /\s/.test(letter)))) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
