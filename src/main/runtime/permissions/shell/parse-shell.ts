/**
 * Takes a command line of bash or a POSIX shell apart. It is made for permissions, so it refuses rather
 * than guesses: whatever two shells could read differently, and whatever runs code in a place that is
 * hard to see (`${x@P}`, `$((a[…]))`, `$'…'` as a name, control structures, functions, arrays), cannot
 * be parsed, and what cannot be parsed is asked about. It is longer than most files here because the
 * quoting rules of a shell only make sense together.
 */
import type {
  CommandGroup,
  ParsedShell,
  Pipeline,
  ShellList,
  ShellRedirect,
  ShellWord,
  SimpleCommand,
} from './shell-syntax.ts'
import { WordBuilder } from './word-builder.ts'

const LONGEST_COMMAND = 30_000
const DEEPEST_NESTING = 20

/** Never throws; every string is either taken apart whole or refused with a reason. */
export function parseShell(source: string): ParsedShell {
  if (source.length > LONGEST_COMMAND) return { ok: false, because: 'it is too long' }
  if (UNREADABLE.test(source)) return { ok: false, because: 'it contains control or invisible characters' }
  try {
    return { ok: true, list: new ShellParser(source, 0).whole() }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { ok: false, because: thrown.message }
    throw thrown
  }
}

/** Besides control characters: spaces that some shells take for separators and a reader doesn't see. */
const UNREADABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/u

class Refusal extends Error {}

function refuse(because: string): never {
  throw new Refusal(because)
}

