/**
 * The last messages of an agent, as a bounded part of its state: what it received, and what it sent to a mailbox. The
 * view of a team derives its threads from them (see `message-log.ts`).
 */
import type { EventOf } from '../events/agent-event.ts'
import { reportIn, withoutFrame } from '../messages/message-frame.ts'
import { textOf } from '../messages/text-of.ts'

export interface ReceivedMessage {
  readonly messageId: string
  /** `parent`: a prompt. `runtime`: the report of `sender`. */
  readonly from: EventOf<'user-message'>['from']
  /** The agent that wrote it; null: the user, or the parent. */
  readonly sender: string | null
  /** The start of the text, without the frame for the agent. */
  readonly text: string
  /** The same for the copies of one message to several agents; null: it had one receiver. */
  readonly broadcast: string | null
  /** When the agent received it, ms since the epoch. */
  readonly at: number
}

/** A message that waits in the mailbox of a name. */
export interface KeptMessage {
  readonly messageId: string
  readonly to: string
  readonly text: string
  /** ms since the epoch. */
  readonly at: number
}

/** Of an agent. Older ones are in its transcript. */
const MOST = 40
const TEXT_LENGTH = 800

/** The list after one more message. A note of the program itself is no message. */
export function withReceived(
  received: readonly ReceivedMessage[],
  { messageId, from, sender, content, broadcast, at }: EventOf<'user-message'>,
): readonly ReceivedMessage[] {
  if (from === 'runtime' && sender === null) return received
  const text = textOf(content)
  const shown = from === 'agent' ? withoutFrame(text) : from === 'runtime' ? reportIn(text) : text
  return [
    ...received,
    { messageId, from, sender, text: startOf(shown), broadcast: broadcast ?? null, at },
  ].slice(-MOST)
}

/** The list after the end of a tool call, which may have put a message into a mailbox. */
export function withKept(
  kept: readonly KeptMessage[],
  { display, at }: EventOf<'tool-ended'>,
): readonly KeptMessage[] {
  if (display?.kind !== 'message' || display.how !== 'mailbox') return kept
  const { messageId, to, text = '' } = display
  return [...kept, { messageId, to, text: startOf(text), at }].slice(-MOST)
}

function startOf(text: string): string {
  return text.length <= TEXT_LENGTH ? text : `${text.slice(0, TEXT_LENGTH - 1)}…`
}
