/**
 * Parses a frontmatter with recovery. If it is not valid YAML, the invalid values are quoted; if that is not
 * enough, the text is recovered line by line. The recovered text is parsed, and the first save writes it.
 */
import { isMap, isScalar } from 'yaml'
import { applyEdits, type TextEdit } from './agent-definition.ts'
import { isProse } from './definition-fields.ts'
import { doubledKeys } from './doubled-keys.ts'
import { formatText } from './format-value.ts'
import { readLineByLine } from './line-by-line.ts'
import { type ParsedYaml, parseStrictly, type YamlMistake } from './strict-yaml.ts'

/** The recovery that made a text valid. */
export interface Recovery {
  /** `doubled-key`, `quote-description`, `line-by-line`. */
  readonly code: string
  /** The doubled key, or the key of the quoted value, or null. */
  readonly key: string | null
  /** For a doubled key: whether its values restrict the agent differently. */
  readonly losesRestriction?: boolean
  readonly edits: readonly TextEdit[]
}

type YamlResult =
  | {
      readonly kind: 'parsed'
      readonly parsed: ParsedYaml
      /** The edits from the original text to the parsed text. */
      readonly recoveries: readonly Recovery[]
      /** The strict parser's message, if a recovery was needed. */
      readonly mistake: YamlMistake | null
    }
  | { readonly kind: 'failed'; readonly mistake: YamlMistake }

export function parseYaml(text: string): YamlResult {
  const strict = parseStrictly(text)
  if (strict.kind === 'parsed') return { ...strict, recoveries: [], mistake: null }
  if (strict.isFinal) return strict
  for (const attempt of [keepLast, quoteValues, goLineByLine]) {
    const recoveries = attempt(text)
    if (recoveries === null || recoveries.length === 0) continue
    const fixed = parseStrictly(applyEdits(text, editsOf(recoveries)))
    if (fixed.kind === 'parsed') return { ...fixed, recoveries, mistake: strict.mistake }
  }
  return strict
}

/** The edits of several recoveries, in the order of the text. */
export function editsOf(recoveries: readonly Recovery[]): readonly TextEdit[] {
  return recoveries.flatMap((recover) => recover.edits).sort((a, b) => a.from - b.from)
}

// ---- Doubled keys ----

function keepLast(text: string): readonly Recovery[] | null {
  const doubled = doubledKeys(text)
  return doubled?.map((one) => ({ code: 'doubled-key', ...one })) ?? null
}

// ---- Quoting ----

interface LineValue {
  readonly key: string
  readonly value: string
  readonly from: number
}

const FIELD = /^([A-Za-z_][\w.-]*)([ \t]*:[ \t]+)(\S.*?)[ \t]*$/

/** Values at the margin that take one line. */
function lineValues(text: string): readonly LineValue[] {
  const lines = text.split('\n')
  const values: LineValue[] = []
  /** The next line that is not blank. */
  let next = ''
  let end = text.length
  for (const line of lines.toReversed()) {
    const from = end - line.length
    const [, key = '', colon = '', value = ''] = FIELD.exec(line) ?? []
    if (key !== '' && !/^[ \t]/.test(next))
      values.push({ key, value, from: from + key.length + colon.length })
    if (line.trim() !== '') next = line
    end = from - 1
  }
  return values.reverse()
}

/** Whether a value can be plain text: it starts with a YAML indicator or is not valid as written. */
function quoteValues(text: string): readonly Recovery[] {
  return lineValues(text)
    .filter(({ value }) => !/^["'[{|>]/.test(value))
    .filter(({ key, value }) => /^[*&@`%!]/.test(value) || !standsAlone(key, value))
    .map(quote)
}

function standsAlone(key: string, value: string): boolean {
  const result = parseStrictly(`${key}: ${value}\n`)
  if (result.kind === 'failed' || !isMap(result.parsed.document.contents)) return false
  return isScalar(result.parsed.document.contents.items[0]?.value)
}

/** Keeps a comment as a comment, except after prose, where it is part of the text. */
function quote({ key, value, from }: LineValue): Recovery {
  const comment = isProse(key) ? null : /[ \t]+#.*$/.exec(value)
  const text = comment === null ? value : value.slice(0, comment.index)
  const style = /["\\]/.test(text) ? 'single' : 'double'
  const insert = formatText(text, { style, inFlow: false })
  return { code: `quote-${key}`, key, edits: [{ from, to: from + text.length, insert }] }
}

function goLineByLine(text: string): readonly Recovery[] | null {
  const edits = readLineByLine(text)
  return edits === null ? null : [{ code: 'line-by-line', key: null, edits }]
}
