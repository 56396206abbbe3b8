/**
 * The values of a frontmatter, checked on access. An invalid value is a diagnostic at its position, and the
 * default applies; `isUnsafe` says whether a default would allow more than intended.
 */
import { isAlias, isMap, isNode, isScalar, type Node, type Pair } from 'yaml'
import { isTypo } from '../tools/nearest-name.ts'
import type { Diagnostic, Fix } from './agent-definition.ts'
import { type FieldKey, fieldOf } from './definition-fields.ts'
import { formatText } from './format-value.ts'
import { joinBrackets, splitNames } from './name-list.ts'
import type { ParsedYaml } from './strict-yaml.ts'

/** Maps positions and edits in the parsed YAML to the file. */
export interface FieldRanges {
  at(from: number, to: number): Pick<Diagnostic, 'line' | 'column' | 'from' | 'to'>
  fix(
    label: string,
    edit: { readonly from: number; readonly to: number; readonly insert: string },
    more?: Partial<Pick<Fix, 'isCertain'>>,
  ): readonly Fix[]
}

/** Words for true and false in other formats, and in YAML 1.1. */
const FLAG_WORDS: ReadonlyMap<string, string> = new Map([
  ...['yes', 'y', 'on', '1', 'enabled'].map((word): [string, string] => [word, 'true']),
  ...['no', 'n', 'off', '0', 'disabled'].map((word): [string, string] => [word, 'false']),
])

/** A fix never suggests a mode without permission requests, or one that only few agents need. */
const isOffered = (value: string): boolean => value !== 'bypassPermissions' && value !== 'bubble'

export class FrontmatterFields {
  readonly diagnostics: Diagnostic[] = []
  /** Whether an invalid value would make the agent less safe than its author intended. */
  isUnsafe = false
  /** With positions; parsed on first use. */
  private known: Map<string, Pair> | null = null
  private readonly values: Readonly<Record<string, unknown>>
  private readonly parsed: ParsedYaml
  private readonly locations: FieldRanges

  constructor(parsed: ParsedYaml, locations: FieldRanges) {
    this.parsed = parsed
    this.values = parsed.values as Readonly<Record<string, unknown>>
    this.locations = locations
  }

  /** Trimmed; null if absent or blank. A number or a date is the text as written. */
  text(key: FieldKey): string | null {
    const value = this.value(key)
    if (value === null || value === undefined) return null
    if (typeof value === 'object') {
      this.complain(key, 'Must be text.')
      return null
    }
    const text = typeof value === 'string' ? value : this.writtenAs(this.node(key), value)
    return text.trim() === '' ? null : text.trim()
  }

  /** A list, or text split on commas outside brackets (on spaces without a comma); null if absent. */
  names(key: FieldKey): readonly string[] | null {
    const value = this.value(key)
    if (value === undefined) return null
    if (value === null) return []
    if (typeof value === 'string') return splitNames(value)
    // A number may be the name of a skill, such as a year, but never of a tool.
    const isName = (entry: unknown) =>
      typeof entry === 'string' || (typeof entry === 'number' && !fieldOf(key)?.isSafety)
    if (Array.isArray(value) && value.every(isName))
      return joinBrackets(value.map((entry) => String(entry).trim())).filter((entry) => entry !== '')
    this.complain(key, 'Must be a list of names, or names separated by commas.')
    return []
  }

  flag(key: FieldKey): boolean {
    const value = this.value(key)
    if (value === undefined || value === null) return false
    if (typeof value === 'boolean') return value
    if (typeof value === 'string' && /^(true|false)$/i.test(value.trim())) return /^true$/i.test(value.trim())
    const meant = FLAG_WORDS.get(String(value).trim().toLowerCase())
    const fixes = meant === undefined ? [] : this.replacing(key, String(value).trim(), meant)
    this.complain(key, 'Must be true or false.', { fixes })
    return false
  }

