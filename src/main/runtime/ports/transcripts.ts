/** The ports to conversations on disk: their logs, and the trash. */

import type { TrashedConversation } from '../../../shared/conversations/contract.ts'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { ConversationEventDraft, LoggedEvent } from '../../../shared/events/conversation-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { ConversationState } from '../../../shared/state/conversation-state.ts'

/** What can change without opening a conversation. */
export type RecordChange = Extract<
  ConversationEventDraft,
  { readonly type: 'conversation-titled' | 'conversation-marked' }
>

/** Stores conversations and transcripts. Readers never change a log. */
export interface TranscriptStore {
  list(): Promise<readonly ConversationRecord[]>
  read(conversationId: string): Promise<Result<ConversationRecord>>
  /** The states of these agents. An agent without a transcript is left out. */
  states(agentIds: readonly string[]): Promise<Result<readonly AgentState[]>>
  /** Resolves when the logs have every event that this process appended so far, or can't be written. */
  drain(): Promise<void>
  /** Whether another process is writing to it. */
  lockedByOther(conversationId: string): Promise<boolean>
  /** All events of an agent in order, in batches. A damaged line ends the reading with a failure that names the line. */
  events(agentId: string): AsyncIterable<Result<readonly AgentEvent[]>>
  /** Events before `before` (exclusive; null: the end), at most `limit`, oldest first. */
  page(
    agentId: string,
    options: { readonly before: number | null; readonly limit: number },
  ): Promise<Result<{ readonly events: readonly AgentEvent[]; readonly total: number }>>
  /**
   * All events of a conversation and its agents from one order to another (inclusive), by order, in batches. A
   * damaged line ends the reading with a failure that names the file and the line.
   */
  readConversation(
    conversationId: string,
    range?: { readonly from?: number; readonly to?: number },
  ): AsyncIterable<Result<readonly LoggedEvent[]>>
  /** The state of a conversation after every event up to `order`. */
  stateAt(conversationId: string, order: number): Promise<Result<ConversationState>>
  /**
   * Takes the conversation's lock and opens it for appending; a record that does not exist is created. Every transcript is
   * checked meanwhile: a follower gets the events of one of them, which need not be read again then.
   */
  open(record: ConversationRecord, follower?: TranscriptFollower): Promise<Result<ConversationLog>>
  /** Moves a conversation with its transcripts to the trash folder; refused while another process holds it. */
  trash(conversationId: string): Promise<Result<void>>
  /** Restores a conversation from the trash folder. */
  restore(conversationId: string): Promise<Result<void>>
  /** Adds an event to a conversation that is not open; refused while another process holds it. */
  amend(conversationId: string, change: RecordChange): Promise<Result<void>>
  /** The whole stored output of a tool. */
  toolOutput(agentId: string, toolUseId: string): Promise<Result<string>>
}

/** Takes the events of one agent, in order and in batches. */
export interface TranscriptFollower {
  readonly agentId: string
  readonly take: (events: readonly AgentEvent[]) => void
}

/** The conversations that were moved to the trash. */
export interface ConversationTrash {
  /** The last trashed first. */
  list(): Promise<Result<readonly TrashedConversation[]>>
  /** How many there are, without those that only tried out a definition. 0 where the trash can't be read. */
  count(): Promise<number>
  /** Deletes these conversations for good; those that are not in the trash are passed over. Stops at a failure. */
  delete(ids: readonly string[]): Promise<Result<void>>
}

/** The one writer of a conversation. */
export interface ConversationLog {
  /** The record after every event appended so far. */
  readonly record: ConversationRecord
  /** The first free numbers when the log was opened: `seq` in the conversation's own log, `order` over all logs. */
  readonly next: { readonly seq: number; readonly order: number }
  /** The states of the agents when the log was opened. An agent without a transcript is left out. */
  readonly states: readonly AgentState[]
  /** Transcripts whose last line a crash had cut off. The line was set aside; `message` is for the user. */
  readonly repaired?: readonly { readonly agentId: string; readonly message: string }[]
  /** Queues an event of an agent or of the conversation; in memory only until the next flush. Never throws. */
  append(event: LoggedEvent): void
  /** Resolves when every event of the conversation's own log that was appended before the call is on disk. */
  save(): Promise<Result<void>>
  /** Resolves when every event that this agent appended before the call is on disk (fdatasync). */
  flush(agentId: string): Promise<Result<void>>
  /** Stores a large tool output; resolves to its path below the data folder. */
  keepOutput(agentId: string, toolUseId: string, output: string): Promise<Result<string>>
  /** The absolute path of the folder with an agent's large outputs, links resolved. Its files are named after the calls. */
  outputFolder(agentId: string): string
  /** The absolute path of an agent's transcript. */
  transcriptPath(agentId: string): string
  /** Flushes everything and releases the lock. */
  close(): Promise<void>
}
