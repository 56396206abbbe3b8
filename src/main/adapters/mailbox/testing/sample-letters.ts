/** Letters to fill a mailbox with. */
import type { Letter } from '../../../runtime/ports.ts'

export function sampleLetter(messageId: string, more: Partial<Letter> = {}): Letter {
  return {
    messageId,
    to: 'scout',
    sender: 'a-writer',
    content: [{ type: 'text', text: `The words of ${messageId}.` }],
    at: 1_700_000_000_000,
    ...more,
  }
}

/** One of 100 kB and more, so that writing it takes its time. What is in it follows from its id. */
export function longLetter(messageId: string): Letter {
  return sampleLetter(messageId, { content: [{ type: 'text', text: `${messageId} `.repeat(20_000) }] })
}
