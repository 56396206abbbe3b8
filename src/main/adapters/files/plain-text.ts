/** Small text files that somebody else may have written: read without waiting, and never more than is wanted. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { relative, sep } from 'node:path'

/** Null where there is no plain file that can be read. `limit` in bytes; what is not UTF-8 is replaced. */
export async function readPlainText(
  path: string,
  limit: number,
): Promise<{ readonly text: string; readonly cut: boolean } | null> {
  // Without blocking: a pipe without a writer would never open.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return null
    const buffer = new Uint8Array(Math.min(stats.size, limit))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    const cut = stats.size > limit
    // The last character of a text that was cut may be half there.
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: cut })
    return { text, cut }
  } catch {
    return null
  } finally {
    await handle.close()
  }
}

/** Whether a real path lies below a real folder. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`)
}
