/** Finds where to start in a log to read from an order on. No index is needed: every line has its order. */
import type { FileHandle } from 'node:fs/promises'
import { firstLineAfter } from './good-line.ts'

/** Smaller ranges are read from their start. */
const SMALL = 256 * 1024

/** The start of a line near the first event of this order or a higher one, and never after this event. */
export async function seekOrder(
  file: FileHandle,
  order: number,
  size: number,
): Promise<{ readonly bytes: number; readonly events: number }> {
  let low = { bytes: 0, events: 0 }
  /** Every line that starts here or later has at least the order. */
  let high = size
  while (high - low.bytes > SMALL) {
    const middle = Math.floor((low.bytes + high) / 2)
    const found = await firstLineAfter(file, { from: middle, before: high, to: size })
    if (found && found.order < order) low = { bytes: found.start, events: found.seq }
    else high = middle + 1
  }
  return low
}
