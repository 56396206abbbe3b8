/**
 * Parses a frontmatter as people write it. What is not valid YAML is mended first: the values that are not
 * valid by themselves are quoted; where that does not do, it is gone through line by line. The mended text is
 * what is read, and what the first save writes.
 */
import { isMap, isScalar } from 'yaml'
import { applyEdits, type TextEdit } from './agent-definition.ts'
import { isProse } from './definition-fields.ts'
import { formatText } from './format-value.ts'
import { readLineByLine } from './line-by-line.ts'
import { type ParsedYaml, parseStrictly, type YamlMistake } from './strict-yaml.ts'

/** What made a text valid. */
export interface Rescue {
  /** `quote-description`, `line-by-line`. */
  readonly code: string
  /** The key whose value was quoted, or null. */
  readonly key: string | null
  readonly edits: readonly TextEdit[]
}

export type YamlResult =
  | {
      readonly kind: 'parsed'
      readonly parsed: ParsedYaml
      /** Made of the text what was parsed; refer to the text as it was given. */
      readonly rescues: readonly Rescue[]
      /** What strict YAML said, where a rescue was needed. */
      readonly mistake: YamlMistake | null
    }
  | { readonly kind: 'failed'; readonly mistake: YamlMistake }

export function parseYaml(text: string): YamlResult {
  const strict = parseStrictly(text)
  if (strict.kind === 'parsed') return { ...strict, rescues: [], mistake: null }
  if (strict.isFinal) return strict
  for (const attempt of [quoteValues, goLineByLine]) {
    const rescues = attempt(text)
    if (rescues === null || rescues.length === 0) continue
    const mended = parseStrictly(applyEdits(text, editsOf(rescues)))
    if (mended.kind === 'parsed') return { ...mended, rescues, mistake: strict.mistake }
  }
  return strict
}

/** All edits of some rescues, in the order of the text. */
export function editsOf(rescues: readonly Rescue[]): readonly TextEdit[] {
  return rescues.flatMap((rescue) => rescue.edits).sort((a, b) => a.from - b.from)
}

// ---- quoting -----------------------------------------------------------------------------------

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
  /** The line below that is not blank. */
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

/** Of the values that can be meant as plain text: what starts with a sign of YAML's own, or is not valid as it is. */
function quoteValues(text: string): readonly Rescue[] {
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

/** A comment stays one, except behind prose, where it is what was meant to be said. */
function quote({ key, value, from }: LineValue): Rescue {
  const comment = isProse(key) ? null : /[ \t]+#.*$/.exec(value)
  const text = comment === null ? value : value.slice(0, comment.index)
  const style = /["\\]/.test(text) ? 'single' : 'double'
  const insert = formatText(text, { style, inFlow: false })
  return { code: `quote-${key}`, key, edits: [{ from, to: from + text.length, insert }] }
}

function goLineByLine(text: string): readonly Rescue[] | null {
  const edits = readLineByLine(text)
  return edits === null ? null : [{ code: 'line-by-line', key: null, edits }]
}
