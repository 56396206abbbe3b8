/** A message of a mailbox as it travels: the line of the maildir, compressed where it is long. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { fail, type Result } from '../../../../shared/kernel/result.ts'
import type { MailboxMessage } from '../../../runtime/ports/ports.ts'
import { decodeMailboxMessage, encodeMailboxMessage } from '../../teams/mailbox/mailbox-file.ts'

/** A line begins with `{`. */
const PLAIN = 0x7b
const LONG = 32 * 1024

/** JSON always shrinks, so that the largest message fits into what a server takes by default. */
export function encodeMessage(message: MailboxMessage): Uint8Array {
  const line = encodeMailboxMessage(message)
  return line.length < LONG ? line : Buffer.concat([Buffer.from([0]), deflateRawSync(line)])
}

/** `largest`: bytes that a message may have when it is unpacked. */
export function decodeMessage(bytes: Uint8Array, largest: number): Result<MailboxMessage, string> {
  if (bytes[0] === PLAIN) return decodeMailboxMessage(Buffer.from(bytes))
  try {
    return decodeMailboxMessage(inflateRawSync(bytes.subarray(1), { maxOutputLength: largest }))
  } catch {
    return fail('can’t be unpacked')
  }
}
