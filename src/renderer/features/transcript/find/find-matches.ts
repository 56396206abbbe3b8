/** Finds text in all rows of a transcript, rendered or not, without blocking the window. */

import { rowText } from '../../../../shared/row-text.ts'
import type { TranscriptRow } from '../../../../shared/transcript-row.ts'
import { stripTerminal } from '../../../ui/ansi.ts'

/** One occurrence: the row, and the occurrence's index in that row. */
export interface Match {
  readonly key: string
  readonly index: number
  readonly occurrence: number
}

/** Rows searched between two pauses. */
const SLICE = 2000

export interface FindOptions {
  readonly signal: AbortSignal
  /** Yields to the window. */
  readonly pause: () => Promise<void>
}

/** All matches, in the order of the rows. Ignores case. Null if the search was aborted. */
export async function findMatches(
  rows: readonly TranscriptRow[],
  text: string,
  { signal, pause }: FindOptions,
): Promise<readonly Match[] | null> {
  const wanted = text.toLowerCase()
  const matches: Match[] = []
  if (wanted === '') return matches
  for (let index = 0; index < rows.length; index++) {
    if (index > 0 && index % SLICE === 0) await pause()
    if (signal.aborted) return null
    const row = rows[index]
    if (row) matches.push(...matchesIn(row, index, wanted))
  }
  return matches
}

/** The searched text of a row: its readable text. */
export function searchedText(row: TranscriptRow): string {
  return row.kind === 'tool' ? stripTerminal(rowText(row)) : rowText(row)
}

function matchesIn(row: TranscriptRow, index: number, wanted: string): readonly Match[] {
  const text = searchedText(row).toLowerCase()
  const matches: Match[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    matches.push({ key: row.key, index, occurrence: matches.length })
  return matches
}

/** The index of the next or previous match; wraps around at both ends. */
export function step(current: number, count: number, by: 1 | -1): number {
  return count === 0 ? -1 : (current + by + count) % count
}
