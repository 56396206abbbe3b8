/** Reads a text file that somebody else may have put there: never waits, never follows it out of its folder. */
import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { messageOf } from '../../../shared/result.ts'

const LARGEST_FILE = 1024 * 1024

export type PlainFile =
  | { readonly kind: 'text'; readonly text: string }
  /** `code` for programs, `message` for people. */
  | { readonly kind: 'unread'; readonly code: string; readonly message: string }

/** `folder`: real; the file's real path must lie below it. */
export async function readPlainFile(path: string, folder: string): Promise<PlainFile> {
  try {
    const real = await realpath(path)
    if (!isBelow(folder, real))
      return unread('leads-out', 'It is a link that leads out of its folder, so it was not read.')
    return await readHere(real)
  } catch (thrown) {
    if (thrown instanceof TypeError) return unread('not-utf8', 'Its bytes are not UTF-8, so it was not read.')
    return unread('unreadable', `It could not be read: ${messageOf(thrown)}`)
  }
}

/** A pipe in place of a file has no end: it is opened without waiting, and left alone. */
async function readHere(real: string): Promise<PlainFile> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return unread('no-file', 'It is not a plain file, so it was not read.')
    if (stats.size > LARGEST_FILE) return unread('too-large', 'It is larger than 1 MB, so it was not read.')
    const bytes = await handle.readFile()
    // The byte-order mark belongs to the text: whoever writes it back must know of it.
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } finally {
    await handle.close()
  }
}

/** Another text for every change of the file; null where it is gone. */
export async function versionOf(path: string): Promise<string | null> {
  const stats = await stat(path, { bigint: true }).catch(() => null)
  return stats === null ? null : `${stats.dev}-${stats.ino}-${stats.ctimeNs}-${stats.mtimeNs}-${stats.size}`
}

export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && below !== path
}

function unread(code: string, message: string): PlainFile {
  return { kind: 'unread', code, message }
}
