/**
 * The lines of a log from a position on. Each line's checksum and number are checked. Lines are parsed only where the
 * caller needs their events; their bytes are valid until the next step. The last step says how the walk ended.
 */
import type { FileHandle } from 'node:fs/promises'
import { headIn, headOf, isIntact, LINE_END_LENGTH, type LineHead, lineValue } from './log-line.ts'
import { type Line, readForwards } from './read-lines.ts'

export interface LogLine extends LineHead, Line {
  /** The value in the line, if the line was parsed. */
  readonly raw: unknown
}

export interface WalkEnd {
  /**
   * `torn`: a crash broke the last line. `damaged`: lines were altered or are missing, and more lines follow. A crash
   * breaks one line, so several broken lines are damage.
   */
  readonly kind: 'whole' | 'torn' | 'damaged'
  /** Up to the end of the last good line before the first broken one. */
  readonly bytes: number
  /** The good lines up to there, lines before `from` included: the number of the next event. */
  readonly events: number
  /** The end of the last good line, newline included; empty where no good line exists. */
  readonly lineEnd: string
  /** False if the last good line has no newline. */
  readonly isEnded: boolean
}

export type WalkStep =
  | { readonly kind: 'lines'; readonly lines: readonly LogLine[] }
  | { readonly kind: 'end'; readonly end: WalkEnd }

/**
 * @param range.from where line number `range.events` (counted from 0) starts
 * @param range.to the file's size
 * @param range.chunk bytes per read
 * @param range.parseFrom lines that start here or later are parsed; none by default
 */
export async function* walkLog(
  file: FileHandle,
  range: {
    readonly from: number
    readonly events: number
    readonly to: number
    readonly chunk?: number
    readonly parseFrom?: number
  },
): AsyncGenerator<WalkStep> {
  const { parseFrom = Infinity } = range
  let { events } = range
  /** The end of the last good line. */
  let good = { bytes: range.from, lineEnd: '', isEnded: true }
  let isTorn = false
  /** Broken lines that have their newline. */
  let brokenLines = 0
  for await (const batch of readForwards(file, range)) {
    const lines: LogLine[] = []
    let isDamaged = false
    for (const line of batch) {
      if (!isIntact(line.bytes)) {
        isTorn = true
        if (line.ended) brokenLines++
        isDamaged = brokenLines > 1
        if (isDamaged) break
        continue
      }
      const raw = line.offset >= parseFrom ? lineValue(line.bytes) : undefined
      const head = raw === undefined ? headOf(line.bytes) : headIn(raw)
      isDamaged = isTorn || head?.seq !== events
      if (head === null || isDamaged) break
      lines.push({ ...line, ...head, raw })
      events++
    }
    const last = lines.at(-1)
    if (last) good = { bytes: last.end, lineEnd: lineEndOf(last), isEnded: last.ended }
    if (last) yield { kind: 'lines', lines }
    if (isDamaged) return yield { kind: 'end', end: { kind: 'damaged', events, ...good } }
  }
  yield { kind: 'end', end: { kind: isTorn ? 'torn' : 'whole', events, ...good } }
}

/** The end of a line, its newline included even where it is missing: it identifies the line. */
export function lineEndOf({ bytes, offset, end, ended }: Line): string {
  const hasReturn = end - offset - bytes.length > (ended ? 1 : 0)
  return `${bytes.toString('latin1', bytes.length - LINE_END_LENGTH + 1)}${hasReturn ? '\r' : ''}\n`
}
