/** The commands about conversations, unsent messages and the trash. */
import { z } from 'zod'
import { permissionMode, spendLimits } from '../events/agent-event.ts'
import type { LoggedEvent } from '../events/conversation-event.ts'
import type { HistorySource } from '../histories/history.ts'
import { historyProgram } from '../histories/history-schema.ts'
import { command, id, none, path } from '../kernel/command.ts'
import { userContent } from '../messages/content.ts'
import { draftToStore, type StoredDraft } from '../messages/draft.ts'
import { modelChoice } from '../models/model-choice-schema.ts'
import type { AgentState } from '../state/agent-state.ts'
import type { ConversationSnapshot } from '../state/conversation-snapshot.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'
import type { Timeline } from '../timeline/timeline.ts'

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

/** A new conversation, with the reason why its first message was not sent, if it wasn't. */
export interface NewConversation extends ConversationSummary {
  readonly notSent?: { readonly type: string; readonly message: string }
}

/** A conversation at one of its events: the whole state, or the events since a state before. */
export type PastConversation =
  | { readonly snapshot: ConversationSnapshot }
  | { readonly snapshot: null; readonly events: readonly LoggedEvent[] }

/** A conversation in which agents wait for the user. */
export interface ConversationRequests {
  readonly conversationId: string
  readonly title: string
  /** Absolute. */
  readonly folder: string
  /** The agents with open permission requests or forms. */
  readonly agents: readonly AgentState[]
}

const message = {
  content: userContent,
  /** The command that the user typed; `content` is what it stands for. */
  typed: z.string().max(1_000_000).optional(),
}

