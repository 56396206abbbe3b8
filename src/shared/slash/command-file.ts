/** Reads the text of a command file: a markdown file with optional frontmatter. */

import { splitFrontmatter } from '../agent-definition/split-frontmatter.ts'
import { parseStrictly } from '../agent-definition/strict-yaml.ts'
import { bodyOf } from '../agent-definition/write-definition.ts'

export interface CommandFile {
  readonly description: string
  readonly argumentHint: string
  /** Permission rules: `Bash(git add:*)`. */
  readonly allowedTools: readonly string[]
  readonly body: string
}

type ReadCommandFile =
  | { readonly kind: 'command'; readonly command: CommandFile }
  /** `line` counts from 1 in the file. */
  | { readonly kind: 'wrong'; readonly line: number; readonly message: string }

const LONGEST_DESCRIPTION = 300

/** A file without frontmatter is a body. Without a `description`, the first line of the body describes the command. */
export function readCommandFile(text: string): ReadCommandFile {
  const split = splitFrontmatter(text)
  if (split.kind === 'open')
    return wrong(lineAt(text, split.from), 'The frontmatter has no closing line of three dashes.')
  const yaml = split.kind === 'split' ? split.yaml.text : ''
  const body = (split.kind === 'split' ? (bodyOf(text) ?? '') : text.replace(/^\uFEFF/, '')).trim()
  const parsed = parseFields(yaml)
  // The line below the opening fence, which may follow blank lines.
  const first = lineAt(text, text.search(/\S/)) + 1
  if (parsed.kind === 'failed') {
    const { from, message } = parsed.mistake
    return wrong(first + lineAt(yaml, from) - 1, `The frontmatter is not valid YAML: ${firstLine(message)}`)
  }
  const values = yaml.trim() === '' ? {} : fieldsOf(parsed.parsed.values)
  if (values === null)
    return wrong(first, 'The frontmatter is not a list of fields such as "description: …".')
  if (body === '') return wrong(lineAt(text, text.length), 'The command has no text below its frontmatter.')
  const description = textOf(values['description']) || firstLine(body)
  return {
    kind: 'command',
    command: {
      description: description.slice(0, LONGEST_DESCRIPTION),
      argumentHint: hintOf(values['argument-hint']),
      allowedTools: listOf(values['allowed-tools']),
      body,
    },
  }
}

/** `argument-hint: [issue] [priority]` and a description with a colon are common, and not valid YAML: they are quoted. */
function parseFields(yaml: string): ReturnType<typeof parseStrictly> {
  const strict = parseStrictly(yaml)
  if (strict.kind === 'parsed') return strict
  const quoted = yaml.replace(
    /^(description|argument-hint|allowed-tools):[ \t]+(?!["'|>])(\S.*?)[ \t]*\r?$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
  )
  const fixed = parseStrictly(quoted)
  return fixed.kind === 'parsed' ? fixed : strict
}

const wrong = (line: number, message: string): ReadCommandFile => ({ kind: 'wrong', line, message })

const lineAt = (text: string, offset: number): number => text.slice(0, Math.max(0, offset)).split('\n').length

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** `[issue]` without quotes is a list in YAML. */
function hintOf(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => `[${textOf(one)}]`).join(' ') : textOf(value)
}

/** A list, or a text with commas outside of brackets: `Bash(git add:*), Read`. */
function listOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((one) => one !== '')
  return (textOf(value).match(/(?:[^,(]|\([^)]*\)?)+/g) ?? [])
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? ''
  return line.replace(/^\s*#+\s*/, '').trim()
}
