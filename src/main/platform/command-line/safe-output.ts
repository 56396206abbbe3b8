/** Standard output and standard error. Nothing that a model, a file or the API wrote can control the terminal. */
import { escapeUnsafe, makeTerminalSafe } from '../../../shared/kernel/visible-text.ts'

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
