/** The head and the tail of a long text, for its folded form. */

interface Clipped {
  readonly head: string
  /** Empty if no lines are left out. */
  readonly tail: string
  /** The number of lines left out. */
  readonly hidden: number
}

/** Keeps the first and the last lines. A slightly longer text stays whole. */
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

/** The last lines of a text, with a maximum of characters, for the output of a running command. */
export function lastLines(text: string, count: number, characters = 4000): string {
  const end = text.slice(-characters).replace(/\n+$/, '')
  return end.split('\n').slice(-count).join('\n')
}
