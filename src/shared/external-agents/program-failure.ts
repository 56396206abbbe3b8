/** Why an external agent failed: the sentences, the lines that it wrote last, and how to find out more. */

interface ProgramFailure {
  readonly what: string
  /** The last lines of its standard error; empty: it wrote none. */
  readonly output: string
  /** The command line to try in a terminal; null: that would not help. */
  readonly tryCommand: string | null
}

const OUTPUT = '\nIts last output:\n'
const TRY = '\nTo find out more, run it in a terminal: '

/** One text, for models and for people. `readProgramFailure` takes it apart. */
export function writeProgramFailure({ what, output, tryCommand }: ProgramFailure): string {
  return `${what}${output === '' ? '' : `${OUTPUT}${output}`}${tryCommand === null ? '' : `${TRY}${tryCommand}`}`
}

/** Any other text is all `what`. */
export function readProgramFailure(text: string): ProgramFailure {
  const tryAt = text.lastIndexOf(TRY)
  const tryCommand = tryAt === -1 ? null : text.slice(tryAt + TRY.length)
  const rest = tryAt === -1 ? text : text.slice(0, tryAt)
  const outputAt = rest.indexOf(OUTPUT)
  if (outputAt === -1) return { what: rest, output: '', tryCommand }
  return { what: rest.slice(0, outputAt), output: rest.slice(outputAt + OUTPUT.length), tryCommand }
}