export const conversationContract = {
  'conversation.list': command<readonly ConversationSummary[]>()(() => none),
  /** What each conversation takes on the disk, in bytes, by id. Reads the folders of all agents: slower than the list. */
  'conversation.sizes': command<Readonly<Record<string, number>>>()(() => none),
  /** What agents of all folders ask the user now. Conversations that only try out a definition are left out. */
  'conversation.requests': command<readonly ConversationRequests[]>()(() => none),
  /**
   * What is missing is as the settings say. An agent's own model counts before that of the settings. With a first message,
   * the conversation exists also if the message was refused.
   */
  'conversation.create': command<NewConversation>()(() =>
    z.object({
      ...modelChoice.shape,
      folder: path,
      permissionMode: permissionMode.optional(),
      coordinator: z.boolean().optional(),
      /** The main agent’s definition; null: Troupe’s own; missing: as the settings say, except in coordinator mode. */
      agent: z.string().min(1).max(200).nullable().optional(),
      maxTurns: z.number().int().positive().optional(),
      /** Limits of the whole conversation, instead of those of the settings. */
      limits: spendLimits.partial().optional(),
      message: z.object(message).optional(),
    }),
  ),
  /**
   * A new conversation that begins with the history before the user's message `seq`, and is sent `content` instead.
   * `content: null`: nothing is sent, and the history includes that message and its answer, unless it is to end `before`.
   * `seq: null`: the whole history. `coordinator`: the mode of the new conversation; missing: as in the original. `folder`:
   * of the new conversation, where another program wrote the original. Fails with `not-possible` for a main agent in its
   * own worktree.
   */
  'conversation.branch': command<ConversationSummary>()(() =>
    z.object({
      conversationId: id,
      seq: z.number().int().nonnegative().nullable(),
      coordinator: z.boolean().optional(),
      content: userContent.nullable(),
      before: z.boolean().optional(),
      folder: path.optional(),
    }),
  ),
  'conversation.rename': command<void>()(() =>
    z.object({ conversationId: id, title: z.string().trim().min(1).max(200) }),
  ),
  /** Pins or archives a conversation, or takes that back; what is missing stays. */
  'conversation.mark': command<void>()(() =>
    z.object({
      conversationId: id,
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
    }),
  ),
  'conversation.trash': command<void>()(() => z.object({ conversationId: id })),
  'conversation.restore': command<ConversationSummary>()(() => z.object({ conversationId: id })),
  /** Returns a snapshot; the conversation's deltas follow over the port. */
  'conversation.subscribe': command<ConversationSnapshot>()(() => z.object({ conversationId: id })),
  'conversation.unsubscribe': command<void>()(() => z.object({ conversationId: id })),
  /**
   * The timeline of all events so far, from the logs. Later events are folded by the caller. `problem`: why the logs can be
   * read no further, for the user; null: they were read to their ends.
   */
  'conversation.timeline': command<{ readonly timeline: Timeline; readonly problem: string | null }>()(() =>
    z.object({ conversationId: id }),
  ),
  /**
   * The conversation as it was after the event of this order. `after`: the order of the state that the caller has; it gets
   * the events since, if they are few, instead of a snapshot.
   */
  'conversation.past': command<PastConversation>()(() =>
    z.object({
      conversationId: id,
      order: z.number().int().nonnegative(),
      after: z.number().int().nonnegative().nullable(),
    }),
  ),
  /** Messages the main agent, or the agent given. An idle agent starts at once; a busy one reads it in its next turn. */
  'conversation.send': command<{ messageId: string; queued: boolean }>()(() =>
    z.object({ conversationId: id, agentId: id.nullable(), ...message }),
  ),
  /** Takes back a message that no agent has read yet. */
  'conversation.unqueue': command<{ text: string }>()(() => z.object({ conversationId: id, messageId: id })),
  /**
   * Interrupts the main agent, with the agents that it waits for, and gives it a queued message of the user at once. Fails
   * with `not-found` once it was read, and with `not-possible` for a message to another agent.
   */
  'conversation.sendNow': command<void>()(() => z.object({ conversationId: id, messageId: id })),
  /**
   * Runs a command of the user in the folder, without an agent; its events follow. One at a time. A check runs in the
   * sandbox, as a command of the main agent would, and ends after an hour. Fails with `not-allowed` in a folder without
   * trust, and with `not-possible` while another one runs.
   */
  'conversation.runCommand': command<{ commandId: string }>()(() =>
    z.object({
      conversationId: id,
      command: z.string().trim().min(1).max(100_000),
      isCheck: z.boolean().default(false),
    }),
  ),
  /** Stops the user's command. Does nothing if it has ended. */
  'conversation.stopCommand': command<void>()(() => z.object({ conversationId: id, commandId: id })),
  /** Whether the output of the user's command goes to the main agent with the next message. */
  'conversation.shareCommand': command<void>()(() =>
    z.object({ conversationId: id, commandId: id, share: z.boolean() }),
  ),
  /** Stops every agent of the conversation. The next message resumes it. */
  'conversation.stop': command<void>()(() => z.object({ conversationId: id })),
  /** Resumes the agents that the user's last stop ended, subagents included. Fails with `ended` if none is left. */
  'conversation.continue': command<void>()(() =>
    z.object({
      conversationId: id,
      /** Agents that waited for a usage limit wait for the rest of it. */
      whenLimitEnds: z.boolean().default(false),
    }),
  ),
  'conversation.setMode': command<void>()(() => z.object({ conversationId: id, permissionMode })),
  /** The model of the next requests, or what is chosen with it; without an agent, of the main agent. */
  'conversation.setModel': command<void>()(() =>
    modelChoice.extend({ conversationId: id, agentId: id.optional() }),
  ),
  /**
   * Replaces the main agent's history by a summary: at once, or with its next turn. `instructions`: what it must keep; may
   * be empty. Fails with `nothing`.
   */
  'conversation.compact': command<void>()(() =>
    z.object({ conversationId: id, instructions: z.string().max(10_000) }),
  ),
  /** Retries a failed write. On success the agents that paused for it resume; on failure the message has the system's reason. */
  'conversation.retryLog': command<void>()(() => z.object({ conversationId: id })),
  /** `limits: null` restores the limits of the settings. */
  'conversation.setLimits': command<ConversationSummary>()(() =>
    z.object({ conversationId: id, limits: spendLimits.nullable() }),
  ),
  /** The conversations in the trash, the last trashed first. */
  'trash.list': command<readonly TrashedConversation[]>()(() => none),
  /** Deletes conversations in the trash for good. */
  'trash.delete': command<void>()(() => z.object({ conversationIds: z.array(id).max(100_000) })),
  /** The unsent messages of all conversations and agents. */
  'draft.list': command<readonly StoredDraft[]>()(() => none),
  /** Replaces an unsent message; an empty one is removed. */
  'draft.save': command<void>()(() => draftToStore),
} as const

/** The commands about the histories of other agent programs. */
export const historyContract = {
  /** The sources in their order; with a program only this one. Entries only where the user lets Troupe read. */
  'history.list': command<readonly HistorySource[]>()(() => z.object({ program: historyProgram.optional() })),
  /**
   * A new conversation that begins with this history, in its folder or the one given. Fails with `not-found`,
   * `folder-gone` or `off`, or if the history can't be read.
   */
  'history.continue': command<ConversationSummary>()(() =>
    z.object({ conversationId: id, folder: path.optional() }),
  ),
  /** How far a history is read that is being opened, from 0 to 1; null: unknown, or it is not read now. */
  'history.progress': command<number | null>()(() => z.object({ conversationId: id })),
  /** Ends the reading of a history. What waits for it fails with `canceled`. */
  'history.cancel': command<void>()(() => z.object({ conversationId: id })),
} as const
