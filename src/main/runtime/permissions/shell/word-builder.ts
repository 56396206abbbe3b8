/** Builds a word of a shell command, and tracks the part that is known before the command runs. */
import type { ShellWord } from './shell-syntax.ts'

export class WordBuilder {
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