  /** A whole number from 1. */
  count(key: FieldKey): number | null {
    const value = this.value(key)
    if (value === undefined || value === null) return null
    const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 1) return count
    const [number] = /\d+/.exec(String(value)) ?? []
    const fixes =
      number === undefined || Number(number) < 1
        ? []
        : this.replacing(key, String(value).trim(), number, { isCertain: false })
    this.complain(key, 'Must be a whole number from 1.', { fixes })
    return null
  }

  /** One of the given values, ignoring case. */
  choice<T extends string>(key: FieldKey, values: readonly T[]): T | null {
    const value = this.value(key)
    if (value === undefined || value === null || value === '') return null
    const wanted = typeof value === 'string' ? value.trim().toLowerCase() : null
    const found = values.find((known) => known.toLowerCase() === wanted)
    if (found === undefined) {
      const meant = values.find((known) => wanted !== null && isTypo(wanted, known))
      const written = String(value).trim()
      const fixes =
        meant === undefined
          ? values.filter(isOffered).flatMap((one) => this.replacing(key, written, one, { isCertain: false }))
          : this.replacing(key, written, meant)
      this.complain(key, `Must be one of ${values.join(', ')}.`, { fixes })
    }
    return found ?? null
  }

  /** Undefined if the key is absent in every spelling, null if it has no value. */
  value(key: FieldKey): unknown {
    const written = this.keyOf(key)
    return written === null ? undefined : (this.values[written] ?? null)
  }

  /** Reports a key's value. For a safety key the agent is then not used. */
  complain(key: FieldKey, message: string, more: Partial<Pick<Diagnostic, 'severity' | 'fixes'>> = {}): void {
    const isSafety = key === 'name' || fieldOf(key)?.isSafety === true
    const severity = more.severity ?? (isSafety ? 'error' : 'warning')
    this.tell(key, {
      code: `bad-${key}`,
      severity,
      message: `${this.keyOf(key) ?? key}: ${message}`,
      fixes: more.fixes ?? [],
    })
    this.isUnsafe ||= severity === 'error'
  }

  /** A diagnostic at a key's value. */
  tell(key: FieldKey, diagnostic: Pick<Diagnostic, 'code' | 'severity' | 'message' | 'fixes'>): void {
    const { from, to } = this.rangeOf(key)
    this.diagnostics.push({ ...diagnostic, ...this.locations.at(from, to) })
  }

  /** A diagnostic at a key that is not a field. With an error the agent is not used. */
  tellKey(key: string, diagnostic: Pick<Diagnostic, 'code' | 'severity' | 'message' | 'fixes'>): void {
    const { from, to } = this.keyRange(key)
    this.diagnostics.push({ ...diagnostic, ...this.locations.at(from, to) })
    this.isUnsafe ||= diagnostic.severity === 'error'
  }

  /** The fix that replaces a part of a key's value. */
  replacing(
    key: FieldKey,
    part: string,
    insert: string,
    more: Partial<Pick<Fix, 'isCertain'>> = {},
  ): readonly Fix[] {
    const { from, to } = this.rangeOf(key)
    const at = this.parsed.text.slice(from, to).indexOf(part)
    if (at === -1) return []
    return this.locations.fix(`Use ${insert}`, { from: from + at, to: from + at + part.length, insert }, more)
  }

  /** The fix that gives a value another key. */
  renameKey(key: string, insert: string): readonly Fix[] {
    return this.locations.fix(`Rename to ${insert}`, { ...this.keyRange(key), insert })
  }

  /** The fix that keeps a key and adds a line before it. Only for keys at the start of a line. */
  addBefore(key: string, line: string): readonly Fix[] {
    const { from } = this.keyRange(key)
    const indent = /[^\n]*$/.exec(this.parsed.text.slice(0, from))?.[0] ?? ''
    if (indent.trim() !== '') return []
    const insert = `${line}\n${indent}`
    return this.locations.fix(`Keep ${key}`, { from, to: from, insert }, { isCertain: false })
  }

  /** Finds an unquoted `#hex`, which is a comment in YAML, and the fix that quotes it. */
  commentAfter(key: FieldKey): { readonly text: string; readonly fixes: readonly Fix[] } | null {
    const { to } = this.rangeOf(key)
    const [, blank = '', text = ''] = /^(\s*)(#[0-9a-f]{3,6})\b/i.exec(this.parsed.text.slice(to)) ?? []
    if (text === '' || blank.includes('\n')) return null
    const from = to + blank.length
    const insert = formatText(text, { style: 'double', inFlow: false })
    return { text, fixes: this.locations.fix('Quote the color', { from, to: from + text.length, insert }) }
  }

  /** All top-level keys as written. */
  get keys(): readonly string[] {
    return Object.keys(this.values)
  }

  /** The key as written in the file, or null. */
  keyOf(key: FieldKey): string | null {
    const names = [key, ...(fieldOf(key)?.also ?? [])]
    const isPresent = (name: string) => Object.hasOwn(this.values, name)
    const isSet = (name: string) => isPresent(name) && (this.values[name] ?? null) !== null
    return names.find(isSet) ?? names.find(isPresent) ?? null
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

  /** The range of a key, with its quotes. */
  private keyRange(key: string): { readonly from: number; readonly to: number } {
    const name = this.pairs.get(key)?.key
    const range = isNode(name) ? name.range : null
    return range ? { from: range[0], to: range[1] } : { from: 0, to: 0 }
  }

  private node(key: FieldKey): Node | null {
    const value = this.pairs.get(this.keyOf(key) ?? '')?.value
    return isNode(value) ? value : null
  }

  /** `020` is a number in YAML, but here it is a name. */
  private writtenAs(node: Node | null, value: unknown): string {
    const scalar = isAlias(node) ? node.resolve(this.parsed.document) : node
    return isScalar(scalar) && scalar.source !== undefined ? scalar.source : String(value)
  }
}
