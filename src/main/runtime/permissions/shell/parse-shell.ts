/**
 * Parses a command line of bash or a POSIX shell for permission checks. The parser refuses rather than guesses:
 * constructs that shells read differently, and constructs that run code in unexpected places (`${x@P}`, `$((a[…]))`,
 * `$'…'` as a name, control structures, functions, arrays), are not parsed, and such a command needs permission.
 * The file is long because the quoting rules of a shell only make sense together.
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

/** Never throws. A string is parsed completely, or refused with a reason. */
export function parseShell(source: string): ParsedShell {
  if (source.length > LONGEST_COMMAND) return { ok: false, because: 'too long' }
  if (UNREADABLE.test(source)) return { ok: false, because: 'control or invisible characters' }
  try {
    return { ok: true, list: new ShellParser(source, 0).whole() }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { ok: false, because: thrown.message }
    throw thrown
  }
}

/** Control characters, and invisible spaces that some shells treat as separators. */
const UNREADABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/u

const LOOPS: ReadonlySet<string> = new Set(['for', 'while', 'until', 'select'])

const keywordText = (word: string): string => (LOOPS.has(word) ? `"${word}" loop` : `"${word}"`)

class Refusal extends Error {}

function refuse(because: string): never {
  throw new Refusal(because)
}

