/**
 * The path patterns of rules, as in .gitignore: `*` and `?` match within a name, `**` any folders, `[a-z]` one
 * character, a backslash takes a special character literally, and `{a,b}` is one of several. A folder covers its
 * content. `//etc/hosts` starts at the root of the file system; all other patterns start at the agent's folder, and
 * those without a slash (`*.md`) match at any depth.
 */

/** `below` is the path relative to the agent's folder; null outside of it. Both without `.`, `..` and doubled slashes. */
export interface PatternPath {
  readonly absolute: string
  readonly below: string | null
}

interface PatternOptions {
  /**
   * For rules that deny or ask: case and Unicode forms don't count, because two spellings may be the same file, and
   * `secrets/**` matches at any depth.
   */
  readonly lenient: boolean
}

export function matchesPattern(pattern: string, path: PatternPath, { lenient }: PatternOptions): boolean {
  const read = patternOf(pattern, lenient)
  const text = read.isAbsolute ? path.absolute.replace(/^\/+/, '') : path.below
  if (text === null) return false
  return read.test.test(lenient ? text.normalize('NFC') : text)
}

interface ReadPattern {
  readonly isAbsolute: boolean
  readonly test: RegExp
}

/** Compiled patterns: a search tests each file that it finds. */
const known = new Map<string, ReadPattern>()
const MOST_KNOWN = 1000

function patternOf(pattern: string, lenient: boolean): ReadPattern {
  const key = `${lenient}${pattern}`
  const found = known.get(key)
  if (found) return found
  if (known.size >= MOST_KNOWN) known.clear()
  const isAbsolute = pattern.startsWith('//')
  const sources = alternatives(lenient ? pattern.normalize('NFC') : pattern).map((one) =>
    sourceOf(one, lenient),
  )
  const test = new RegExp(`^(?:${sources.join('|')})$`, lenient ? 'ius' : 'us')
  const read = { isAbsolute, test }
  known.set(key, read)
  return read
}

function sourceOf(pattern: string, lenient: boolean): string {
  const names = pattern
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .filter((name, index, all) => name !== '**' || all[index - 1] !== '**')
  const coversAll = names.length === 1 && names[0] === '**'
  const isAnchored = /^\.?\//.test(pattern)
  // A name covers what is below it, so `**` or a slash at the end adds nothing.
  const kept = names.at(-1) === '**' ? names.slice(0, -1) : names
  if (kept.length === 0) return coversAll ? '.*' : NOTHING
  const isAnywhere = !isAnchored && (names.length === 1 || (lenient && kept.length === 1))
  const source = kept.map((name, index) =>
    name === '**' ? ANY_FOLDERS : nameSource(name) + (index < kept.length - 1 ? '/' : '(?:/.*)?'),
  )
  return (isAnywhere ? ANY_FOLDERS : '') + source.join('')
}

const NOTHING = '(?!)'
const ANY_FOLDERS = '(?:.*/)?'

/** A name with its wildcards. `[id]` also matches a folder with just this name. */
function nameSource(name: string): string {
  let source = ''
  for (const [token] of name.matchAll(/\\.|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|./gsu)) {
    if (token.startsWith('*')) source += '[^/]*'
    else if (token === '?') source += '[^/]'
    else if (token.length > 1 && token.startsWith('['))
      source += `(?:${classSource(token)}|${literal(token)})`
    else source += literal(token.length > 1 && token.startsWith('\\') ? token.slice(1) : token)
  }
  return source
}

/** `[!a-z]` as in .gitignore. A range that runs backwards matches nothing. */
function classSource(text: string): string {
  const inside = text.slice(1, -1)
  const isNegated = /^[!^]/.test(inside)
  const members = [...(isNegated ? inside.slice(1) : inside).matchAll(/\\?(.)(?:-\\?(.))?/gsu)]
  const ranges = members.flatMap(([whole, first = '', last]) => {
    const end = last ?? (whole.length > 1 && whole.endsWith('-') ? '-' : null)
    if (last === undefined) return end === null ? code(first) : `${code(first)}${code(end)}`
    return (first.codePointAt(0) ?? 0) <= (last.codePointAt(0) ?? 0) ? `${code(first)}-${code(last)}` : []
  })
  if (ranges.length === 0) return isNegated ? '[^/]' : NOTHING
  return isNegated ? `[^/${ranges.join('')}]` : `(?!/)[${ranges.join('')}]`
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** A character of a class. */
function code(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** More alternatives than this stay as they are, and match only a path with braces. */
const MOST_ALTERNATIVES = 100

/** `{a,b}/c` is `a/c` and `b/c`. Braces without a comma are ordinary characters. */
function alternatives(pattern: string): readonly string[] {
  const done: string[] = []
  const open = [pattern]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const choices = firstChoice(next)
    if (choices === null) done.push(next)
    else open.push(...choices)
    if (done.length + open.length > MOST_ALTERNATIVES) return [pattern]
  }
  return done
}

/** The pattern with each alternative of its first braces that have a comma; null: there are none. */
function firstChoice(pattern: string): readonly string[] | null {
  const marks: { readonly at: number; readonly commas: number[] }[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '{') marks.push({ at, commas: [] })
    else if (character === ',') marks.at(-1)?.commas.push(at)
    else if (character === '}') {
      const mark = marks.pop()
      if (mark === undefined || mark.commas.length === 0) continue
      const starts = [mark.at, ...mark.commas]
      return starts.map((start, index) => {
        const choice = pattern.slice(start + 1, starts[index + 1] ?? at)
        return pattern.slice(0, mark.at) + choice + pattern.slice(at + 1)
      })
    }
  }
  return null
}
