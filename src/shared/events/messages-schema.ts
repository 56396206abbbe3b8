/** Messages to an agent, and notes for the user: their events, and what is known of them. */
import { z } from 'zod'
import { userBlock } from '../messages/content.ts'
import { declareEvent } from './event-schema.ts'

const author = z.enum(['user', 'parent', 'agent', 'runtime'])

export const messageEvents = [
  /** A message to the agent: its prompt, a later message, or a note from the runtime. */
  declareEvent('user-message', {
    messageId: z.string(),
    from: author,
    content: z.array(userBlock),
    /** From `agent`: the author. From `runtime`: the agent whose end the note reports, or null. */
    sender: z.string().nullable().default(null),
    /** From `runtime`: the transcript shows this text to the user, and `content` only on request. */
    note: z.string().optional(),
    /** The same for the copies of one message to several agents; missing: it has one receiver. */
    broadcast: z.string().optional(),
    /** The command that the user typed: the transcript shows it, and `content`, its text, only on request. */
    typed: z.string().optional(),
  }),
  /** A note in the transcript. The model does not receive it. */
  /** `path`: the file in question, by its real path, whose changes the window can show. */
  declareEvent('notice', {
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    path: z.string().optional(),
  }),
] as const

/** What an agent wrote after a message of the user. `isLast`: its turn ended with it. */
const reply = z.object({ text: z.string(), at: z.number(), isLast: z.boolean() })

const receivedMessage = z.object({
  messageId: z.string(),
  /** `parent`: a prompt. `runtime`: the report of `sender`. */
  from: author,
  /** The agent that wrote it; null: the user, or the parent. */
  sender: z.string().nullable(),
  /** The start of the text, without the frame for the agent. */
  text: z.string(),
  /** The same for the copies of one message to several agents; null: it had one receiver. */
  broadcast: z.string().nullable(),
  /** When the agent received it, ms since the epoch. */
  at: z.number(),
  /** From the user: the first text after the message, then the text that ended the turn. At most two. */
  replies: z.array(reply).default([]),
})
export type ReceivedMessage = Readonly<z.infer<typeof receivedMessage>>

/** A message that waits in the mailbox of a name. `at`: ms since the epoch. */
const keptMessage = z.object({ messageId: z.string(), to: z.string(), text: z.string(), at: z.number() })
export type KeptMessage = Readonly<z.infer<typeof keptMessage>>

/**
 * The last messages of an agent are a bounded part of its state; the view of a team derives its threads from them (see
 * `message-log.ts`).
 */
export const messageState = {
  /** Messages in the transcript that the model has not answered yet. */
  unread: z.array(z.string()),
  /** The last messages that the agent received, oldest first. */
  received: z.array(receivedMessage),
  /** The last messages that the agent sent to a name without an agent. */
  kept: z.array(keptMessage),
}
