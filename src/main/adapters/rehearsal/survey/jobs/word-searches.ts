/** The searches for a word: files that hold it, names that match it, definitions under it. */
import { HAND_WRITTEN, nameOf } from '../folder-files.ts'
import type { ToolCall } from '../script.ts'
import { escapePattern, patternOf, type TaskWord } from '../task-words.ts'
import type { FoundLine } from '../tool-answers.ts'

type GrepInput = Readonly<Record<string, string | number | boolean>>

const grepLines = (pattern: string, more: GrepInput): ToolCall => ({
  tool: 'Grep',
  input: { pattern, output_mode: 'content', '-n': true, ...more },
})

/** Which files hold it. */
export const searchFiles = (word: TaskWord): ToolCall => ({
  tool: 'Grep',
  input: { pattern: patternOf(word), '-i': true, output_mode: 'files_with_matches' },
})

/** Where something is defined whose name holds the word. */
export const searchDefinitions = (word: TaskWord): ToolCall =>
  grepLines(definitionOf(patternOf(word)), { '-i': true, glob: HAND_WRITTEN, head_limit: 40 })

/** What a file defines at its outermost level. */
export const listDefinitions = (path: string): ToolCall =>
  grepLines(`^(export |pub |public |async |default )*${BY_KEYWORD}[\\w$]`, { path, head_limit: 12 })

/** The lines of a file that hold one of the words. */
export const searchIn = (path: string, words: readonly TaskWord[]): ToolCall =>
  grepLines(words.map(patternOf).join('|'), { path, '-i': true, head_limit: 6 })

/** The lines that use a name. */
export const searchUses = (name: string): ToolCall =>
  grepLines(`\\b${escapePattern(name)}\\b`, { glob: HAND_WRITTEN, head_limit: 40 })

/** For a folder of which one listing does not show all: a search by name. */
export function searchNames(word: TaskWord): ToolCall {
  const plain = pathIn(word).replace(/[^\p{L}\p{N}_./-]/gu, '?')
  const capital = plain.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
  const spelled = [...new Set([plain, plain.toLowerCase(), capital])]
  return {
    tool: 'Glob',
    input: { pattern: `**/*${spelled.length > 1 ? `{${spelled.join(',')}}` : plain}*` },
  }
}

/** Whether a path matches a word by its name, or as the path it is. */
export function matchesName(path: string, word: TaskWord): boolean {
  const lower = path.toLowerCase()
  if (word.kind === 'path') return `/${lower}/`.includes(`/${pathIn(word).toLowerCase()}/`)
  return new RegExp(patternOf(word), 'iu').test(nameOf(lower))
}

/** A path as Glob has it: with slashes, from the folder on. */
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
/** A keyword, in Go perhaps the receiver, then the name. */
const BY_KEYWORD = `\\b(${KEYWORDS})\\s+(\\([^)]*\\)\\s*)?`
const MODIFIERS =
  'async|static|public|private|protected|internal|override|virtual|abstract|final|get|set|readonly|inline|unsafe'

/** A name after a keyword, as a method, as a function that stands in an object, or after its type as in C. */
function definitionOf(pattern: string): string {
  const name = `[\\w$]*(${pattern})[\\w$]*`
  const method = `^\\s*((${MODIFIERS}) +)*${name}(<[^>]*>)?(\\([^;]*\\)\\s*(:[^;{]*)?\\{\\s*$|\\([^)]*\\)\\s*:[^;]+$|\\??:\\s*(async\\s+)?(function\\b|\\([^)]*\\)\\s*=>))`
  const typed = `^[\\w<>\\[\\],.*&: ]+[\\s*&]${name}\\s*\\([^;]*\\)\\s*\\{?\\s*$`
  return `${BY_KEYWORD}[\\w$.]*(${pattern})|${method}|${typed}`
}

/** Whether a line that such a search found defines something, and does not only call it. */
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
