/** Reads text files of unknown origin: never blocks on a pipe, and reads no more than a limit. */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import { type BytesRead, readUpTo } from './read-up-to.ts'

/** Bytes. Larger files are not read. */
export const LARGEST_TEXT = 1024 * 1024

export type PlainFile =
  | { readonly kind: 'text'; readonly text: string }
  /** `code` is for programs, `message` for people. */
  | {
      readonly kind: 'unread'
      readonly code: UnreadCode | 'unreadable'
      readonly message: string
      /** Of a file that is not UTF-8. */
      readonly bytes?: Uint8Array
    }

/** Why an existing file was not read. */
type UnreadCode = 'leads-out' | 'no-file' | 'too-large' | 'not-utf8'

export const UNREAD_WORDS: Readonly<Record<UnreadCode, string>> = {
  'leads-out': 'It is a link that leads out of its folder, so it was not read.',
  'no-file': 'It is not a regular file, so it was not read.',
  'too-large': 'It is larger than 1 MB, so it was not read.',
  'not-utf8': 'Its bytes are not UTF-8, so it was not read.',
}

/** The whole text of a file, or why it was not read. @param folder a real path; the real path of the file must be inside it */
export async function readPlainFile(path: string, folder: string): Promise<PlainFile> {
  let bytes: Uint8Array | null = null
  try {
    const real = await realpath(path)
    if (!isBelow(folder, real)) return unread('leads-out')
    const read = await readPlainBytes(real, LARGEST_TEXT)
    if (read === null) return unread('no-file')
    if (read.cut) return unread('too-large')
    // Keep the byte-order mark, so that a later write keeps it too.
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    bytes = read.bytes
    return { kind: 'text', text: strict.decode(bytes) }
  } catch (thrown) {
    if (thrown instanceof TypeError) return { ...unread('not-utf8'), ...(bytes && { bytes }) }
    return { kind: 'unread', code: 'unreadable', message: `It could not be read: ${messageOf(thrown)}` }
  }
}

/** At most `limit` bytes; null: no readable regular file. Bytes that are not UTF-8 become replacement characters. */
export async function readPlainText(
  path: string,
  limit: number,
): Promise<{ readonly text: string; readonly cut: boolean } | null> {
  const read = await readPlainBytes(path, limit).catch(() => null)
  if (read === null) return null
  const { bytes, cut } = read
  // `stream` drops a last character that the limit cut in half.
  return { text: new TextDecoder().decode(bytes, { stream: cut }), cut }
}

/** Whether a real path is inside a real folder. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** Null: not a regular file. O_NONBLOCK: opening a pipe would wait for its writer. */
async function readPlainBytes(path: string, limit: number): Promise<BytesRead | null> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await handle.stat()
    return stats.isFile() ? await readUpTo(handle, limit, stats.size) : null
  } finally {
    await handle.close()
  }
}

const unread = (code: UnreadCode): PlainFile & { readonly kind: 'unread' } => ({
  kind: 'unread',
  code,
  message: UNREAD_WORDS[code],
})
