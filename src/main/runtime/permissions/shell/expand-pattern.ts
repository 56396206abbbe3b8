/**
 * Expands braces and patterns as a shell does before it runs a command. The result may contain more words than the
 * shell's: `?` and `[…]` count as `*`, and fixed names after a pattern are not checked to exist.
 */
import { isAbsolute, withSlashes } from '../../paths/paths.ts'
import type { ShellWord } from './shell-syntax.ts'

/** More words from one word are not judged. */
const MOST_WORDS = 1000
/** Characters. Longer words are not judged. */
const LONGEST_PATTERN = 2000
/** Alternatives of one word with braces. */
const MOST_ALTERNATIVES = 200

/** The names in a folder. `null`: the folder may not be listed. Empty: not a folder, or not readable. */
type ListNames = (folder: string) => Promise<readonly string[] | null>

/**
 * The words that a word with a pattern becomes in `folder`. Null if they are unknown: the pattern contains a variable,
 * has too many results, or leads to a folder that may not be listed.
 */
export async function expandPattern(
  word: ShellWord,
  folder: string,
  listNames: ListNames,
): Promise<readonly ShellWord[] | null> {
  if (word.pattern === undefined || word.pattern.length > LONGEST_PATTERN) return null
  const alternatives = expandBraces(word.pattern)
  if (alternatives === null) return null
  const found = new Set<string>()
  // A shell without brace expansion reads the word unchanged.
  for (const pattern of alternatives.includes(word.pattern)
    ? alternatives
    : [...alternatives, word.pattern]) {
    if (pattern === '') continue
    const paths = pattern.startsWith('~') ? null : await expandGlob(pattern, folder, listNames)
    if (paths === null) return null
    for (const path of paths.length > 0 ? paths : [withoutEscapes(pattern)]) found.add(path)
    if (found.size > MOST_WORDS) return null
  }
  if (word.splits && [...found].some((path) => /[\s*?[\\]/.test(path))) return null
  return [...found].map((value) => ({ ...word, value }))
}

// ---- braces ------------------------------------------------------------------------------------

/** `a{b,c}` is `ab` and `ac`, `{1..3}` is `1`, `2` and `3`. Null: too many. */
function expandBraces(pattern: string): readonly string[] | null {
  for (let open = nextUnescaped(pattern, '{', 0); open >= 0; open = nextUnescaped(pattern, '{', open + 1)) {
    const group = readGroup(pattern, open)
    if (group === null) continue
    const items = group.items.length > 1 ? group.items : readSequence(group.items[0] ?? '')
    if (items === null) continue
    if (items.length > MOST_ALTERNATIVES) return null
    const before = pattern.slice(0, open)
    const after = expandBraces(pattern.slice(group.end))
    if (after === null) return null
    const found: string[] = []
    for (const item of items) {
      const inner = expandBraces(item)
      if (inner === null || found.length + inner.length * after.length > MOST_ALTERNATIVES) return null
      for (const start of inner) for (const rest of after) found.push(before + start + rest)
    }
    return found
  }
  return [pattern]
}

interface BraceGroup {
  readonly items: readonly string[]
  /** The position after the closing brace. */
  readonly end: number
}

/** Null if the brace is not closed. */
function readGroup(pattern: string, open: number): BraceGroup | null {
  const items: string[] = []
  let from = open + 1
  let depth = 0
  for (let at = open; at < pattern.length; at += 1) {
    const character = pattern[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === ',' && depth === 1) {
      items.push(pattern.slice(from, at))
      from = at + 1
    } else if (character === '}') {
      depth -= 1
      if (depth === 0) return { items: [...items, pattern.slice(from, at)], end: at + 1 }
    }
  }
  return null
}

/** Null if the text is not a sequence. A sequence that is not understood has too many items. */
function readSequence(text: string): readonly string[] | null {
  const parts = text.split('..')
  if (parts.length < 2) return null
  const [first = '', last = '', step = '1'] = parts
  const letters = /^([a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])/.test(text)
  const numbers = /^-?\d{1,6}$/.test(first) && /^-?\d{1,6}$/.test(last)
  if (parts.length > 3 || !/^-?\d{1,6}$/.test(step) || !(letters || numbers))
    return Array.from({ length: MOST_ALTERNATIVES + 1 }, () => '')
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)]
  const by = Math.max(1, Math.abs(Number(step)))
  const width = [first, last].some((end) => /^-?0\d/.test(end)) ? Math.max(first.length, last.length) : 0
  const length = Math.min(Math.floor(Math.abs(to - from) / by), MOST_ALTERNATIVES) + 1
  return Array.from({ length }, (_, index) => {
    const at = from + (to < from ? -1 : 1) * by * index
    if (letters) return String.fromCharCode(at)
    return at < 0 ? `-${String(-at).padStart(width - 1, '0')}` : String(at).padStart(width, '0')
  })
}

function nextUnescaped(text: string, wanted: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === wanted) return at
  }
  return -1
}

// ---- patterns of names -------------------------------------------------------------------------

/** The paths that match, as the shell writes them. Null if a folder may not be listed, or if there are too many. */
async function expandGlob(
  pattern: string,
  folder: string,
  listNames: ListNames,
): Promise<readonly string[] | null> {
  let paths = ['']
  for (const segment of pattern.split(/(?<=\/)/)) {
    const name = segment.replace(/\/+$/, '')
    const end = segment.slice(name.length)
    const pieces = literalPieces(name)
    const next: string[] = []
    for (const path of paths) {
      if (pieces.length === 1) {
        next.push(path + withoutEscapes(segment))
        continue
      }
      const names = await listNames(isAbsolute(path) ? path : `${withSlashes(folder)}/${path}`)
      // A name that is not valid text has another path than the judged one.
      if (names === null || names.some((each) => each.includes('\ufffd'))) return null
      for (const each of candidates(pieces[0] ?? '', names))
        if (matches(pieces, each)) next.push(path + each + end)
      if (next.length > MOST_WORDS) return null
    }
    paths = next
  }
  return paths
}

/** The fixed texts around the wildcards of a pattern, without escapes. One text: there is no wildcard. */
function literalPieces(pattern: string): readonly string[] {
  const pieces = ['']
  const add = (text: string) => pieces.push((pieces.pop() ?? '') + text)
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? ''
    if (character === '\\') add(pattern[++at] ?? '')
    else if (character === '*' || character === '?') pieces.push('')
    else if (character === '[') return [...pieces, '']
    else add(character)
  }
  return pieces
}

/** Only a pattern that starts with a dot matches names that do. Some shells count `.` and `..` among these. */
function candidates(start: string, names: readonly string[]): readonly string[] {
  return start.startsWith('.') ? [...names, '.', '..'] : names.filter((name) => !name.startsWith('.'))
}

/** Whether a name consists of these texts in order, with anything between them. Takes linear time. */
function matches(pieces: readonly string[], name: string): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop() ?? ''
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at + last.length <= name.length
}

function withoutEscapes(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1')
}
