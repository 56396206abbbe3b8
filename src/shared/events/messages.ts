/** Messages to an agent, and notes for the user: how they change its state, and how the transcript shows them. */
import type { ImageBlock, TextBlock } from '../messages/content.ts'
import { reportIn, textOf, withoutFrame } from '../messages/text-of.ts'
import type { AgentState, EventOf, KeptMessage, ReceivedMessage } from './agent-event.ts'
import { type EventParts, newRow, noticeRow } from './event-parts.ts'
import type { RowChange } from './transcript-row.ts'

/** Of an agent's messages. Older ones are in its transcript. */
const MOST = 40
const TEXT_LENGTH = 800
/** A second message before an answer means that the agent has read the older messages. */
const MOST_UNREAD = 100

export const messageStart = { unread: [], received: [], kept: [] } satisfies Partial<AgentState>

export const messageParts: EventParts<'user-message' | 'notice'> = {
  'user-message': {
    fold: (state, event) => ({
      unread: [...state.unread, event.messageId].slice(-MOST_UNREAD),
      received: withReceived(state.received, event),
    }),
    rows: (event) =>
      event.note === undefined
        ? [messageRow(event)]
        : noticeRow(event, `${event.note}\n\nThe agent received: ${textOf(event.content)}`),
  },
  notice: {
    rows(event) {
      const { level, text, path } = event
      return [newRow(event, 'notice', { kind: 'notice', level, text, ...(path !== undefined && { path }) })]
    },
  },
}

/** The list after one more message. A note of the program itself is no message. */
function withReceived(
  received: readonly ReceivedMessage[],
  { messageId, from, sender, content, broadcast, at }: EventOf<'user-message'>,
): readonly ReceivedMessage[] {
  if (from === 'runtime' && sender === null) return received
  const text = textOf(content)
  const shown = from === 'agent' ? withoutFrame(text) : from === 'runtime' ? reportIn(text) : text
  const start = { messageId, from, sender, text: startOf(shown), broadcast: broadcast ?? null, at }
  return [...received, { ...start, replies: [] }].slice(-MOST)
}

/**
 * The list after an answer of the model. Its first text answers the messages of the user before it; the text that ends the
 * turn answers the newest of them again. Returns the same list if no message was answered.
 */
export function withReplies(
  received: readonly ReceivedMessage[],
  { content, at }: EventOf<'assistant-message'>,
): readonly ReceivedMessage[] {
  const text = textOf(content).trim()
  const asked = received.filter(({ from }) => from === 'user')
  if (text === '' || asked.length === 0) return received
  const reply = { text: startOf(text), at, isLast: !content.some(({ type }) => type === 'tool_use') }
  const open = asked.filter(({ replies }) => replies.length === 0)
  const newest = Math.max(...asked.map(({ replies }) => replies[0]?.at ?? 0))
  const continued = asked.filter(
    ({ replies: [first, second] }) =>
      first !== undefined && first.at === newest && !first.isLast && second === undefined,
  )
  const answered = new Set(open.length > 0 ? open : reply.isLast ? continued : [])
  if (answered.size === 0) return received
  return received.map((message) =>
    answered.has(message) ? { ...message, replies: [...message.replies, reply] } : message,
  )
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

function messageRow(event: EventOf<'user-message'>): RowChange {
  const { from, messageId, sender, content, typed } = event
  const texts = content.filter((block): block is TextBlock => block.type === 'text')
  return newRow(event, 'user', {
    kind: 'user',
    from,
    messageId,
    sender,
    text: texts.map(({ text }) => text).join('\n'),
    ...(typed !== undefined && { typed }),
    images: content.filter((block): block is ImageBlock => block.type === 'image'),
  })
}
