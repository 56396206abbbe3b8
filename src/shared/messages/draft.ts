/** Unsent messages as they are stored: for each conversation, each agent's message field, each review. */
import { z } from 'zod'
import { imageBlock } from './content.ts'
import { LONGEST_PASTE } from './pasted-text.ts'

const attachmentKey = z.string().regex(/^[A-Za-z0-9-]{1,64}$/)

/** What is attached to an unsent message. */
export const draftAttachment = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('image'), key: attachmentKey, name: z.string().max(1000), block: imageBlock }),
  z.object({ kind: z.literal('pasted'), key: attachmentKey, text: z.string().max(LONGEST_PASTE) }),
])
export type DraftAttachment = z.infer<typeof draftAttachment>

const place = z.string().min(1).max(5000)
const text = z.string().max(LONGEST_PASTE)
const recipientId = z.string().min(1).max(100).nullable()

const storedDraft = z.object({
  /** The conversation's id, `new:` and a folder, `agent:` and an agent's id, or `review:` and a worktree. */
  place,
  text,
  /** The agent that receives the message; null: the main agent. */
  recipientId,
  attachments: z.array(draftAttachment).max(100),
})
export type StoredDraft = z.infer<typeof storedDraft>

/** A draft to store. An attachment comes with its content once, and later by its key. */
export const draftToStore = z.object({
  place,
  text,
  recipientId,
  attachments: z.array(attachmentKey).max(100),
  added: z.array(draftAttachment).max(100),
})
export type DraftToStore = z.infer<typeof draftToStore>

/** Stores unsent messages. */
export interface DraftStorage {
  list(): Promise<readonly StoredDraft[]>
  /** Replaces the draft of a place; an empty draft is removed. Throws the system's error. */
  save(draft: DraftToStore): Promise<void>
}
