/**
 * Reads the words of a shell command: quotes, expansions, redirects, heredocs and blanks. A construct that shells read
 * differently, or that runs code in an unexpected place, is refused (see parse-shell.ts).
 */
import type { ShellList, ShellRedirect, ShellWord } from './shell-syntax.ts'

/** Thrown where a construct is not understood. The message is a noun phrase. */
export class Refusal extends Error {}

export function refuseText(because: string): never {
  throw new Refusal(because)
}

interface Heredoc {
  readonly delimiter: string
  readonly stripTabs: boolean
  readonly literal: boolean
  readonly inner: ShellList[]
}

export interface EndedList {
  readonly list: ShellList
  /** The mark that ended the list. */
  readonly end: string
}

export abstract class ShellReader {
  protected readonly source: string
  protected at = 0
  /** A heredoc of an outer list has no body yet. */
  protected outerWaits = false
  /** Heredocs whose bodies start after the next line break. */
  protected waiting: Heredoc[] = []

  constructor(source: string) {
    this.source = source
  }

  /** Parses a list up to one of the marks, and consumes the mark. */
  protected abstract list(ends: readonly string[]): EndedList

  /** The commands of a text that the shell parses separately. */
  protected abstract inner(source: string): ShellList

  /** The commands inside a text that is expanded like double quotes. */
  protected abstract expansionsIn(source: string): readonly ShellList[]

  // ---- words -----------------------------------------------------------------------------------

