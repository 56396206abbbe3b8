/** `awk` with a program that only prints. */
import type { CommandEffect } from './command-effect.ts'
import { changes, readsContents } from './command-effect.ts'
import { readOptions } from './command-options.ts'
import type { ShellWord } from './shell-syntax.ts'

export function awkEffect(words: readonly ShellWord[]): CommandEffect {
  // What follows the program is a file, also if it starts with a dash.
  const read = readOptions(words, { short: 'F:v:' })
  if (!read.ok) return changes(`awk ${read.because}`)
  const [program, ...files] = read.operands
  if (program === undefined || program.value === null || program.glob)
    return changes('its program is unknown until it runs')
  if (!onlyPrints(program.value)) return changes('its program may do more than print')
  // `name=value` among the files sets a variable.
  return readsContents(files.filter(({ value }) => value === null || !/^[a-z_]\w*=/i.test(value)))
}

/** Longer programs are not checked. */
const LONGEST_PROGRAM = 2_000

/** Names that run a command, or read another file, wherever they stand. */
const FORBIDDEN =
  /system|getline|ARGV|ARGC|ARGIND|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|BINMODE|function|func\b|@|\\\n/

/**
 * Whether a program has no redirect and no pipe. A slash starts a pattern where no value precedes; where that is not
 * sure, the rest must have neither `>` nor `|`.
 */
function onlyPrints(program: string): boolean {
  if (program.length > LONGEST_PROGRAM || FORBIDDEN.test(program)) return false
  let afterValue = false
  let prints = false
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < program.length) {
    const at = TOKEN.lastIndex
    const rest = program.slice(at)
    if (rest[0] === '/' && !afterValue) {
      const pattern = /^\/(?:[^/\\\n[]|\\[^\n])*\//.exec(rest)
      if (pattern === null) return false
      TOKEN.lastIndex = at + pattern[0].length
      afterValue = true
      continue
    }
    if (rest[0] === '/' && /[>|"]/.test(rest) && /\)\s*$|\+\+\s*$|--\s*$/.test(program.slice(0, at)))
      return false
    const [token] = TOKEN.exec(program) ?? []
    if (token === undefined) return false
    if (/^\s*$/.test(token)) {
      if (token.includes('\n')) [afterValue, prints] = [false, false]
      continue
    }
    if (token === ';' || token === '}' || token === '{') prints = false
    if (/^printf?$/.test(token)) prints = true
    if (token === '>>' || (token.startsWith('>') && prints)) return false
    afterValue = /^([\w.]+|".*"|[\])$])$/s.test(token) && !KEYWORDS.has(token)
  }
  return true
}

const KEYWORDS: ReadonlySet<string> = new Set(
  'print printf if else while for do in return next exit delete BEGIN END'.split(' '),
)

/** A comment is refused, and a single `|` is no token. */
const TOKEN =
  /[ \t\n]+|"(?:[^"\\\n]|\\[^\n])*"|[A-Za-z_]\w*|[0-9]+(?:\.[0-9]*)?|\.[0-9]+|&&|\|\||\+\+|--|[<>=!+\-*/%^]=|>>|!~|[;{}()[\],$<>=!+\-*/%^~?:]/y
