/** Finds words in all rows of a transcript, drawn or not, without holding up the window. */
import { rowText, type TranscriptRow } from '../../../../shared/transcript-rows.ts'
import { stripTerminal } from '../../../ui/ansi.ts'

/** One occurrence: the row, and which of the row's occurrences it is. */
export interface Match {
  readonly key: string
  readonly index: number
  readonly occurrence: number
}

/** Rows that are searched in one go. */
const SLICE = 2000

export interface FindOptions {
  readonly signal: AbortSignal
  /** Lets the window do something else. */
  readonly pause: () => Promise<void>
}

/** All matches in the order of the rows, upper and lower case alike. Null where it was called off. */
export async function findMatches(
  rows: readonly TranscriptRow[],
  words: string,
  { signal, pause }: FindOptions,
): Promise<readonly Match[] | null> {
  const wanted = words.toLowerCase()
  const matches: Match[] = []
  if (wanted === '') return matches
  for (let index = 0; index < rows.length; index++) {
    if (index > 0 && index % SLICE === 0) await pause()
    if (signal.aborted) return null
    const row = rows[index]
    if (row) addMatches(matches, row, index, wanted)
  }
  return matches
}

/** The text of a row as it is searched: what can be read in it. */
export function searchedText(row: TranscriptRow): string {
  return row.kind === 'tool' ? stripTerminal(rowText(row)) : rowText(row)
}

function addMatches(matches: Match[], row: TranscriptRow, index: number, wanted: string): void {
  const text = searchedText(row).toLowerCase()
  let occurrence = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    matches.push({ key: row.key, index, occurrence: occurrence++ })
}

/** The place of the match to show next, from the one that is shown; it goes round at both ends. */
export function step(current: number, count: number, by: 1 | -1): number {
  return count === 0 ? -1 : (current + by + count) % count
}
