/** Reads files whose length is unknown: a file of /proc states 0 bytes and can be endless. */
import type { FileHandle } from 'node:fs/promises'

/** Bytes. Some files of /proc accept reads in steps of 8 bytes only. */
const PAGE = 4096

export interface BytesRead {
  readonly bytes: Uint8Array
  /** Whether the file has more than the limit. */
  readonly cut: boolean
}

/**
 * At most `limit` bytes of an open file, from its position. Memory is bounded by what arrives and by the limit.
 * @param expected the bytes that the file probably has
 */
export async function readUpTo(handle: FileHandle, limit: number, expected: number): Promise<BytesRead> {
  let buffer = new Uint8Array(pages(Math.min(expected, limit)))
  let filled = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, null)
    filled += bytesRead
    if (bytesRead === 0 || filled > limit)
      return { bytes: buffer.subarray(0, Math.min(filled, limit)), cut: filled > limit }
    if (filled === buffer.length) {
      const larger = new Uint8Array(pages(Math.min(filled * 2, limit)))
      larger.set(buffer)
      buffer = larger
    }
  }
}

/** More than `bytes`, in whole pages. */
function pages(bytes: number): number {
  return (Math.floor(bytes / PAGE) + 1) * PAGE
}
