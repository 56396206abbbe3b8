/**
 * A transcript from a place on, line by line: each checked against its checksum and its number, none parsed.
 * The last step says how the walk ended.
 */
import type { FileHandle } from 'node:fs/promises'
import { type Line, readForwards } from './read-lines.ts'
import { headOf, isWhole, LINE_END_LENGTH, type LineHead } from './transcript-line.ts'

export interface TranscriptLine extends LineHead {
  readonly bytes: Buffer
}

export interface WalkEnd {
  /**
   * `torn`: after the good lines there is only what a crash left of later ones. `damaged`: a line is not
   * what was written, or lines are missing, while good ones follow.
   */
  readonly kind: 'whole' | 'torn' | 'damaged'
  /** Up to the end of the last good line before any trouble. */
  readonly bytes: number
  /** The number of good lines up to there, those before `from` included: the next event's number. */
  readonly events: number
  /** How the last good line ends, with its newline; empty where there is none. */
  readonly lineEnd: string
  /** False where the last good line has no newline. */
  readonly isEnded: boolean
}

export type WalkStep =
  | { readonly kind: 'lines'; readonly lines: readonly TranscriptLine[] }
  | { readonly kind: 'end'; readonly end: WalkEnd }

/**
 * @param place.from where line number `place.events` (counted from 0) starts
 * @param place.to the file's size
 */
export async function* walkTranscript(
  file: FileHandle,
  place: { readonly from: number; readonly events: number; readonly to: number },
): AsyncGenerator<WalkStep> {
  let events = place.events
  let last: Line | null = null
  let isTorn = false
  for await (const batch of readForwards(file, place)) {
    const lines: TranscriptLine[] = []
    let isDamaged = false
    for (const line of batch) {
      if (!isWhole(line.bytes)) {
        isTorn = true
        continue
      }
      const head = headOf(line.bytes)
      isDamaged = isTorn || head?.seq !== events
      if (head === null || isDamaged) break
      lines.push({ bytes: line.bytes, ...head })
      last = line
      events++
    }
    if (lines.length > 0) yield { kind: 'lines', lines }
    if (isDamaged) {
      yield { kind: 'end', end: endAfter('damaged', last, events, place.from) }
      return
    }
  }
  yield { kind: 'end', end: endAfter(isTorn ? 'torn' : 'whole', last, events, place.from) }
}

function endAfter(kind: WalkEnd['kind'], last: Line | null, events: number, from: number): WalkEnd {
  if (!last) return { kind, bytes: from, events, lineEnd: '', isEnded: true }
  const { bytes, offset, ended } = last
  return {
    kind,
    bytes: offset + bytes.length + (ended ? 1 : 0),
    events,
    lineEnd: `${bytes.toString('latin1', bytes.length - LINE_END_LENGTH + 1)}\n`,
    isEnded: ended,
  }
}
