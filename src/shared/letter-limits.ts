/** What every mailbox refuses, on this machine or another, in the same words. */
import type { Failure } from './result.ts'

/** Bytes of a letter with all that belongs to it, as JSON. */
export const LARGEST_LETTER = 1024 * 1024

/** Null where a mailbox may have that name. */
export function mailboxNameFailure(name: string): Failure | null {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return null
  return {
    type: 'bad-name',
    message: `${JSON.stringify(name.slice(0, 120))} can’t be the name of a mailbox. Use 1 to 100 letters from a to z, digits, points, - and _, the first a letter or a digit.`,
  }
}

/** Null where a letter of that many bytes can be put. */
export function letterSizeFailure(bytes: number): Failure | null {
  if (bytes <= LARGEST_LETTER) return null
  return {
    type: 'too-large',
    message: `The message has ${Math.ceil(bytes / 1024)} kB; a mailbox takes at most ${LARGEST_LETTER / 1024} kB. Write it to a file and send the file’s path.`,
  }
}
