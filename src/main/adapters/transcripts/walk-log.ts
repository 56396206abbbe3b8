/**
 * The lines of a log from a position on. Each line's checksum and number are checked; no event is parsed. The
 * last step tells how the walk ended.
 */
import type { FileHandle } from 'node:fs/promises'
import { headOf, isWhole, LINE_END_LENGTH, type LineHead } from './log-line.ts'
import { type Line, readForwards } from './read-lines.ts'

export interface LogLine extends LineHead {
  readonly bytes: Buffer
}

export interface WalkEnd {
  /**
   * `torn`: a crash left only broken lines after the good ones. `damaged`: a line was altered or lines are
   * missing, and good lines follow.
   */
  readonly kind: 'whole' | 'torn' | 'damaged'
  /** Up to the end of the last good line before the first broken one. */
  readonly bytes: number
  /** The good lines up to there, lines before `from` included: the number of the next event. */
  readonly events: number
  /** The end of the last good line, newline included; empty where no good line exists. */
  readonly lineEnd: string
  /** False where the last good line has no newline. */
  readonly isEnded: boolean
}

export type WalkStep =
  | { readonly kind: 'lines'; readonly lines: readonly LogLine[] }
  | { readonly kind: 'end'; readonly end: WalkEnd }

/**
 * @param range.from where line number `range.events` (counted from 0) starts
 * @param range.to the file's size
 * @param range.chunk bytes per read
 */
export async function* walkLog(
  file: FileHandle,
  range: { readonly from: number; readonly events: number; readonly to: number; readonly chunk?: number },
): AsyncGenerator<WalkStep> {
  let events = range.events
  let last: Line | null = null
  let isTorn = false
  for await (const batch of readForwards(file, range)) {
    const lines: LogLine[] = []
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
      yield { kind: 'end', end: endAfter({ kind: 'damaged', events }, last, range.from) }
      return
    }
  }
  yield { kind: 'end', end: endAfter({ kind: isTorn ? 'torn' : 'whole', events }, last, range.from) }
}

function endAfter(walked: Pick<WalkEnd, 'kind' | 'events'>, last: Line | null, from: number): WalkEnd {
  if (!last) return { ...walked, bytes: from, lineEnd: '', isEnded: true }
  const { bytes, offset, ended } = last
  return {
    ...walked,
    bytes: offset + bytes.length + (ended ? 1 : 0),
    lineEnd: lineEndOf(bytes),
    isEnded: ended,
  }
}

/** The end of a line, newline included: it identifies the line. */
export function lineEndOf(line: Buffer): string {
  return `${line.toString('latin1', line.length - LINE_END_LENGTH + 1)}\n`
}
