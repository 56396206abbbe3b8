/** Sample messages for a mailbox. */
import type { MailboxMessage } from '../../../../runtime/ports/ports.ts'

export function sampleMailboxMessage(messageId: string, more: Partial<MailboxMessage> = {}): MailboxMessage {
  return {
    messageId,
    to: 'scout',
    sender: 'a-writer',
    content: [{ type: 'text', text: `The words of ${messageId}.` }],
    broadcast: 'b-1',
    at: 1_700_000_000_000,
    ...more,
  }
}

/** A message of at least 100 kB, so that writing takes a while. Its content is derived from its id. */
export function longMailboxMessage(messageId: string): MailboxMessage {
  return sampleMailboxMessage(messageId, {
    content: [{ type: 'text', text: `${messageId} `.repeat(20_000) }],
  })
}
