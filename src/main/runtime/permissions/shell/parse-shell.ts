/**
 * Parses a command line of bash or a POSIX shell for permission checks. The parser refuses rather than guesses:
 * constructs that shells read differently, and constructs that run code in unexpected places (`${x@P}`, `$((a[…]))`,
 * `$'…'`, functions, arrays, `[[ x -eq y ]]`), are not parsed, and such a command needs permission.
 */

import { type EndedList, endsWord, isBlank, Refusal, refuseText, ShellReader } from './shell-reader.ts'
import type {
  ParsedShell,
  Pipeline,
  ShellGroup,
  ShellList,
  ShellLoop,
  ShellRedirect,
  ShellWord,
  SimpleCommand,
} from './shell-syntax.ts'

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

/** Words that have a meaning of their own in the position of a command name, and are not parsed there. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'then else elif fi do done esac select function coproc ]] in { } !'.split(' '),
)

/** What ends a clause of a `case`. `;&` and `;;&` are not parsed. */
const CASE_ENDS = [';;', 'esac'] as const

class ShellParser extends ShellReader {
  private readonly depth: number
  /** Open lists. */
  private nesting = 0

  constructor(source: string, depth: number) {
    super(source)
    if (depth > DEEPEST_NESTING) refuseText('nested too deeply')
    this.depth = depth
  }

  whole(): ShellList {
    const { list } = this.list([])
    if (this.waiting.length > 0) refuseText('heredoc without an end')
    return list
  }

  protected inner(source: string): ShellList {
    return new ShellParser(source, this.depth + 1).whole()
  }

  protected expansionsIn(source: string): readonly ShellList[] {
    return new ShellParser(source, this.depth + 1).expansions()
  }

  // ---- lists and pipelines -----------------------------------------------------------------------

  /** No marks: the end of the text. A list has heredocs of its own. */
  protected list(ends: readonly string[]): EndedList {
    if (this.depth + this.nesting > DEEPEST_NESTING) refuseText('nested too deeply')
    const outer = { waiting: this.waiting, outerWaits: this.outerWaits }
    this.outerWaits ||= this.waiting.length > 0
    this.waiting = []
    this.nesting += 1
    const list = this.pipelines(ends)
    this.nesting -= 1
    if (ends.length === 0) return { list, end: '' }
    if (this.waiting.length > 0) refuseText('heredoc without an end')
    const end = this.endMark(ends) ?? refuseText(`missing "${ends[0]}"`)
    // Only a clause of a `case` may be empty.
    if (list.length === 0 && ends !== CASE_ENDS) refuseText('empty group')
    this.at += end.length
    this.waiting = outer.waiting
    this.outerWaits = outer.outerWaits
    return { list, end }
  }

  private pipelines(ends: readonly string[]): ShellList {
    const list: Pipeline[] = []
    let joint: Pipeline['joint'] = ';'
    for (;;) {
      this.blanks(true)
      if (this.ended(ends)) return list
      const commands = this.pipeline()
      this.blanks(false)
      const operator = this.separator(ends)
      list.push({ joint, commands, background: operator === '&' })
      if (operator === null) return list
      joint = operator === '&' ? ';' : operator
      if (joint === ';') continue
      this.blanks(true)
      if (this.ended(ends)) refuseText(`nothing after ${joint}`)
    }
  }

  private ended(ends: readonly string[]): boolean {
    return this.at >= this.source.length || this.endMark(ends) !== null
  }

