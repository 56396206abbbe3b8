/**
 * What a command prints and asks. Nothing that a model, a file or the API wrote can control the terminal.
 */
import { escapeUnsafe, makeTerminalSafe, makeVisible } from '../../../shared/kernel/visible-text.ts'

/** Exit codes. docs/using/command-line.md says what each means. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  noAccess: 3,
  limit: 4,
  wrongReport: 5,
  failedCheck: 6,
  notMerged: 7,
  interrupted: 130,
} as const

/** Complete texts: a write never begins or ends inside a line break. */
export interface TextOutput {
  write(text: string): void
}

/** Text for people, whether or not a terminal shows it. Control characters are replaced by their names. */
export function textOutput(stream: TextOutput): TextOutput {
  return { write: (text) => stream.write(makeTerminalSafe(text)) }
}

/** JSON for programs, one value per line. Control characters are escaped, so a parser gets the exact values. */
export function jsonOutput(stream: TextOutput): TextOutput {
  return { write: (json) => stream.write(escapeUnsafe(json)) }
}

/** Standard output and standard error of a command. */
export interface Printing {
  readonly output: TextOutput
  readonly errors: TextOutput
}

/** How a command speaks. */
export interface Spoken extends Printing {
  /** Asks the user at the terminal for a line; null: nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | null
}

/** The outputs of this process. */
export function outputs({ json }: { readonly json: boolean } = { json: false }): Printing {
  return {
    output: json ? jsonOutput(process.stdout) : textOutput(process.stdout),
    errors: textOutput(process.stderr),
  }
}

/** Prints the message on standard error. @returns the exit code */
export function complain(message: string, code: number): number {
  outputs().errors.write(`troupe: ${message}\n`)
  return code
}

/** A closed pipe (`troupe … | head`) ends the program silently; any other write error is reported. */
export function endWithReader(): void {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE') process.exit(EXIT.done)
    process.exit(complain(`The output could not be written: ${failure.message}`, EXIT.failed))
  })
}

/** The parts of a command that speaks to a reader, who may go away early. */
export function spoken(options: { readonly json: boolean }): Spoken {
  endWithReader()
  const isAsked = process.stdin.isTTY && process.stderr.isTTY && !options.json
  return { ...outputs(options), ask: isAsked ? askLine : null }
}

/** Reads a line from the terminal; empty if the input ends. */
async function askLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const left = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const line = await Promise.race([lines.question(makeTerminalSafe(question)), left])
  lines.close()
  return line
}

/** Prints why a command failed. @returns the exit code */
export function failed({ errors }: Pick<Printing, 'errors'>, message: string): number {
  errors.write(`troupe: ${makeVisible(message)}\n`)
  return EXIT.failed
}

/** A value of `--json` on a line of its own. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Whether the answer to a question is yes. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/** A table of text: columns with two spaces between. @param rows all with the same number of cells */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((cells) => cells.map((cell) => oneLine(cell, 100)))
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((cells) => cells[column]?.length ?? 0)),
  )
  return shown.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Joins lines, shows invisible characters by name, and cuts text longer than `most`. */
export function oneLine(text: string, most = 2000): string {
  const line = makeVisible(text)
    .replaceAll(/\s*\n\s*/g, ' ↵ ')
    .replaceAll('\t', ' ')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

const PIECE = 64 * 1024

interface PrintedLines {
  /** Adds a line without its line break. */
  add(line: string): void
  /** Writes a full buffer, then yields to the event loop, so that a closed pipe is noticed. */
  pause(): Promise<void>
  /** Writes the rest. */
  end(): void
}

/** Buffers lines for standard output: a write per line would take longer than the work for the line. */
export function printedLines(output: TextOutput): PrintedLines {
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
      await new Promise((resolve) => setImmediate(resolve))
    },
    end: write,
  }
}
