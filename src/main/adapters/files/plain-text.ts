/** Text files that somebody else may have put there: read without waiting, and never more than is wanted. */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { messageOf } from '../../../shared/result.ts'

/** In bytes: what is larger is no text that a person wrote. */
export const LARGEST_TEXT = 1024 * 1024

export type PlainFile =
  | { readonly kind: 'text'; readonly text: string }
  /** `code` for programs, `message` for people. */
  | { readonly kind: 'unread'; readonly code: UnreadCode | 'unreadable'; readonly message: string }

/** Why a file that is there was left alone, for programs. */
type UnreadCode = 'leads-out' | 'no-file' | 'too-large' | 'not-utf8'

export const UNREAD_WORDS: Readonly<Record<UnreadCode, string>> = {
  'leads-out': 'It is a link that leads out of its folder, so it was not read.',
  'no-file': 'It is not a plain file, so it was not read.',
  'too-large': 'It is larger than 1 MB, so it was not read.',
  'not-utf8': 'Its bytes are not UTF-8, so it was not read.',
}

/** All of a file, or why not. `folder`: real; the file's real path must lie below it. */
export async function readPlainFile(path: string, folder: string): Promise<PlainFile> {
  try {
    const real = await realpath(path)
    if (!isBelow(folder, real)) return unread('leads-out')
    const read = await readPlainBytes(real, LARGEST_TEXT)
    if (read === null) return unread('no-file')
    if (read.cut) return unread('too-large')
    // The byte-order mark belongs to the text: whoever writes it back must know of it.
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { kind: 'text', text: strict.decode(read.bytes) }
  } catch (thrown) {
    if (thrown instanceof TypeError) return unread('not-utf8')
    return { kind: 'unread', code: 'unreadable', message: `It could not be read: ${messageOf(thrown)}` }
  }
}

/** Null where there is no plain file that can be read. `limit` in bytes; what is not UTF-8 is replaced. */
export async function readPlainText(
  path: string,
  limit: number,
): Promise<{ readonly text: string; readonly cut: boolean } | null> {
  const read = await readPlainBytes(path, limit).catch(() => null)
  if (read === null) return null
  const { bytes, cut } = read
  // The last character of a text that was cut may be half there.
  return { text: new TextDecoder().decode(bytes, { stream: cut }), cut }
}

/** Whether a real path lies below a real folder. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

interface PlainBytes {
  readonly bytes: Uint8Array
  /** Whether there is more than was wanted. */
  readonly cut: boolean
}

/** A pipe in place of a file has no end: it is opened without waiting, and left alone. Null where it is no plain file. */
async function readPlainBytes(path: string, limit: number): Promise<PlainBytes | null> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return null
    return { bytes: await readUpTo(handle, Math.min(stats.size, limit)), cut: stats.size > limit }
  } finally {
    await handle.close()
  }
}

async function readUpTo(handle: FileHandle, size: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(size)
  let filled = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, filled)
    filled += bytesRead
    if (bytesRead === 0 || filled === size) return buffer.subarray(0, filled)
  }
}

const unread = (code: UnreadCode): PlainFile => ({ kind: 'unread', code, message: UNREAD_WORDS[code] })
