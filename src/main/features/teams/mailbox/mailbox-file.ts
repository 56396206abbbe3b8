/** A message as a file: one line of JSON with a checksum. The file name is derived from the message id. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { userBlock } from '../../../../shared/messages/content.ts'
import { encodeLine, isIntact, parse } from '../../../platform/transcripts/log-line.ts'
import type { MailboxMessage } from '../../../runtime/ports/ports.ts'

const VERSION = 1

const mailboxFile = z.object({
  v: z.literal(VERSION),
  messageId: z.string(),
  to: z.string(),
  sender: z.string().nullable(),
  at: z.number(),
  content: z.array(userBlock),
  broadcast: z.string().optional(),
})

export function encodeMailboxMessage(message: MailboxMessage): Buffer {
  const { messageId, to, sender, at, content, broadcast } = message
  return Buffer.from(encodeLine({ v: VERSION, messageId, to, sender, at, content, broadcast }))
}

/** The failure's message follows "this file": `is cut off …`. */
export function decodeMailboxMessage(bytes: Buffer): Result<MailboxMessage, string> {
  if (bytes.at(-1) !== NEWLINE || !isIntact(bytes.subarray(0, -1)))
    return fail('is cut off or was altered: its checksum does not fit')
  const read = mailboxFile.safeParse(parse(bytes))
  if (!read.success)
    return fail(`is not a message that this version can read: ${z.prettifyError(read.error)}`)
  const { v: _, ...message } = read.data
  return ok(message)
}

const NEWLINE = 10

/** The name of the message's file without its extension. Valid for any id, and the same for the same id. */
export function messageStemOf(messageId: string): string {
  if (/^[a-z0-9_-]{1,100}$/.test(messageId)) return messageId
  return `x.${createHash('sha256').update(messageId).digest('hex')}`
}
