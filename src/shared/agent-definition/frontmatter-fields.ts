/**
 * The values of a frontmatter, each checked where it is asked for. What is wrong is a diagnostic at its
 * place in the file, and the default holds; `isUnsafe` says that a default would allow more than was meant.
 */
import { isAlias, isMap, isNode, isScalar, type Node, type Pair } from 'yaml'
import type { Diagnostic, Mend } from './agent-definition.ts'
import { type FieldKey, fieldOf } from './definition-fields.ts'
import { formatText } from './format-value.ts'
import { joinBrackets, splitNames } from './name-list.ts'
import type { ParsedYaml } from './strict-yaml.ts'

/** The place in the file of a place in the YAML that was parsed, and what a change there is in the file. */
export interface FieldPlaces {
  at(from: number, to: number): Pick<Diagnostic, 'line' | 'column' | 'from' | 'to'>
  mend(
    label: string,
    edit: { readonly from: number; readonly to: number; readonly insert: string },
  ): readonly Mend[]
}

export class FrontmatterFields {
  readonly diagnostics: Diagnostic[] = []
  /** Whether a wrong value would make the agent less safe than its author meant. */
  isUnsafe = false
  /** With their places; filled when one is first asked for. */
  private known: Map<string, Pair> | null = null
  private readonly values: Readonly<Record<string, unknown>>
  private readonly parsed: ParsedYaml
  private readonly places: FieldPlaces

  constructor(parsed: ParsedYaml, places: FieldPlaces) {
    this.parsed = parsed
    this.values = parsed.values as Readonly<Record<string, unknown>>
    this.places = places
  }

  /** Trimmed; null where it is absent or blank. A number or a date is the text that was written. */
  text(key: FieldKey): string | null {
    const value = this.value(key)
    if (value === null || value === undefined) return null
    if (typeof value === 'object') {
      this.complain(key, 'This is text.')
      return null
    }
    const text = typeof value === 'string' ? value : this.writtenAs(this.node(key), value)
    return text.trim() === '' ? null : text.trim()
  }

  /** A list, or text split on commas outside brackets (on blanks where there is no comma); null where it is absent. */
  names(key: FieldKey): readonly string[] | null {
    const value = this.value(key)
    if (value === undefined) return null
    if (value === null) return []
    if (typeof value === 'string') return splitNames(value)
    // A number may be a year that somebody named a skill after; a tool it is not.
    const isName = (entry: unknown) =>
      typeof entry === 'string' || (typeof entry === 'number' && !fieldOf(key)?.isSafety)
    if (Array.isArray(value) && value.every(isName))
      return joinBrackets(value.map((entry) => String(entry).trim())).filter((entry) => entry !== '')
    this.complain(key, 'This is a list of names, or names with commas between them.')
    return []
  }

  flag(key: FieldKey): boolean {
    const value = this.value(key)
    if (value === undefined || value === null) return false
    if (typeof value === 'boolean') return value
    if (typeof value === 'string' && /^(true|false)$/i.test(value.trim())) return /^true$/i.test(value.trim())
    this.complain(key, 'This is true or false.')
    return false
  }

  /** A whole number from 1. */
  count(key: FieldKey): number | null {
    const value = this.value(key)
    if (value === undefined || value === null) return null
    const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 1) return count
    this.complain(key, 'This is a whole number from 1.')
    return null
  }

  /** One of a few, case ignored. */
  choice<T extends string>(key: FieldKey, values: readonly T[]): T | null {
    const value = this.value(key)
    if (value === undefined || value === null || value === '') return null
    const wanted = typeof value === 'string' ? value.trim().toLowerCase() : null
    const found = values.find((known) => known.toLowerCase() === wanted)
    if (found === undefined) this.complain(key, `This is one of ${values.join(', ')}.`)
    return found ?? null
  }

  /** Undefined where the key is absent under all its names, null where it has no value. */
  value(key: FieldKey): unknown {
    const written = this.keyOf(key)
    return written === null ? undefined : (this.values[written] ?? null)
  }

  /** Complains about a key's value. Where it matters for safety, the agent is no longer offered. */
  complain(key: FieldKey, message: string, more: { readonly severity?: Diagnostic['severity'] } = {}): void {
    const isSafety = key === 'name' || fieldOf(key)?.isSafety === true
    const severity = more.severity ?? (isSafety ? 'error' : 'warning')
    this.tell(key, {
      code: `bad-${key}`,
      severity,
      message: `${this.keyOf(key) ?? key}: ${message}`,
      mends: [],
    })
    this.isUnsafe ||= severity === 'error'
  }

  /** A diagnostic at a key's value. */
  tell(key: FieldKey, words: Pick<Diagnostic, 'code' | 'severity' | 'message' | 'mends'>): void {
    const { from, to } = this.rangeOf(key)
    this.diagnostics.push({ ...words, ...this.places.at(from, to) })
  }

  /** An unquoted `#hex` is a comment to YAML: what stands there, and how to quote it. */
  commentAfter(key: FieldKey): { readonly text: string; readonly mends: readonly Mend[] } | null {
    const { to } = this.rangeOf(key)
    const [, blank = '', text = ''] = /^(\s*)(#[0-9a-f]{3,6})\b/i.exec(this.parsed.text.slice(to)) ?? []
    if (text === '' || blank.includes('\n')) return null
    const from = to + blank.length
    const insert = formatText(text, { style: 'double', inFlow: false })
    return { text, mends: this.places.mend('Quote the colour', { from, to: from + text.length, insert }) }
  }

  /** The key as the file has it, or null. */
  keyOf(key: FieldKey): string | null {
    const names = [key, ...(fieldOf(key)?.also ?? [])]
    const isThere = (name: string) => Object.hasOwn(this.values, name)
    const isSet = (name: string) => isThere(name) && (this.values[name] ?? null) !== null
    return names.find(isSet) ?? names.find(isThere) ?? null
  }

  private get pairs(): ReadonlyMap<string, Pair> {
    if (this.known !== null) return this.known
    const known = new Map<string, Pair>()
    const map = this.parsed.document.contents
    if (isMap(map))
      for (const pair of map.items) if (isScalar(pair.key)) known.set(String(pair.key.value), pair)
    this.known = known
    return known
  }

  private rangeOf(key: FieldKey): { readonly from: number; readonly to: number } {
    const pair = this.pairs.get(this.keyOf(key) ?? '')
    const value = isNode(pair?.value) ? pair.value.range : null
    const name = isNode(pair?.key) ? pair.key.range : null
    const range = value ?? name
    return range ? { from: range[0], to: range[1] } : { from: 0, to: 0 }
  }

  private node(key: FieldKey): Node | null {
    const value = this.pairs.get(this.keyOf(key) ?? '')?.value
    return isNode(value) ? value : null
  }

  /** `020` is a number to YAML, and a name to whoever wrote it. */
  private writtenAs(node: Node | null, value: unknown): string {
    const scalar = isAlias(node) ? node.resolve(this.parsed.document) : node
    return isScalar(scalar) && scalar.source !== undefined ? scalar.source : String(value)
  }
}
