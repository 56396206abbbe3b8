/** Lines for standard output, written in large pieces: a call for each line would take longer than its work. */
import { setImmediate } from 'node:timers/promises'

const PIECE = 64 * 1024

export interface PrintedLines {
  /** Adds a line; its end is added here. */
  add(line: string): void
  /** Writes what has become a large piece. Between two, others get a turn: a reader that has gone is noticed. */
  pause(): Promise<void>
  /** Writes all there is. */
  end(): void
}

export function printedLines(output: { write(text: string): void }): PrintedLines {
  let piece = ''
  const write = () => {
    if (piece !== '') output.write(piece)
    piece = ''
  }
  return {
    add(line) {
      piece += `${line}\n`
    },
    async pause() {
      if (piece.length < PIECE) return
      write()
      await setImmediate()
    },
    end: write,
  }
}
