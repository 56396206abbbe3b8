/** The searches for a word: files that contain it, matching file names, and definitions. */
import { HAND_WRITTEN, nameOf } from '../folder-files.ts'
import type { ToolCall } from '../script.ts'
import { escapePattern, patternOf, type TaskWord } from '../task-words.ts'
import type { FoundLine } from '../tool-answers.ts'

type GrepInput = Readonly<Record<string, string | number | boolean>>

const grepLines = (pattern: string, more: GrepInput): ToolCall => ({
  tool: 'Grep',
  input: { pattern, output_mode: 'content', '-n': true, ...more },
})

/** Finds files that contain the word. */
export const searchFiles = (word: TaskWord): ToolCall => ({
  tool: 'Grep',
  input: { pattern: patternOf(word), '-i': true, output_mode: 'files_with_matches' },
})

/** Finds definitions whose name contains the word. */
export const searchDefinitions = (word: TaskWord): ToolCall =>
  grepLines(definitionOf(patternOf(word)), { '-i': true, glob: HAND_WRITTEN, head_limit: 40 })

/** Finds the top-level definitions of a file. */
export const listDefinitions = (path: string): ToolCall =>
  grepLines(`^(export |pub |public |async |default )*${BY_KEYWORD}[\\w$]`, { path, head_limit: 12 })

/** Finds lines of a file that contain one of the words. */
export const searchIn = (path: string, words: readonly TaskWord[]): ToolCall =>
  grepLines(words.map(patternOf).join('|'), { path, '-i': true, head_limit: 6 })

/** Finds lines that use a name. */
export const searchUses = (name: string): ToolCall =>
  grepLines(`\\b${escapePattern(name)}\\b`, { glob: HAND_WRITTEN, head_limit: 40 })

/** Searches by file name, for folders too large for one listing. */
export function searchNames(word: TaskWord): ToolCall {
  const plain = pathIn(word).replace(/[^\p{L}\p{N}_./-]/gu, '?')
  const capital = plain.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
  const spelled = [...new Set([plain, plain.toLowerCase(), capital])]
  return {
    tool: 'Glob',
    input: { pattern: `**/*${spelled.length > 1 ? `{${spelled.join(',')}}` : plain}*` },
  }
}

/** Whether a path's file name, or the path itself, matches a word. */
export function matchesName(path: string, word: TaskWord): boolean {
  const lower = path.toLowerCase()
  if (word.kind === 'path') return `/${lower}/`.includes(`/${pathIn(word).toLowerCase()}/`)
  return new RegExp(patternOf(word), 'iu').test(nameOf(lower))
}

/** A path in Glob's form: with slashes, relative to the folder. */
function pathIn({ text, kind }: TaskWord): string {
  if (kind !== 'path') return text
  return text
    .replaceAll('\\', '/')
    .replace(/^(?:\.{0,2}\/)+/, '')
    .replace(/\/+$/, '')
}

// ---- definitions -------------------------------------------------------------------------------

const KEYWORDS =
  'function\\*?|class|interface|type|enum|struct|trait|impl|def|defp|defmodule|fn|func|fun|module|namespace|object|record|const|let|var|val|sub|proc'
/** A keyword, in Go an optional receiver, then the name. */
const BY_KEYWORD = `\\b(${KEYWORDS})\\s+(\\([^)]*\\)\\s*)?`
const MODIFIERS =
  'async|static|public|private|protected|internal|override|virtual|abstract|final|get|set|readonly|inline|unsafe'

/** A name after a keyword, as a method, as a function in an object, or after a type as in C. */
function definitionOf(pattern: string): string {
  const name = `[\\w$]*(${pattern})[\\w$]*`
  const method = `^\\s*((${MODIFIERS}) +)*${name}(<[^>]*>)?(\\([^;]*\\)\\s*(:[^;{]*)?\\{\\s*$|\\([^)]*\\)\\s*:[^;]+$|\\??:\\s*(async\\s+)?(function\\b|\\([^)]*\\)\\s*=>))`
  const typed = `^[\\w<>\\[\\],.*&: ]+[\\s*&]${name}\\s*\\([^;]*\\)\\s*\\{?\\s*$`
  return `${BY_KEYWORD}[\\w$.]*(${pattern})|${method}|${typed}`
}

/** Whether a found line is a definition rather than a call. */
export function isDefinition({ text }: FoundLine): boolean {
  return !/^\s*(?:\}?\s*else\b|if|for|while|switch|catch|return|await|yield|throw|new|case|not|and|or|in|print|assert|#|\/\/|\*|--|@)/.test(
    text,
  )
}

/** The name that a line defines: `parseDuration` in `export function parseDuration(text)`. */
export function nameDefinedIn({ text }: FoundLine): string | null {
  const keyword = new RegExp(`${BY_KEYWORD}([\\w$]{3,60})`).exec(text)?.[3]
  return keyword ?? /([\w$]{3,60})(?:<[^>]*>)?\s*(?:\(|\??:)/.exec(text)?.[1] ?? null
}
