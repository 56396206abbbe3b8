/** Buffers lines for standard output: a write per line would take longer than the work for the line. */
import { setImmediate } from 'node:timers/promises'

const PIECE = 64 * 1024

interface PrintedLines {
  /** Adds a line without its line break. */
  add(line: string): void
  /** Writes a full buffer, then yields to the event loop, so that a closed pipe is noticed. */
  pause(): Promise<void>
  /** Writes the rest. */
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