/** Words that start a control structure in the position of a command name. */
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
  /** Open lists. */
  private nesting = 0
  /** A heredoc of an outer list has no body yet. */
  private outerWaits = false
  /** Heredocs whose bodies start after the next line break. */
  private waiting: Heredoc[] = []

  constructor(source: string, depth: number) {
    if (depth > DEEPEST_NESTING) refuse('nested too deeply')
    this.source = source
    this.depth = depth
  }

  whole(): ShellList {
    const list = this.list(null)
    if (this.waiting.length > 0) refuse('heredoc without an end')
    return list
  }

  // ---- lists, pipelines, commands --------------------------------------------------------------

  /** Parses a list, consumes its end mark. A list has heredocs of its own. */
  private list(end: ')' | '}' | null): ShellList {
    if (this.depth + this.nesting > DEEPEST_NESTING) refuse('nested too deeply')
    const outer = { waiting: this.waiting, outerWaits: this.outerWaits }
    this.outerWaits ||= this.waiting.length > 0
    this.waiting = []
    this.nesting += 1
    const list = this.pipelines(end)
    this.nesting -= 1
    if (end === null) return list
    if (this.waiting.length > 0) refuse('heredoc without an end')
    if (this.source[this.at] !== end) refuse(`missing "${end}"`)
    if (list.length === 0) refuse('empty group')
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
      if (this.ended(end)) refuse(`nothing after ${joint}`)
    }
  }

  private ended(end: ')' | '}' | null): boolean {
    if (this.at >= this.source.length) return true
    if (end === null) return false
    return end === '}' ? this.closingBrace() : this.source[this.at] === end
  }

  /** Whether a `}` is in the position of a command name. */
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

  /** The operator between this pipeline and the next; null at the end. */
  private separator(end: ')' | '}' | null): '&&' | '||' | ';' | '&' | null {
    const next = this.source[this.at]
    if (next === undefined) return null
    if (end === ')' && next === ')') return null
    const two = this.source.slice(this.at, this.at + 2)
    if (two === '&&' || two === '||') {
      this.at += 2
      return two
    }
    if (two === ';;' || two === ';&' || two === ';|') refuse(two)
    if (next === ';' || next === '&') {
      this.at += 1
      return next
    }
    if (next === '\n') {
      this.lineBreak()
      return ';'
    }
    return refuse(`unexpected ${JSON.stringify(next)}`)
  }

  private command(): SimpleCommand | CommandGroup {
    const first = this.source[this.at]
    if (first === '(') {
      if (this.source[this.at + 1] === '(') refuse('(( … ))')
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
      if (next === '(') refuse('function, array or extended pattern')
      if (next === '<' || next === '>') {
        if (/^[0-9]+$/.test(word.text)) {
          const numbered = this.redirect(inner)
          if (numbered === null) refuse('ambiguous redirect')
          redirects.push(numbered)
          end = this.at
          continue
        }
        if (/^\{\w+\}$/.test(word.text)) refuse('named file descriptor')
      }
      if (words.length === 0 && ASSIGNMENT.test(word.text)) assignments.push(word)
      else {
        if (words.length === 0 && KEYWORDS.has(word.text)) refuse(keywordText(word.text))
        if (words.length === 0 && (word.text === '{' || word.text === '}' || word.text === '!'))
          refuse(`unexpected "${word.text}"`)
        words.push(word)
      }
    }
    if (assignments.length + words.length + redirects.length === 0) refuse('missing command')
    return { kind: 'simple', text: this.source.slice(start, end), assignments, words, redirects, inner }
  }

  // ---- redirects and heredocs ------------------------------------------------------------------

  private redirect(inner: ShellList[]): ShellRedirect | null {
    const operator = REDIRECTS.find((candidate) => this.source.startsWith(candidate, this.at))
    if (operator === undefined || this.substitutesProcess()) return null
    this.at += operator.length
    this.blanks(false)
    if (endsWord(this.source[this.at]) && !this.substitutesProcess()) refuse('redirect without a target')
    const target = this.word(inner)
    if (this.source[this.at] === '(') refuse('extended pattern')
    if (operator !== '<<' && operator !== '<<-') return { operator, target }
    if (target.value === null) refuse('ambiguous end of a heredoc')
    const literal = /['"\\]/.test(target.text)
    this.waiting.push({ delimiter: target.value, stripTabs: operator === '<<-', literal, inner })
    return { operator: '<<', target: null }
  }

  /** Consumes a line break and the heredocs that begin there. */
  private lineBreak(): void {
    if (this.outerWaits) refuse('heredoc inside another construct')
    this.at += 1
    const waiting = this.waiting
    this.waiting = []
    for (const heredoc of waiting) this.heredoc(heredoc)
  }

  private heredoc(heredoc: Heredoc): void {
    const lines: string[] = []
    for (;;) {
      if (this.at >= this.source.length) refuse('heredoc without an end')
      const end = this.source.indexOf('\n', this.at)
      const line = this.source.slice(this.at, end < 0 ? this.source.length : end)
      this.at = end < 0 ? this.source.length : end + 1
      const shown = heredoc.stripTabs ? line.replace(/^\t+/, '') : line
      if (shown === heredoc.delimiter) break
      if (!heredoc.literal && line.endsWith('\\')) refuse('heredoc line that ends in a backslash')
      lines.push(line)
    }
    if (!heredoc.literal)
      heredoc.inner.push(...new ShellParser(lines.join('\n'), this.depth + 1).expansions())
  }

  /** The commands inside a text that is expanded like double quotes. */
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
        if (this.at > start) refuse('process substitution inside a word')
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
    if (next === undefined) refuse('trailing backslash')
    if (next === '\n') this.continuation()
    else {
      word.quoted(next)
      this.at += 2
    }
  }

  /** A shell joins the lines first, so the text directly before the break could change its meaning. */
  private continuation(): void {
    if (!isBlank(this.source[this.at - 1])) refuse('line continued inside a word')
    if (this.waiting.length > 0) refuse('line continued before a heredoc')
    this.at += 2
  }

  private singleQuoted(word: WordBuilder): void {
    const end = this.source.indexOf("'", this.at + 1)
    if (end < 0) refuse('unclosed quote')
    const text = this.source.slice(this.at + 1, end)
    if (this.waiting.length > 0 && text.includes('\n')) refuse('heredoc inside a quote')
    word.quoted(text)
    this.at = end + 1
  }

  private doubleQuoted(word: WordBuilder, inner: ShellList[]): void {
    this.at += 1
    word.quoted('')
    for (;;) {
      const character = this.source[this.at]
      if (character === undefined) refuse('unclosed quote')
      if (character === '"') break
      if (character === '\n' && this.waiting.length > 0) refuse('heredoc inside a quote')
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
    else if (!quoted && (rest[0] === "'" || rest[0] === '"')) refuse(`$${rest[0]}…${rest[0]}`)
    else if (rest[0] === '\\') refuse('backslash after a dollar sign')
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

  /** Only `${NAME}`: other forms can run commands or change variables. */
  private braced(word: WordBuilder): void {
    BRACED_VARIABLE.lastIndex = this.at
    const variable = BRACED_VARIABLE.exec(this.source)
    if (variable === null) refuse('complex variable expansion')
    word.unknown()
    this.at += variable[0].length
  }

  /** Only numbers: names in an arithmetic expression can run commands. */
  private arithmetic(word: WordBuilder): void {
    ARITHMETIC.lastIndex = this.at
    const expression = ARITHMETIC.exec(this.source)
    if (expression === null) refuse('arithmetic with variables')
    word.unknown()
    this.at += expression[0].length
  }

  private backticks(word: WordBuilder, inner: ShellList[]): void {
    let end = this.at + 1
    while (end < this.source.length && this.source[end] !== '`') end += this.source[end] === '\\' ? 2 : 1
    if (end >= this.source.length) refuse('unclosed backtick')
    const raw = this.source.slice(this.at + 1, end)
    // Inside double quotes, shells disagree about the backslashes to remove.
    if (raw.includes('\\')) refuse('backslash inside backticks')
    inner.push(new ShellParser(raw, this.depth + 1).whole())
    word.unknown()
    this.at = end + 1
  }

  // ---- blanks ----------------------------------------------------------------------------------

  /** Skips blanks, comments and continued lines; also line breaks where `lineBreaks` is set. */
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