  /** The mark at this position. A mark that is a word, or a brace, ends where a word ends. */
  private endMark(ends: readonly string[]): string | null {
    const isHere = (mark: string) =>
      this.source.startsWith(mark, this.at) &&
      (/^[);]/.test(mark) || endsWord(this.source[this.at + mark.length]))
    return ends.find(isHere) ?? null
  }

  private pipeline(): readonly (SimpleCommand | ShellGroup)[] {
    const commands: (SimpleCommand | ShellGroup)[] = []
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
  private separator(ends: readonly string[]): '&&' | '||' | ';' | '&' | null {
    const next = this.source[this.at]
    if (next === undefined) return null
    if (next === ')' && ends.includes(')')) return null
    const two = this.source.slice(this.at, this.at + 2)
    if (two === '&&' || two === '||') {
      this.at += 2
      return two
    }
    if (two === ';;' && ends === CASE_ENDS && this.source[this.at + 2] !== '&') return null
    if (two === ';;' || two === ';&' || two === ';|') refuseText(two)
    if (next === ';' || next === '&') {
      this.at += 1
      return next
    }
    if (next === '\n') {
      this.lineBreak()
      return ';'
    }
    return refuseText(`unexpected ${JSON.stringify(next)}`)
  }

  // ---- commands ----------------------------------------------------------------------------------

  private command(): SimpleCommand | ShellGroup {
    const start = this.at
    if (this.source[start] === '(') {
      if (this.source[start + 1] === '(') refuseText('(( … ))')
      this.at += 1
      return this.group(start, { body: this.list([')']).list })
    }
    switch (this.keyword()) {
      case '{':
        return this.group(start, { body: this.list(['}']).list })
      case 'if':
        return this.group(start, { body: this.branches() })
      case 'while':
      case 'until':
        return this.group(start, { body: this.repeated(), loop: { variable: null, values: [], text: '' } })
      case 'for':
        return this.forLoop(start)
      case 'case':
        return this.caseClauses(start)
      case '[[':
        return this.condition(start)
      default:
        return this.simple()
    }
  }

  /** Consumes a word that starts a compound command. */
  private keyword(): string | null {
    COMPOUND.lastIndex = this.at
    const [word] = COMPOUND.exec(this.source) ?? []
    if (word === undefined || !isBlank(this.source[this.at + word.length])) return null
    this.at += word.length
    return word
  }

  private group(
    start: number,
    parts: { readonly body: ShellList; readonly loop?: ShellLoop; readonly inner?: readonly ShellList[] },
  ): ShellGroup {
    const head = this.source.slice(start, this.at)
    const redirects: ShellRedirect[] = []
    const inner: ShellList[] = [...(parts.inner ?? [])]
    for (;;) {
      this.blanks(false)
      const redirect = this.redirect(inner)
      if (redirect === null) break
      redirects.push(redirect)
    }
    if (!endsWord(this.source[this.at])) refuseText(`unexpected text after ${head.slice(-4)}`)
    const { body, loop = null } = parts
    return { kind: 'group', body, redirects, inner, loop, subshell: head.startsWith('(') }
  }

  /** The conditions and branches after `if`, one after the other. */
  private branches(): ShellList {
    const all: Pipeline[] = [...this.list(['then']).list]
    for (;;) {
      const { list, end } = this.list(['elif', 'else', 'fi'])
      all.push(...list)
      if (end === 'elif') all.push(...this.list(['then']).list)
      if (end === 'else') all.push(...this.list(['fi']).list)
      if (end !== 'elif') return all
    }
  }

  /** The condition and the body after `while`. */
  private repeated(): ShellList {
    return [...this.list(['do']).list, ...this.list(['done']).list]
  }

  /** `for NAME in WORD …; do …; done` */
  private forLoop(start: number): ShellGroup {
    this.blanks(false)
    FOR_NAME.lastIndex = this.at
    const [head, variable] = FOR_NAME.exec(this.source) ?? []
    if (head === undefined || variable === undefined) refuseText('"for" loop')
    this.at += head.length
    const inner: ShellList[] = []
    const values = this.words(inner)
    if (this.source[this.at] === '\n') this.lineBreak()
    else if (this.source[this.at] === ';') this.at += 1
    else refuseText('"for" loop')
    const text = this.source.slice(start, this.at).trim()
    this.blanks(true)
    if (this.endMark(['do']) === null) refuseText('"for" loop')
    this.at += 2
    const body = this.list(['done']).list
    return this.group(start, { body, inner, loop: { variable, values, text } })
  }

  private words(inner: ShellList[]): readonly ShellWord[] {
    const words: ShellWord[] = []
    for (;;) {
      this.blanks(false)
      if (endsWord(this.source[this.at]) && !this.substitutesProcess()) return words
      words.push(this.word(inner))
    }
  }

  /** `case WORD in PATTERN | PATTERN) …;; esac` */
  private caseClauses(start: number): ShellGroup {
    const inner: ShellList[] = []
    this.blanks(false)
    this.word(inner)
    this.blanks(true)
    if (this.endMark(['in']) === null) refuseText('"case"')
    this.at += 2
    const body: Pipeline[] = []
    for (;;) {
      this.blanks(true)
      if (this.endMark(['esac']) !== null) break
      if (this.source[this.at] === '(') this.at += 1
      this.casePatterns(inner)
      const { list, end } = this.list(CASE_ENDS)
      body.push(...list)
      if (end === 'esac') return this.group(start, { body, inner })
    }
    this.at += 4
    return this.group(start, { body, inner })
  }

  private casePatterns(inner: ShellList[]): void {
    for (;;) {
      this.blanks(false)
      if (this.word(inner).text === '') refuseText('"case"')
      this.blanks(false)
      const next = this.source[this.at]
      this.at += 1
      if (next === ')') return
      if (next !== '|') refuseText('"case"')
    }
  }

  /** `[[ … ]]`, as a command with its operators among the words. */
  private condition(start: number): SimpleCommand {
    const inner: ShellList[] = []
    const words: ShellWord[] = [{ text: '[[', value: '[[', start: '[[', glob: false }]
    for (;;) {
      this.blanks(true)
      const operator = ['&&', '||', '(', ')', '<', '>'].find((each) => this.source.startsWith(each, this.at))
      if (operator !== undefined && !this.substitutesProcess()) {
        if (this.source[this.at - 1] !== undefined && !isBlank(this.source[this.at - 1])) refuseText('"[["')
        this.at += operator.length
        words.push({ text: operator, value: operator, start: operator, glob: false })
        continue
      }
      if (endsWord(this.source[this.at])) refuseText('"[["')
      const word = this.word(inner)
      words.push(word)
      if (word.text === ']]') break
    }
    if (!endsWord(this.source[this.at])) refuseText('"[["')
    return {
      kind: 'simple',
      text: this.source.slice(start, this.at),
      assignments: [],
      words,
      redirects: [],
      inner,
    }
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
      if (next === '(') refuseText('function, array or extended pattern')
      if (next === '<' || next === '>') {
        if (/^[0-9]+$/.test(word.text)) {
          const numbered = this.redirect(inner)
          if (numbered === null) refuseText('ambiguous redirect')
          redirects.push(numbered)
          end = this.at
          continue
        }
        if (/^\{\w+\}$/.test(word.text)) refuseText('named file descriptor')
      }
      if (words.length === 0 && ASSIGNMENT.test(word.text)) assignments.push(word)
      else {
        if (words.length === 0 && (KEYWORDS.has(word.text) || COMPOUND_WORD.test(word.text)))
          refuseText(`"${word.text}"`)
        words.push(word)
      }
    }
    if (assignments.length + words.length + redirects.length === 0) refuseText('missing command')
    return { kind: 'simple', text: this.source.slice(start, end), assignments, words, redirects, inner }
  }
}

const COMPOUND = /\{|\[\[|(?:if|while|until|for|case)(?![\w-])/y
const COMPOUND_WORD = /^(if|while|until|for|case|\[\[)$/
const FOR_NAME = /([A-Za-z_]\w*)[ \t\n]+in(?=[ \t])/y
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/