/** Words that start a control structure where a command's name is expected. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'if then else elif fi for while until do done case esac select function coproc [[ ]] in'.split(' '),
)

interface Heredoc {
  readonly delimiter: string
  readonly stripTabs: boolean
  readonly literal: boolean
  readonly inner: ShellList[]
}

class ShellParser {
  private readonly source: string
  private readonly depth: number
  private at = 0
  /** Lists that are open here. */
  private nesting = 0
  /** A heredoc of a list further out waits for its body. */
  private outerWaits = false
  /** Heredocs whose bodies start after the next line break. */
  private waiting: Heredoc[] = []

  constructor(source: string, depth: number) {
    if (depth > DEEPEST_NESTING) refuse('it is nested too deeply')
    this.source = source
    this.depth = depth
  }

  whole(): ShellList {
    const list = this.list(null)
    if (this.waiting.length > 0) refuse('a heredoc has no end')
    return list
  }

  // ---- lists, pipelines, commands --------------------------------------------------------------

  /** A list up to its end mark, which is consumed. It has heredocs of its own. */
  private list(end: ')' | '}' | null): ShellList {
    if (this.depth + this.nesting > DEEPEST_NESTING) refuse('it is nested too deeply')
    const outer = { waiting: this.waiting, outerWaits: this.outerWaits }
    this.outerWaits ||= this.waiting.length > 0
    this.waiting = []
    this.nesting += 1
    const list = this.pipelines(end)
    this.nesting -= 1
    if (end === null) return list
    if (this.waiting.length > 0) refuse('a heredoc has no end')
    if (this.source[this.at] !== end) refuse(`a ${end} is missing`)
    if (list.length === 0) refuse('a group is empty')
    this.at += 1
    this.waiting = outer.waiting
    this.outerWaits = outer.outerWaits
    return list
  }

  private pipelines(end: ')' | '}' | null): ShellList {
    const list: Pipeline[] = []
    let joint: Pipeline['joint'] = ';'
    for (;;) {
      this.blanks(true)
      if (this.ended(end)) return list
      const commands = this.pipeline()
      this.blanks(false)
      const operator = this.separator(end)
      list.push({ joint, commands, background: operator === '&' })
      if (operator === null) return list
      joint = operator === '&' ? ';' : operator
      if (joint === ';') continue
      this.blanks(true)
      if (this.ended(end)) refuse(`nothing follows ${joint}`)
    }
  }

  private ended(end: ')' | '}' | null): boolean {
    if (this.at >= this.source.length) return true
    if (end === null) return false
    return end === '}' ? this.closingBrace() : this.source[this.at] === end
  }

  /** A `}` that stands alone where a command's name is expected. */
  private closingBrace(): boolean {
    return this.source[this.at] === '}' && endsWord(this.source[this.at + 1])
  }

  private pipeline(): readonly (SimpleCommand | CommandGroup)[] {
    const commands: (SimpleCommand | CommandGroup)[] = []
    while (this.source[this.at] === '!' && isBlank(this.source[this.at + 1])) {
      this.at += 1
      this.blanks(false)
    }
    for (;;) {
      commands.push(this.command())
      this.blanks(false)
      const next = this.source[this.at]
      if (next !== '|' || this.source[this.at + 1] === '|') return commands
      this.at += this.source[this.at + 1] === '&' ? 2 : 1
      this.blanks(true)
    }
  }

  /** What joins this pipeline to the next; null at the end. */
  private separator(end: ')' | '}' | null): '&&' | '||' | ';' | '&' | null {
    const next = this.source[this.at]
    if (next === undefined) return null
    if (end === ')' && next === ')') return null
    const two = this.source.slice(this.at, this.at + 2)
    if (two === '&&' || two === '||') {
      this.at += 2
      return two
    }
    if (two === ';;' || two === ';&' || two === ';|') refuse(`it uses ${two}`)
    if (next === ';' || next === '&') {
      this.at += 1
      return next
    }
    if (next === '\n') {
      this.lineBreak()
      return ';'
    }
    return refuse(`${JSON.stringify(next)} is not expected there`)
  }

  private command(): SimpleCommand | CommandGroup {
    const first = this.source[this.at]
    if (first === '(') {
      if (this.source[this.at + 1] === '(') refuse('it uses (( … ))')
      this.at += 1
      return this.group(this.list(')'))
    }
    if (first === '{' && isBlank(this.source[this.at + 1])) {
      this.at += 1
      return this.group(this.list('}'))
    }
    return this.simple()
  }

  private group(body: ShellList): CommandGroup {
    const redirects: ShellRedirect[] = []
    const inner: ShellList[] = []
    for (;;) {
      this.blanks(false)
      const redirect = this.redirect(inner)
      if (redirect === null) break
      redirects.push(redirect)
    }
    return { kind: 'group', body, redirects, inner }
  }

  private simple(): SimpleCommand {
    const start = this.at
    let end = this.at
    const assignments: ShellWord[] = []
    const words: ShellWord[] = []
    const redirects: ShellRedirect[] = []
    const inner: ShellList[] = []
    for (;;) {
      this.blanks(false)
      const redirect = this.redirect(inner)
      if (redirect !== null) {
        redirects.push(redirect)
        end = this.at
        continue
      }
      if (endsWord(this.source[this.at]) && !this.substitutesProcess()) break
      const word = this.word(inner)
      end = this.at
      const next = this.source[this.at]
      if (next === '(') refuse('it uses a function, an array or an extended pattern')
      if (next === '<' || next === '>') {
        if (/^[0-9]+$/.test(word.text)) {
          const numbered = this.redirect(inner)
          if (numbered === null) refuse('a redirect is not clear')
          redirects.push(numbered)
          end = this.at
          continue
        }
        if (/^\{\w+\}$/.test(word.text)) refuse('it opens a file under a name')
      }
      if (words.length === 0 && ASSIGNMENT.test(word.text)) assignments.push(word)
      else {
        if (words.length === 0 && KEYWORDS.has(word.text)) refuse(`it uses "${word.text}"`)
        if (words.length === 0 && (word.text === '{' || word.text === '}' || word.text === '!'))
          refuse(`"${word.text}" is not expected there`)
        words.push(word)
      }
    }
    if (assignments.length + words.length + redirects.length === 0) refuse('a command is missing')
    return { kind: 'simple', text: this.source.slice(start, end), assignments, words, redirects, inner }
  }

  // ---- redirects and heredocs ------------------------------------------------------------------

  private redirect(inner: ShellList[]): ShellRedirect | null {
    const operator = REDIRECTS.find((candidate) => this.source.startsWith(candidate, this.at))
    if (operator === undefined || this.substitutesProcess()) return null
    this.at += operator.length
    this.blanks(false)
    if (endsWord(this.source[this.at]) && !this.substitutesProcess()) refuse('a redirect has no target')
    const target = this.word(inner)
    if (this.source[this.at] === '(') refuse('it uses an extended pattern')
    if (operator !== '<<' && operator !== '<<-') return { operator, target }
    if (target.value === null) refuse('the end mark of a heredoc is not clear')
    const literal = /['"\\]/.test(target.text)
    this.waiting.push({ delimiter: target.value, stripTabs: operator === '<<-', literal, inner })
    return { operator: '<<', target: null }
  }

  /** Steps over a line break, and over the heredocs that begin there. */
  private lineBreak(): void {
    if (this.outerWaits) refuse('a heredoc begins inside another construct')
    this.at += 1
    const waiting = this.waiting
    this.waiting = []
    for (const heredoc of waiting) this.heredoc(heredoc)
  }

  private heredoc(heredoc: Heredoc): void {
    const lines: string[] = []
    for (;;) {
      if (this.at >= this.source.length) refuse('a heredoc has no end')
      const end = this.source.indexOf('\n', this.at)
      const line = this.source.slice(this.at, end < 0 ? this.source.length : end)
      this.at = end < 0 ? this.source.length : end + 1
      const shown = heredoc.stripTabs ? line.replace(/^\t+/, '') : line
      if (shown === heredoc.delimiter) break
      if (!heredoc.literal && line.endsWith('\\')) refuse('a line of a heredoc ends in a backslash')
      lines.push(line)
    }
    if (!heredoc.literal)
      heredoc.inner.push(...new ShellParser(lines.join('\n'), this.depth + 1).expansions())
  }

  /** The commands inside a text that is expanded like one in double quotes. */
  private expansions(): readonly ShellList[] {
    const inner: ShellList[] = []
    const word = new WordBuilder()
    while (this.at < this.source.length) this.quotedCharacter(word, inner)
    return inner
  }

  // ---- words -----------------------------------------------------------------------------------

  private word(inner: ShellList[]): ShellWord {
    const start = this.at
    const word = new WordBuilder()
    if (this.source[this.at] === '~') word.unknown()
    for (;;) {
      const character = this.source[this.at]
      if (this.substitutesProcess()) {
        if (this.at > start) refuse('a process substitution is part of a word')
        this.at += 2
        inner.push(this.list(')'))
        word.unknown()
      } else if (character === undefined || endsWord(character)) break
      else if (character === '\\') this.escaped(word)
      else if (character === "'") this.singleQuoted(word)
      else if (character === '"') this.doubleQuoted(word, inner)
      else if (character === '$') this.dollar(word, inner, false)
      else if (character === '`') this.backticks(word, inner)
      else {
        word.bare(character)
        this.at += 1
      }
    }
    return word.build(this.source.slice(start, this.at))
  }

  private substitutesProcess(): boolean {
    return /[<>]/.test(this.source[this.at] ?? '') && this.source[this.at + 1] === '('
  }

  private escaped(word: WordBuilder): void {
    const next = this.source[this.at + 1]
    if (next === undefined) refuse('it ends in a backslash')
    if (next === '\n') this.continuation()
    else {
      word.quoted(next)
      this.at += 2
    }
  }

  /** A shell joins the lines before it reads on, so what stands directly before could change its meaning. */
  private continuation(): void {
    if (!isBlank(this.source[this.at - 1])) refuse('a line is continued inside a word')
    if (this.waiting.length > 0) refuse('a line is continued before a heredoc')
    this.at += 2
  }

  private singleQuoted(word: WordBuilder): void {
    const end = this.source.indexOf("'", this.at + 1)
    if (end < 0) refuse('a quote is not closed')
    const text = this.source.slice(this.at + 1, end)
    if (this.waiting.length > 0 && text.includes('\n')) refuse('a heredoc begins inside a quote')
    word.quoted(text)
    this.at = end + 1
  }

  private doubleQuoted(word: WordBuilder, inner: ShellList[]): void {
    this.at += 1
    word.quoted('')
    for (;;) {
      const character = this.source[this.at]
      if (character === undefined) refuse('a quote is not closed')
      if (character === '"') break
      if (character === '\n' && this.waiting.length > 0) refuse('a heredoc begins inside a quote')
      this.quotedCharacter(word, inner)
    }
    this.at += 1
  }

  /** One step inside double quotes, or inside the body of a heredoc. */
  private quotedCharacter(word: WordBuilder, inner: ShellList[]): void {
    const character = this.source[this.at] ?? ''
    if (character === '$') this.dollar(word, inner, true)
    else if (character === '`') this.backticks(word, inner)
    else if (character === '\\' && this.source[this.at + 1] === '\n') this.continuation()
    else if (character === '\\' && /[$`"\\]/.test(this.source[this.at + 1] ?? '')) {
      word.quoted(this.source[this.at + 1] ?? '')
      this.at += 2
    } else {
      word.quoted(character)
      this.at += 1
    }
  }

  private dollar(word: WordBuilder, inner: ShellList[], quoted: boolean): void {
    const rest = this.source.slice(this.at + 1, this.at + 3)
    if (rest === '((') this.arithmetic(word)
    else if (rest[0] === '(') {
      this.at += 2
      inner.push(this.list(')'))
      word.unknown()
    } else if (rest[0] === '[' || rest[0] === '{') this.braced(word)
    else if (!quoted && (rest[0] === "'" || rest[0] === '"')) refuse(`it uses $${rest[0]}…${rest[0]}`)
    else if (rest[0] === '\\') refuse('a backslash follows a dollar sign')
    else {
      VARIABLE.lastIndex = this.at
      const variable = VARIABLE.exec(this.source)
      if (variable) {
        word.unknown()
        this.at += variable[0].length
      } else {
        word.quoted('$')
        this.at += 1
      }
    }
  }

  /** `${NAME}` only: the other forms can run commands or change variables. */
  private braced(word: WordBuilder): void {
    BRACED_VARIABLE.lastIndex = this.at
    const variable = BRACED_VARIABLE.exec(this.source)
    if (variable === null) refuse('it uses an expansion that can do more than read a variable')
    word.unknown()
    this.at += variable[0].length
  }

  /** Numbers only: names in an arithmetic expression can run commands. */
  private arithmetic(word: WordBuilder): void {
    ARITHMETIC.lastIndex = this.at
    const expression = ARITHMETIC.exec(this.source)
    if (expression === null) refuse('it calculates with more than numbers')
    word.unknown()
    this.at += expression[0].length
  }

  private backticks(word: WordBuilder, inner: ShellList[]): void {
    let end = this.at + 1
    while (end < this.source.length && this.source[end] !== '`') end += this.source[end] === '\\' ? 2 : 1
    if (end >= this.source.length) refuse('a backtick is not closed')
    const raw = this.source.slice(this.at + 1, end)
    // Inside double quotes shells disagree on which backslashes are taken away.
    if (raw.includes('\\')) refuse('backticks contain a backslash')
    inner.push(new ShellParser(raw, this.depth + 1).whole())
    word.unknown()
    this.at = end + 1
  }

  // ---- blanks ----------------------------------------------------------------------------------

  /** Steps over blanks, comments and continued lines, and over line breaks where a command may begin. */
  private blanks(lineBreaks: boolean): void {
    for (;;) {
      const character = this.source[this.at]
      if (character === ' ' || character === '\t') this.at += 1
      else if (character === '\\' && this.source[this.at + 1] === '\n') this.continuation()
      else if (character === '#' && this.startsWord()) {
        const end = this.source.indexOf('\n', this.at)
        this.at = end < 0 ? this.source.length : end
      } else if (lineBreaks && character === '\n') this.lineBreak()
      else return
    }
  }

  private startsWord(): boolean {
    return this.at === 0 || endsWord(this.source[this.at - 1])
  }
}

/** Longest first. */
const REDIRECTS = ['&>>', '<<<', '<<-', '&>', '>>', '>|', '>&', '<<', '<&', '<>', '<', '>']
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/
const VARIABLE = /\$([A-Za-z_]\w*|[0-9@*#?$!-])/y
const BRACED_VARIABLE = /\$\{([A-Za-z_]\w*|[0-9]+|[@*#?$!-])\}/y
const ARITHMETIC = /\$\(\([0-9+\-*/%() \t]*\)\)/y

function endsWord(character: string | undefined): boolean {
  return character === undefined || ' \t\n;&|()<>'.includes(character)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n'
}
