/** The lines of a text and its line endings. A line ends with LF, as in git; the CR of CR LF is a part of the line. */

interface TextLines {
  readonly lines: readonly string[]
  readonly endings: 'none' | 'lf' | 'crlf' | 'mixed'
  /** Whether the last line ends with a line break; true for an empty text. */
  readonly endsWithBreak: boolean
}

/** Null: no file. */
function linesOf(text: string | null): TextLines {
  if (text === null || text === '') return { lines: [], endings: 'none', endsWithBreak: true }
  const parts = text.split('\n')
  const endsWithBreak = parts.at(-1) === ''
  const lines = endsWithBreak ? parts.slice(0, -1) : parts
  const broken = endsWithBreak ? lines : lines.slice(0, -1)
  const withReturn = broken.filter((line) => line.endsWith('\r')).length
  if (broken.length === 0) return { lines, endings: 'none', endsWithBreak }
  if (withReturn === 0) return { lines, endings: 'lf', endsWithBreak }
  return { lines, endings: withReturn < broken.length ? 'mixed' : 'crlf', endsWithBreak }
}

interface Sides {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

interface ComparedSides {
  /** The lines as the window shows them. Both sides have the CR of their lines, or none has it. */
  readonly shown: Sides
  /** The same lines for a comparison: equal where git finds them equal. */
  readonly compared: Sides
  readonly notes: readonly string[]
}

/** The lines of both sides of a file. Null: the file does not exist on that side. */
export function sidesOf(before: string | null, after: string | null): ComparedSides {
  const [old, now] = [linesOf(before), linesOf(after)]
  const endings = [old.endings, now.endings].filter((one) => one !== 'none')
  const hideReturn = endings.length > 0 && endings.every((one) => one === 'crlf')
  const shown = ({ lines }: TextLines) => (hideReturn ? lines.map((line) => line.replace(/\r$/, '')) : lines)
  return {
    shown: { before: shown(old), after: shown(now) },
    compared: { before: comparedLines(old), after: comparedLines(now) },
    notes: endingNotes(old, now),
  }
}

/** Marks a last line without a line break: git finds it different from the same line with one. */
const comparedLines = ({ lines, endsWithBreak }: TextLines): readonly string[] =>
  endsWithBreak ? lines : [...lines.slice(0, -1), `${lines.at(-1)}\n`]

/** Notes on changed line endings. */
function endingNotes(before: TextLines, after: TextLines): readonly string[] {
  const notes: string[] = []
  const known = before.endings !== 'none' && after.endings !== 'none'
  if (known && before.endings !== after.endings)
    notes.push(`Line endings changed from ${ENDINGS[before.endings]} to ${ENDINGS[after.endings]}.`)
  if (before.lines.length > 0 && after.lines.length > 0 && before.endsWithBreak !== after.endsWithBreak)
    notes.push(
      after.endsWithBreak
        ? 'Line break added at the end of the file.'
        : 'Line break removed at the end of the file.',
    )
  return notes
}

const ENDINGS = { none: 'none', lf: 'LF', crlf: 'CR LF', mixed: 'mixed' } as const
