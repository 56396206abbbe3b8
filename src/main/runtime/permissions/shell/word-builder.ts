/** A word of a shell command while it is read: what is known of it, and where that ends. */
import type { ShellWord } from './shell-syntax.ts'

/** Collects what a word will be. */
export class WordBuilder {
  private value = ''
  private isUnknown = false
  private start: string | null = null
  /** The unquoted characters in their places, quoted ones as a letter: patterns are looked for here. */
  private shape = ''

  bare(character: string): void {
    if (this.start === null && '*?['.includes(character)) this.start = this.value
    this.value += character
    this.shape += character
  }

  quoted(text: string): void {
    this.value += text
    this.shape += 'q'
  }

  unknown(): void {
    this.start ??= this.value
    this.shape += 'q'
    this.isUnknown = true
  }

  build(text: string): ShellWord {
    // `[` and `]` alone are the test command and its end.
    const isTest = this.shape === '[' || this.shape === ']'
    const brace = this.shape.indexOf('{')
    const braces = brace >= 0 && /,|\.\./.test(this.shape.slice(brace))
    const glob = !isTest && (/[*?[]/.test(this.shape) || braces)
    if (!glob && !this.isUnknown) return { text, value: this.value, start: this.value, glob: false }
    const start = braces
      ? text.slice(0, Math.max(0, text.search(/[{'"\\$`*?[]/)))
      : (this.start ?? this.value)
    return { text, value: null, start, glob }
  }
}
