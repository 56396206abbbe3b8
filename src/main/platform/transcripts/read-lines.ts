/** Reads the lines of a file in chunks: forwards from a position, or backwards to it. */
import type { FileHandle } from 'node:fs/promises'

export interface Line {
  /** Without its line end, LF or CR LF. */
  readonly bytes: Buffer
  /** The position of its start in the file. */
  readonly offset: number
  /** The position of the next line's start, or the end of the file. */
  readonly end: number
  /** False for a last line that has no newline. */
  readonly ended: boolean
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const CHUNK = 256 * 1024

/**
 * Lines from `from` (the start of a line) to `to`, in batches of about a chunk. The bytes of a batch are valid until the
 * next one is asked for: all batches share one buffer, because a large log would otherwise fill the memory with them.
 */
export async function* readForwards(
  file: FileHandle,
  { from, to, chunk = CHUNK }: { readonly from: number; readonly to: number; readonly chunk?: number },
): AsyncGenerator<readonly Line[]> {
  let buffer = Buffer.allocUnsafe(chunk)
  /** The start of the buffer has this many bytes of a line whose end is not read yet. */
  let begun = 0
  let lineStart = from
  for (let position = from; position < to; ) {
    if (buffer.length - begun < chunk)
      buffer = Buffer.concat([buffer.subarray(0, begun)], 2 * (begun + chunk))
    const length = await fill(file, buffer.subarray(begun, begun + Math.min(chunk, to - position)), position)
    if (length === 0) break
    position += length
    const bytes = buffer.subarray(0, begun + length)
    const lines: Line[] = []
    let start = 0
    for (let end = bytes.indexOf(NEWLINE, begun); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(lineAt(lineStart, bytes.subarray(start, end), true))
      lineStart += end + 1 - start
      start = end + 1
    }
    if (lines.length > 0) yield lines
    bytes.copyWithin(0, start)
    begun = bytes.length - start
  }
  if (begun > 0) yield [lineAt(lineStart, buffer.subarray(0, begun), false)]
}

/** Lines that end at `to` (the end of the file, or the start of a line) or before it, the last one first. */
export async function* readBackwards(
  file: FileHandle,
  { to, chunk = CHUNK }: { readonly to: number; readonly chunk?: number },
): AsyncGenerator<Line> {
  /** Parts of the line whose start is not read yet, the last part first. */
  let parts: Buffer[] = []
  let ended = false
  const line = (first: Buffer, offset: number): Line => {
    const whole = parts.length === 0 ? first : Buffer.concat([first, ...parts.reverse()])
    return lineAt(offset, whole, ended)
  }
  for (let position = to; position > 0; ) {
    const length = Math.min(chunk, position)
    const bytes = await readAt(file, position - length, length)
    if (bytes.length < length) return
    position -= length
    let end = length
    for (let at = bytes.lastIndexOf(NEWLINE); at !== -1; ) {
      const isEndOfFile = position + at + 1 === to
      if (!isEndOfFile) yield line(bytes.subarray(at + 1, end), position + at + 1)
      parts = []
      ended = true
      end = at
      at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    }
    if (position === 0) yield line(bytes.subarray(0, end), 0)
    else parts.push(bytes.subarray(0, end))
  }
}

/** @param whole the bytes without the newline */
function lineAt(offset: number, whole: Buffer, ended: boolean): Line {
  // JSON has no carriage return, so one at the end belongs to the line end.
  const bytes = whole.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole
  return { bytes, offset, end: offset + whole.length + (ended ? 1 : 0), ended }
}

/** As many bytes from `position` as there are, at most `length`. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.subarray(0, await fill(file, bytes, position))
}

/** Reads into the buffer. @returns how many bytes were there */
async function fill(file: FileHandle, into: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
