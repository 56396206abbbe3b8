/** Head and tail of a long text, for the first look at it. */

export interface Clipped {
  readonly head: string
  /** Empty where nothing was left out. */
  readonly tail: string
  /** Lines between the two. */
  readonly hidden: number
}

/** Keeps the first and the last lines; a text that is hardly longer stays whole. */
export function clipLines(text: string, head: number, tail: number): Clipped {
  const lines = text.split('\n')
  const hidden = lines.length - head - tail
  if (hidden < 10) return { head: text, tail: '', hidden: 0 }
  return {
    head: lines.slice(0, head).join('\n'),
    tail: lines.slice(lines.length - tail).join('\n'),
    hidden,
  }
}

/** The last lines of a text, and at most so many characters: what a running command said just now. */
export function lastLines(text: string, count: number, characters = 4000): string {
  const end = text.slice(-characters).replace(/\n+$/, '')
  return end.split('\n').slice(-count).join('\n')
}
