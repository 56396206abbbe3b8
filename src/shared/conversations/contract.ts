/** The window's commands about conversations, unsent messages and the trash. */
import { z } from 'zod'
import { permissionMode, spendLimits } from '../events/agent-event.ts'
import { command, id, none, path } from '../kernel/command.ts'
import { imageBlock } from '../messages/content.ts'
import { draftToStore, type StoredDraft } from '../messages/draft.ts'
import { modelChoice } from '../models/model-choice-schema.ts'
import type { ConversationSnapshot } from '../state/conversation-snapshot.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'

/** A conversation in the trash. */
export interface TrashedConversation {
  readonly id: string
  readonly title: string
  /** Absolute; empty if the record is not readable. */
  readonly folder: string
  /** True if the conversation only tried out a definition. */
  readonly scratch: boolean
  /** ms since the epoch. */
  readonly trashedAt: number
  /** Bytes on disk. */
  readonly size: number
}

export const conversationContract = {
  'conversation.list': command<readonly ConversationSummary[]>()(none),
  /** What is missing is as the settings say. */
  'conversation.create': command<ConversationSummary>()(
    z.object({
      ...modelChoice.shape,
      folder: path,
      permissionMode: permissionMode.optional(),
      coordinator: z.boolean().optional(),
      /** The main agent’s definition; null: Troupe’s own; missing: as the settings say, except in coordinator mode. */
      agent: z.string().min(1).max(200).nullable().optional(),
    }),
  ),
  /**
   * A new conversation that begins with the history before the user's message `seq`, and is sent `message` instead.
   * `message: null`: the history includes that message and its answer, and nothing is sent. `seq: null`: the whole
   * history. `coordinator`: the mode of the new conversation; missing: as in the original.
   */
  'conversation.branch': command<ConversationSummary>()(
    z.object({
      conversationId: id,
      seq: z.number().int().nonnegative().nullable(),
      coordinator: z.boolean().optional(),
      message: z.object({ text: z.string().max(1_000_000), images: z.array(imageBlock).max(20) }).nullable(),
    }),
  ),
  'conversation.rename': command<void>()(
    z.object({ conversationId: id, title: z.string().trim().min(1).max(200) }),
  ),
  'conversation.trash': command<void>()(z.object({ conversationId: id })),
  'conversation.restore': command<ConversationSummary>()(z.object({ conversationId: id })),
  /** Returns a snapshot; the conversation's deltas follow over the port. */
  'conversation.subscribe': command<ConversationSnapshot>()(z.object({ conversationId: id })),
  'conversation.unsubscribe': command<void>()(z.object({ conversationId: id })),
  /** Messages the main agent, or the agent given. A busy agent reads the message in its next turn. */
  'conversation.send': command<{ messageId: string; queued: boolean }>()(
    z.object({
      conversationId: id,
      agentId: id.nullable(),
      text: z.string().max(1_000_000),
      images: z.array(imageBlock).max(20),
      /** The command that the user typed; \`text\` is what it stands for. */
      typed: z.string().max(1_000_000).optional(),
    }),
  ),
  'conversation.unqueue': command<{ text: string }>()(z.object({ conversationId: id, messageId: id })),
  'conversation.stop': command<void>()(z.object({ conversationId: id })),
  /** Resumes the agents that the user's last stop ended, subagents included. */
  'conversation.continue': command<void>()(
    z.object({
      conversationId: id,
      /** Agents that waited for a usage limit wait for the rest of it. */
      whenLimitEnds: z.boolean().default(false),
    }),
  ),
  'conversation.setMode': command<void>()(z.object({ conversationId: id, permissionMode })),
  /** The model of the next requests. */
  'conversation.setModel': command<void>()(modelChoice.extend({ conversationId: id })),
  /** Replaces the main agent's history by a summary. `instructions`: what it must keep. */
  'conversation.compact': command<void>()(
    z.object({ conversationId: id, instructions: z.string().max(10_000) }),
  ),
  /** Retries a failed write. On success the agents that paused for it resume; on failure the message has the system's reason. */
  'conversation.retryLog': command<void>()(z.object({ conversationId: id })),
  /** `limits: null` restores the limits of the settings. */
  'conversation.setLimits': command<ConversationSummary>()(
    z.object({ conversationId: id, limits: spendLimits.nullable() }),
  ),
  /** The conversations in the trash, the last trashed first. */
  'trash.list': command<readonly TrashedConversation[]>()(none),
  /** Deletes conversations in the trash for good. */
  'trash.delete': command<void>()(z.object({ conversationIds: z.array(id).max(100_000) })),
  /** The unsent messages of all conversations and agents. */
  'draft.list': command<readonly StoredDraft[]>()(none),
  /** Replaces an unsent message; an empty one is removed. */
  'draft.save': command<void>()(draftToStore),
} as const
