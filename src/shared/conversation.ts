/** A conversation as it is listed: what lies in `conversations/<id>.json`. */
import { z } from 'zod'
import { spendLimits } from './agent-event.ts'
import { userBlock } from './content.ts'

/** Words that no agent has read yet. They are on the disk, so that a restart delivers them. */
export const queuedMessage = z.object({
  messageId: z.string(),
  agentId: z.string(),
  content: z.array(userBlock),
  from: z.enum(['user', 'agent', 'runtime']).default('user'),
  /** The agent that wrote it, or of whose end it tells. */
  sender: z.string().nullable().default(null),
  /** What interceptors added to the message, for the agent. */
  context: z.string().nullable().optional(),
})
export type QueuedMessage = z.infer<typeof queuedMessage>

export const conversationRecord = z.object({
  v: z.literal(1),
  id: z.string(),
  /** The folder it works in, absolute. */
  folder: z.string(),
  title: z.string(),
  /** False until a person named it: then the first message no longer does. */
  named: z.boolean(),
  mainAgentId: z.string(),
  /** Every agent of the conversation, the main agent first, in the order they were spawned. */
  agentIds: z.array(z.string()),
  /** ms since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  /** True where the model was the rehearsal's script. */
  rehearsal: z.boolean(),
  /** True where it only tries a definition out. */
  scratch: z.boolean().default(false),
  queued: z.array(queuedMessage).default([]),
  /** What all agents of it may spend together; null: what the settings say. */
  limits: spendLimits.nullable().default(null),
})
export type ConversationRecord = z.infer<typeof conversationRecord>
