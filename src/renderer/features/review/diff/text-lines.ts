/** The lines of a text and its line endings. */

export interface TextLines {
  readonly lines: readonly string[]
  readonly endings: 'none' | 'lf' | 'crlf' | 'mixed'
  /** Whether the last line ends with a line break; true for an empty text. */
  readonly endsWithBreak: boolean
}

/** Removes the CR if all lines end with CR LF; keeps it visible if only some do. Null: no file. */
export function linesOf(text: string | null): TextLines {
  if (text === null || text === '') return { lines: [], endings: 'none', endsWithBreak: true }
  const parts = text.split('\n')
  const endsWithBreak = parts.at(-1) === ''
  const lines = endsWithBreak ? parts.slice(0, -1) : parts
  const broken = endsWithBreak ? lines : lines.slice(0, -1)
  const withReturn = broken.filter((line) => line.endsWith('\r')).length
  if (broken.length === 0) return { lines, endings: 'none', endsWithBreak }
  if (withReturn === 0) return { lines, endings: 'lf', endsWithBreak }
  if (withReturn < broken.length) return { lines, endings: 'mixed', endsWithBreak }
  return {
    lines: lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)),
    endings: 'crlf',
    endsWithBreak,
  }
}

/** Notes on changed line endings, which the lines don't show. */
export function endingNotes(before: TextLines, after: TextLines): readonly string[] {
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
