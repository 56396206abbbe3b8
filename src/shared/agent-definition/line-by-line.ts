/**
 * The last recovery step for a frontmatter: line by line. A field starts at the margin with a known key, at
 * its first occurrence, and prose runs to the next field, since descriptions contain lines such as `user: …`.
 * The result is edits that turn the text into valid YAML. Nothing is dropped: other lines become comments.
 */
import { isMap } from 'yaml'
import type { TextEdit } from './agent-definition.ts'
import { fieldOf, isProse } from './definition-fields.ts'
import { formatBlock, formatText } from './format-value.ts'
import { meantField } from './misspelled-keys.ts'
import { parseStrictly } from './strict-yaml.ts'

interface Run {
  /** Null: lines outside any field. */
  readonly key: string | null
  readonly lines: string[]
}

/** Null without a known key. */
export function readLineByLine(text: string): readonly TextEdit[] | null {
  const runs = runsOf(text.replace(/\n$/, '').split('\n'))
  if (runs.every((run) => run.key === null)) return null
  const edits: TextEdit[] = []
  let at = 0
  for (const run of runs) {
    const written = run.lines.join('\n')
    const valid = run.key === null ? keptLines(run.lines) : validField(run.key, run.lines)
    if (valid !== written) edits.push({ from: at, to: at + written.length, insert: valid })
    at += written.length + 1
  }
  return edits
}

/** Also accepts a key in quotes, or without the space after the colon: the meaning is clear. */
const FIELD = /^["']?([A-Za-z_][\w-]*)["']?[ \t]*:(?![/:])/

function runsOf(lines: readonly string[]): readonly Run[] {
  const seen = new Set<string>()
  const runs: Run[] = []
  let current: Run = { key: null, lines: [] }
  const begin = (key: string | null) => {
    if (current.lines.length > 0) runs.push(current)
    current = { key, lines: [] }
  }
  for (const line of lines) {
    const key = FIELD.exec(line)?.[1] ?? ''
    const name = fieldOf(key)?.key ?? (isMisspelledSafety(key) ? key : null)
    if (name !== null && !seen.has(name)) {
      seen.add(name)
      begin(key)
    } else if (current.key !== null && !goesOn(current.key, current.lines, line)) begin(null)
    current.lines.push(line)
  }
  begin(null)
  return runs
}

/** A misspelled safety key must not become part of a description. Short words are more likely prose. */
function isMisspelledSafety(key: string): boolean {
  return key.length >= 8 && meantField(key)?.isSafety === true
}

/** Whether a line belongs to the current field. Values other than prose end at the margin, except lists and brackets. */
function goesOn(key: string, lines: readonly string[], line: string): boolean {
  if (isProse(key) || line.trim() === '' || /^[ \t]|^-(?:\s|$)|^[\]}]/.test(line)) return true
  const begun = lines.join('\n')
  return /^[^:]*:\s*[[{]/.test(begun) && !/[\]}]\s*$/.test(begun)
}

/** Lines outside fields: valid ones stay, the others become comments. */
function keptLines(lines: readonly string[]): string {
  const result = parseStrictly(lines.join('\n'))
  if (result.kind === 'parsed' && (result.parsed.values === null || isMap(result.parsed.document.contents))) {
    const keys = Object.keys(result.parsed.values ?? {})
    if (!keys.some((key) => fieldOf(key))) return lines.join('\n')
  }
  return lines.map((line) => (line.trim() === '' || /^\s*#/.test(line) ? line : `# ${line}`)).join('\n')
}

function validField(key: string, lines: readonly string[]): string {
  const written = lines.join('\n')
  if (isOneField(written)) return written
  const untabbed = written.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length))
  if (isOneField(untabbed)) return untabbed
  const meant = textOf(written.slice(written.indexOf(':') + 1))
  const text = isNames(key) ? namesOf(meant) : meant
  const blanks = /\n[ \t\n]*$/.exec(written)?.[0] ?? ''
  if (!text.includes('\n'))
    return `${key}: ${formatText(text, { style: styleFor(text), inFlow: false })}${blanks}`
  const block = isProse(key) ? formatBlock(text, '  ') : null
  return `${key}: ${block ?? formatText(text, { style: 'double', inFlow: false })}${blanks}`
}

function isOneField(text: string): boolean {
  const result = parseStrictly(text)
  return (
    result.kind === 'parsed' &&
    isMap(result.parsed.document.contents) &&
    result.parsed.document.contents.items.length === 1
  )
}

/** Strips the brackets or the dashes of a list. */
function namesOf(text: string): string {
  const items = text.split('\n').map((line) => line.trim())
  if (items.every((item) => /^-(?:\s|$)/.test(item)))
    return items.map((item) => item.slice(1).trim()).join(', ')
  return text.replace(/^\[\s*/, '').replace(/\s*\]$/, '')
}

const isNames = (key: string) => fieldOf(key)?.kind === 'names'

const styleFor = (text: string) => (/["\\]/.test(text) ? 'single' : 'double')

/** The intended text of a value that is not valid YAML. */
function textOf(written: string): string {
  const text = written.trim()
  const block = /^([|>])[+-]?\d?[+-]?[ \t]*\n/.exec(text)
  if (block) return blockText(text.slice(block[0].length), block[1] === '>')
  const inner = text.slice(1, -1)
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"'))
    return inner.replaceAll('\\"', '"').trim()
  if (text.length > 1 && text.startsWith("'") && text.endsWith("'")) return inner.replaceAll("''", "'").trim()
  return text
}

function blockText(written: string, isFolded: boolean): string {
  const lines = written.split('\n')
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0)
  const indent = Math.min(...indents)
  const text = lines
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
  return isFolded ? text.replace(/([^\n])\n(?=[^\n \t])/g, '$1 ').replace(/\n\n/g, '\n') : text
}
