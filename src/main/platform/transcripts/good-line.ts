/** Finds lines of a log from any byte on, for searches by halving. */
import type { FileHandle } from 'node:fs/promises'
import { headOf, isIntact } from './log-line.ts'
import { type Line, readForwards } from './read-lines.ts'

/** A line that is intact. */
export interface GoodLine {
  readonly seq: number
  readonly order: number
  readonly start: number
  /** After its line end. */
  readonly end: number
}

const PROBE = 64 * 1024

/** The first good line that starts after `from` and before `before`. */
export async function firstLineAfter(
  file: FileHandle,
  { from, before, to }: { readonly from: number; readonly before: number; readonly to: number },
): Promise<GoodLine | null> {
  // `from` is inside a line that started before it.
  let isFirst = true
  for await (const batch of readForwards(file, { from, to, chunk: PROBE }))
    for (const line of batch) {
      if (line.offset >= before) return null
      const good = isFirst ? null : goodLine(line)
      isFirst = false
      if (good) return good
    }
  return null
}

export function goodLine({ bytes, offset, end }: Line): GoodLine | null {
  const head = isIntact(bytes) ? headOf(bytes) : null
  return head && { seq: head.seq, order: head.order, start: offset, end }
}