  protected word(inner: ShellList[]): ShellWord {
    const start = this.at
    const word = new WordBuilder()
    if (this.source[this.at] === '~') word.unknown()
    for (;;) {
      const character = this.source[this.at]
      if (this.substitutesProcess()) {
        if (this.at > start) refuseText('process substitution inside a word')
        this.at += 2
        inner.push(this.list([')']).list)
        word.quoted('/dev/fd/63')
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

  protected substitutesProcess(): boolean {
    return /[<>]/.test(this.source[this.at] ?? '') && this.source[this.at + 1] === '('
  }

  private escaped(word: WordBuilder): void {
    const next = this.source[this.at + 1]
    if (next === undefined) refuseText('trailing backslash')
    if (next === '\n') this.continuation()
    else {
      word.quoted(next)
      this.at += 2
    }
  }

  /** A shell joins the lines first, so the text directly before the break could change its meaning. */
  private continuation(): void {
    if (!isBlank(this.source[this.at - 1])) refuseText('line continued inside a word')
    if (this.waiting.length > 0) refuseText('line continued before a heredoc')
    this.at += 2
  }

  private singleQuoted(word: WordBuilder): void {
    const end = this.source.indexOf("'", this.at + 1)
    if (end < 0) refuseText('unclosed quote')
    const text = this.source.slice(this.at + 1, end)
    if (this.waiting.length > 0 && text.includes('\n')) refuseText('heredoc inside a quote')
    word.quoted(text)
    this.at = end + 1
  }

  private doubleQuoted(word: WordBuilder, inner: ShellList[]): void {
    this.at += 1
    word.quoted('')
    for (;;) {
      const character = this.source[this.at]
      if (character === undefined) refuseText('unclosed quote')
      if (character === '"') break
      if (character === '\n' && this.waiting.length > 0) refuseText('heredoc inside a quote')
      this.quotedCharacter(word, inner)
    }
    this.at += 1
  }

  /** One step inside double quotes, or inside the body of a heredoc. */
  protected quotedCharacter(word: WordBuilder, inner: ShellList[]): void {
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
      inner.push(this.list([')']).list)
      word.unknown()
    } else if (rest[0] === '[' || rest[0] === '{') this.braced(word, quoted)
    else if (!quoted && (rest[0] === "'" || rest[0] === '"')) refuseText(`$${rest[0]}…${rest[0]}`)
    else if (rest[0] === '\\') refuseText('backslash after a dollar sign')
    else {
      VARIABLE.lastIndex = this.at
      const variable = VARIABLE.exec(this.source)
      if (variable) {
        word.expansion(variable[1] ?? '', quoted)
        this.at += variable[0].length
      } else {
        word.quoted('$')
        this.at += 1
      }
    }
  }

  /** Only `${NAME}`: other forms can run commands or change variables. */
  private braced(word: WordBuilder, quoted: boolean): void {
    BRACED_VARIABLE.lastIndex = this.at
    const variable = BRACED_VARIABLE.exec(this.source)
    if (variable === null) refuseText('complex variable expansion')
    word.expansion(variable[1] ?? '', quoted)
    this.at += variable[0].length
  }

  /** Only numbers: names in an arithmetic expression can run commands. */
  private arithmetic(word: WordBuilder): void {
    ARITHMETIC.lastIndex = this.at
    const expression = ARITHMETIC.exec(this.source)
    if (expression === null) refuseText('arithmetic with variables')
    word.unknown()
    this.at += expression[0].length
  }

  private backticks(word: WordBuilder, inner: ShellList[]): void {
    let end = this.at + 1
    while (end < this.source.length && this.source[end] !== '`') end += this.source[end] === '\\' ? 2 : 1
    if (end >= this.source.length) refuseText('unclosed backtick')
    const raw = this.source.slice(this.at + 1, end)
    // Inside double quotes, shells disagree about the backslashes to remove.
    if (raw.includes('\\')) refuseText('backslash inside backticks')
    inner.push(this.inner(raw))
    word.unknown()
    this.at = end + 1
  }

  // ---- redirects and heredocs ------------------------------------------------------------------

  protected redirect(inner: ShellList[]): ShellRedirect | null {
    const operator = REDIRECTS.find((candidate) => this.source.startsWith(candidate, this.at))
    if (operator === undefined || this.substitutesProcess()) return null
    this.at += operator.length
    this.blanks(false)
    if (endsWord(this.source[this.at]) && !this.substitutesProcess()) refuseText('redirect without a target')
    const target = this.word(inner)
    if (this.source[this.at] === '(') refuseText('extended pattern')
    if (operator !== '<<' && operator !== '<<-') return { operator, target }
    if (target.value === null) refuseText('ambiguous end of a heredoc')
    const literal = /['"\\]/.test(target.text)
    this.waiting.push({ delimiter: target.value, stripTabs: operator === '<<-', literal, inner })
    return { operator: '<<', target: null }
  }

  /** Consumes a line break and the heredocs that begin there. */
  protected lineBreak(): void {
    if (this.outerWaits) refuseText('heredoc inside another construct')
    this.at += 1
    const waiting = this.waiting
    this.waiting = []
    for (const heredoc of waiting) this.heredoc(heredoc)
  }

  private heredoc(heredoc: Heredoc): void {
    const lines: string[] = []
    for (;;) {
      if (this.at >= this.source.length) refuseText('heredoc without an end')
      const end = this.source.indexOf('\n', this.at)
      const line = this.source.slice(this.at, end < 0 ? this.source.length : end)
      this.at = end < 0 ? this.source.length : end + 1
      const shown = heredoc.stripTabs ? line.replace(/^\t+/, '') : line
      if (shown === heredoc.delimiter) break
      if (!heredoc.literal && line.endsWith('\\')) refuseText('heredoc line that ends in a backslash')
      lines.push(line)
    }
    if (!heredoc.literal) heredoc.inner.push(...this.expansionsIn(lines.join('\n')))
  }

  /** The commands inside a text that is expanded like double quotes. */
  protected expansions(): readonly ShellList[] {
    const inner: ShellList[] = []
    const word = new WordBuilder()
    while (this.at < this.source.length) this.quotedCharacter(word, inner)
    return inner
  }

  // ---- blanks ----------------------------------------------------------------------------------

  /** Skips blanks, comments and continued lines; also line breaks where `lineBreaks` is set. */
  protected blanks(lineBreaks: boolean): void {
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
const VARIABLE = /\$([A-Za-z_]\w*|[0-9@*#?$!-])/y
const BRACED_VARIABLE = /\$\{([A-Za-z_]\w*|[0-9]+|[@*#?$!-])\}/y
const ARITHMETIC = /\$\(\([0-9+\-*/%() \t]*\)\)/y

export function endsWord(character: string | undefined): boolean {
  return character === undefined || ' \t\n;&|()<>'.includes(character)
}

export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n'
}

/** Builds a word, and tracks the part that is known before the command runs. */
class WordBuilder {
  private value = ''
  private isUnknown = false
  private start: string | null = null
  /** The word with quoted characters replaced by a letter, for the search for patterns. */
  private shape = ''
  /** The word with a backslash before quoted special characters. */
  private pattern = ''
  private variable: ShellWord['variable'] | null = null
  private pieces = 0

  bare(character: string): void {
    this.pieces += 1
    if (this.start === null && '*?['.includes(character)) this.start = this.value
    this.value += character
    this.shape += character
    this.pattern += character
  }

  quoted(text: string): void {
    if (text !== '') this.pieces += 1
    this.value += text
    this.shape += 'q'
    this.pattern += text.replace(/[^\w/]/g, '\\$&')
  }

  /** The value of a variable. */
  expansion(name: string, quoted: boolean): void {
    this.unknown()
    this.variable = { name, quoted }
  }

  unknown(): void {
    this.pieces += 1
    this.start ??= this.value
    this.shape += 'q'
    this.isUnknown = true
  }

  build(text: string): ShellWord {
    // A single `[` or `]` belongs to the test command.
    const isTest = this.shape === '[' || this.shape === ']'
    const brace = this.shape.indexOf('{')
    const braces = brace >= 0 && /,|\.\./.test(this.shape.slice(brace))
    const glob = !isTest && (/[*?[]/.test(this.shape) || braces)
    if (!glob && !this.isUnknown) return { text, value: this.value, start: this.value, glob: false }
    const start = braces
      ? text.slice(0, Math.max(0, text.search(/[{'"\\$`*?[]/)))
      : (this.start ?? this.value)
    const word = { text, value: null, start, glob }
    if (glob && !this.isUnknown) return { ...word, pattern: this.pattern }
    return this.variable && this.pieces === 1 ? { ...word, variable: this.variable } : word
  }
}
