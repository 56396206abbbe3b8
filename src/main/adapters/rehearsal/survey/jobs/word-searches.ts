/** The searches for a word: files that hold it, names that match it, definitions under it. */
import { HAND_WRITTEN, isMade, nameOf } from '../folder-files.ts'
import type { ToolCall } from '../script.ts'
import { escapePattern, patternOf, type TaskWord } from '../task-words.ts'
import type { FoundLine, Listed } from '../tool-answers.ts'

/** What a word leads to. */
export interface Hits {
  readonly word: TaskWord
  /** Files that hold it. */
  readonly inFiles: Listed<string>
  /** Files whose names match it. */
  readonly named: readonly string[]
}

const KEYWORDS =
  'function\\*?|class|interface|type|enum|struct|trait|impl|def|defp|defmodule|fn|func|fun|module|namespace|object|record|const|let|var|val|sub|proc'
/** A keyword, in Go perhaps the receiver, then the name. */
const DEFINES = `\\b(${KEYWORDS})\\s+(\\([^)]*\\)\\s*)?`

export const searchFiles = (word: TaskWord): ToolCall => ({
  tool: 'Grep',
  input: { pattern: patternOf(word), '-i': true, output_mode: 'files_with_matches' },
})

export const searchDefinitions = (word: TaskWord): ToolCall => ({
  tool: 'Grep',
  input: {
    pattern: `${DEFINES}[\\w$.]*${patternOf(word)}`,
    '-i': true,
    '-n': true,
    glob: HAND_WRITTEN,
    output_mode: 'content',
    head_limit: 25,
  },
})

/** Everything that a file defines at its outermost level. */
export const listDefinitions = (path: string): ToolCall => ({
  tool: 'Grep',
  input: {
    pattern: `^(export |pub |public |async |default )*${DEFINES}[\\w$]`,
    path,
    '-n': true,
    output_mode: 'content',
    head_limit: 12,
  },
})

export const searchIn = (path: string, words: readonly TaskWord[]): ToolCall => ({
  tool: 'Grep',
  input: {
    pattern: words.map(patternOf).join('|'),
    path,
    '-i': true,
    '-n': true,
    output_mode: 'content',
    head_limit: 6,
  },
})

export const searchUses = (name: string): ToolCall => ({
  tool: 'Grep',
  input: {
    pattern: `\\b${escapePattern(name)}\\b`,
    '-n': true,
    glob: HAND_WRITTEN,
    output_mode: 'content',
    head_limit: 40,
  },
})

/** For a folder of which one listing does not show all: a search by name. */
export function searchNames(word: TaskWord): ToolCall {
  const plain = pathIn(word).replace(/[^\p{L}\p{N}_./-]/gu, '?')
  const capital = plain.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
  const spelled = [...new Set([plain, plain.toLowerCase(), capital])]
  return { tool: 'Glob', input: { pattern: `**/*${spelled.length > 1 ? `{${spelled.join(',')}}` : plain}*` } }
}

/** Whether a path matches a word by its name, or as the path it is. */
export function matchesName(path: string, word: TaskWord): boolean {
  const lower = path.toLowerCase()
  if (word.kind === 'path') {
    const wanted = pathIn(word).toLowerCase()
    return `/${lower}/`.includes(`/${wanted}/`)
  }
  return new RegExp(patternOf(word), 'iu').test(nameOf(lower))
}

/** A path as Glob has it: with slashes, from the folder on. */
function pathIn({ text, kind }: TaskWord): string {
  return kind === 'path'
    ? text
        .replaceAll('\\', '/')
        .replace(/^(?:\.{0,2}\/)+/, '')
        .replace(/\/+$/, '')
    : text
}

/** Without what no person wrote. */
export function handWritten({ items, more }: Listed<string>): Listed<string> {
  return { items: items.filter((path) => !isMade(path)), more }
}

/** The name that a line defines: `parseDuration` in `export function parseDuration(text)`. */
export function nameDefinedIn({ text }: FoundLine): string | null {
  const match = new RegExp(`${DEFINES}([\\w$]{3,60})`).exec(text)
  return match?.[3] ?? null
}
