/** The conversation, as the agents that live in it see it. */
import type { AgentEvent, LiveEvent } from '../../../shared/agent-event.ts'
import type { QueuedWords } from '../../../shared/conversation.ts'
import type { LimitReached } from '../loop/agent-run.ts'
import type { Clock, ConversationLog, Ids, MemorySource } from '../ports.ts'
import type { Worktrees } from '../worktrees.ts'
import type { Places } from './places.ts'

/** What an agent needs of the conversation it lives in. */
export interface AgentHome {
  readonly clock: Clock
  readonly ids: Ids
  readonly places: Places
  readonly log: ConversationLog
  nextOrder(): number
  publish(event: AgentEvent): void
  publishLive(event: LiveEvent): void
  /** Resolves when the log was tried again with success, or the signal aborts. */
  logFailed(agentId: string, message: string, signal: AbortSignal): Promise<void>
  /** All that this agent emitted is on the disk, these messages from the queue among it. */
  logWritten(agentId: string, messageIds: readonly string[]): void
  /** Takes this agent's messages out of the queue. */
  takeMessages(agentId: string): readonly QueuedWords[]
  /** What keeps this agent from making another request. */
  limitFor(agentId: string): LimitReached | null
  /** How the tools that depend on what there is would be described to this agent now; none for whom nothing changes. */
  describeTools(agentId: string): Promise<Readonly<Record<string, string>>>
  readonly memory: MemorySource
  readonly worktrees: Pick<Worktrees, 'environment'>
  /** The conversation's. */
  readonly folder: string
  isTrusted(folder: string): boolean
  isMain(agentId: string): boolean
}
