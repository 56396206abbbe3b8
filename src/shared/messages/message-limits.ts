/** The limits of every mailbox, local or remote, with the same error messages. */
import type { Failure } from '../kernel/result.ts'

/** The maximum size of a message as JSON, in bytes. */
export const LARGEST_MESSAGE = 1024 * 1024

/** Why a mailbox can't have the name; null if it can. */
export function mailboxNameFailure(name: string): Failure | null {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return null
  return {
    type: 'bad-name',
    message: `${JSON.stringify(name.slice(0, 120))} can’t be the name of a mailbox. Use 1 to 100 letters from a to z, digits, points, - and _, the first a letter or a digit.`,
  }
}

/** Why a message of this size is refused; null if it is accepted. */
export function messageSizeFailure(bytes: number): Failure | null {
  if (bytes <= LARGEST_MESSAGE) return null
  return {
    type: 'too-large',
    message: `The message has ${Math.ceil(bytes / 1024)} kB; a mailbox takes at most ${LARGEST_MESSAGE / 1024} kB. Write it to a file and send the file’s path.`,
  }
}
