/**
 * The occurrences of a text in all rows of a transcript, drawn or not. Only new and changed rows are searched again, in
 * slices, so that a search keeps up with agents at work and never blocks the window.
 */
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { foldCase, positionsOf, searchText } from './search-text.ts'

/** One occurrence: the row, and the occurrence's index in that row. */
export interface Match {
  readonly key: string
  readonly index: number
  readonly occurrence: number
}

/** Rows searched between two pauses. */
const SLICE = 1000

interface SearchOptions {
  readonly signal: AbortSignal
  /** Yields to the window. */
  readonly pause: () => Promise<void>
}

export class MatchIndex {
  readonly text: string
  private readonly wanted: string
  private readonly seen: TranscriptRow[] = []
  private readonly counts: number[] = []

  constructor(text: string) {
    this.text = text
    this.wanted = foldCase(text)
  }

  /** Searches new and changed rows. `live`: the messages that stream, after the rows. False if aborted. */
  async update(
    rows: readonly TranscriptRow[],
    live: readonly TranscriptRow[],
    { signal, pause }: SearchOptions,
  ): Promise<boolean> {
    let searched = 0
    for (let index = 0; index < rows.length + live.length; index++) {
      const row = rows[index] ?? live[index - rows.length]
      // The reports of started agents are not in the row.
      if (row === undefined || (row === this.seen[index] && row.kind !== 'agents')) continue
      const { head, body } = searchText(row)
      this.counts[index] = positionsOf(this.wanted, `${head}\0${body}`).length
      this.seen[index] = row
      searched += 1
      if (searched % SLICE === 0) await pause()
      if (signal.aborted) return false
    }
    this.seen.length = rows.length + live.length
    this.counts.length = this.seen.length
    return true
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0)
  }

  get last(): Match | null {
    return this.matchAt(
      this.counts.findLastIndex((count) => count > 0),
      -1,
    )
  }

  /** The next or previous match; wraps around at both ends. */
  next(match: Match | null, by: 1 | -1): Match | null {
    if (match === null) return this.last
    const occurrence = match.occurrence + by
    if (occurrence >= 0 && occurrence < (this.counts[match.index] ?? 0)) return { ...match, occurrence }
    const hasMatch = (count: number, index: number) => count > 0 && index > match.index
    if (by === 1) {
      const after = this.counts.findIndex(hasMatch)
      return this.matchAt(after === -1 ? this.counts.findIndex((count) => count > 0) : after, 0)
    }
    const before = this.counts.findLastIndex((count, index) => count > 0 && index < match.index)
    return before === -1 ? this.last : this.matchAt(before, -1)
  }

  /** The same match after rows were added or changed; null if it is gone. */
  find(match: Match | null): Match | null {
    if (match === null) return null
    // Usually only later rows are new. A streamed message keeps its position when it becomes a row.
    const index =
      this.seen[match.index]?.key === match.key
        ? match.index
        : this.seen.findIndex((row) => row.key === match.key)
    const at = index === -1 ? match.index : index
    const row = this.seen[at]
    return row !== undefined && match.occurrence < (this.counts[at] ?? 0)
      ? { key: row.key, index: at, occurrence: match.occurrence }
      : null
  }

  /** The number of a match among all, from 1. */
  numberOf({ index, occurrence }: Match): number {
    return this.counts.slice(0, index).reduce((sum, count) => sum + count, 0) + occurrence + 1
  }

  /** Whether the row must be open to show the match. */
  isInBody({ index, occurrence }: Match): boolean {
    const row = this.seen[index]
    return row !== undefined && occurrence >= positionsOf(this.wanted, searchText(row).head).length
  }

  private matchAt(index: number, occurrence: number): Match | null {
    const row = this.seen[index]
    const count = this.counts[index] ?? 0
    if (row === undefined || count === 0) return null
    return { key: row.key, index, occurrence: occurrence < 0 ? count + occurrence : occurrence }
  }
}
