/** The runtime as the window, the command line and tests see it. */
import type { AgentEvent, LiveEvent, PermissionMode, SpendLimits } from '../../shared/agent-event.ts'
import type { AgentState } from '../../shared/agent-state.ts'
import type { UserBlock } from '../../shared/content.ts'
import type {
  ConversationSnapshot,
  ConversationSummary,
  DefinitionChange,
  QueuedMessage,
} from '../../shared/ipc-contract.ts'
import type { Result } from '../../shared/result.ts'
import type { LoadedDefinition } from './ports.ts'

/** What a subscriber gets, in the order in which it happened. */
export type RuntimeDelta =
  | { readonly type: 'event'; readonly conversationId: string; readonly event: AgentEvent }
  | { readonly type: 'live'; readonly conversationId: string; readonly event: LiveEvent }
  | { readonly type: 'queue'; readonly conversationId: string; readonly queued: readonly QueuedMessage[] }
  | { readonly type: 'conversation'; readonly summary: ConversationSummary }
  | { readonly type: 'conversation-gone'; readonly conversationId: string }
  /** The log of these agents can't be written: they are paused until `retryLog`. None: all is written again. */
  | {
      readonly type: 'log-trouble'
      readonly conversationId: string
      readonly agentIds: readonly string[]
      readonly message: string
    }

export interface NewConversation {
  readonly folder: string
  /** An alias or a full id. */
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly rehearsal: boolean
  /** The definition of the main agent; `main` by default. */
  readonly agent?: string
  /** A definition to try out, which need not be in any file: a scratch conversation, with the tools it has as a subagent. */
  readonly definition?: LoadedDefinition
  readonly maxTurns?: number
}

export type PermissionAnswer =
  | { readonly decision: 'allow-once' | 'allow-always' }
  /** `unattended`: nobody was there to ask; the words say so themselves. */
  | { readonly decision: 'deny'; readonly words: string | null; readonly unattended?: true }

export interface Runtime {
  conversations(): Promise<readonly ConversationSummary[]>
  /** Failures: `folder-gone`, `unknown-agent`, those of `Worktrees.create`, `not-allowed` (bypassPermissions), `log`. */
  create(options: NewConversation): Promise<Result<ConversationSummary>>
  /** All there is to know of a conversation now; deltas go on from its `order`. Interrupted agents are named so if nobody else runs it. */
  snapshot(conversationId: string): Promise<Result<ConversationSnapshot>>
  /**
   * Says something to the main agent (or the one named). An idle main agent starts at once, a busy agent
   * gets it in its next turn. Failures: `not-found`, `locked` (another program runs it), `ended`, `log`.
   */
  send(message: {
    readonly conversationId: string
    readonly agentId: string | null
    readonly content: readonly UserBlock[]
  }): Promise<Result<{ readonly messageId: string; readonly queued: boolean }>>
  /** Takes back a message that no agent has read yet. */
  unqueue(conversationId: string, messageId: string): Result<{ readonly text: string }>
  /** Stops one agent and its children; resolves when their processes are gone. */
  stopAgent(conversationId: string, agentId: string): Promise<Result<void>>
  /** It rests before its next request or tool call; others are left alone. Failures: `not-found`, `ended`. */
  pauseAgent(conversationId: string, agentId: string): Promise<Result<void>>
  /** One that rests goes on; one that has ended is resumed where it was. Failures: those of `send`. */
  continueAgent(conversationId: string, agentId: string): Promise<Result<void>>
  /** Its parent goes on at once and is told of its end. Failures: `not-found`, `ended`, `not-possible` (the main agent). */
  moveToBackground(conversationId: string, agentId: string): Promise<Result<void>>
  /** Failures: `not-found`. */
  definitionChange(conversationId: string, agentId: string): Promise<Result<DefinitionChange>>
  /** An agent that has ended takes its definition as it is now. Failures: `not-found`, `running`, `unknown-agent`, `not-possible` (a fork). */
  renewDefinition(conversationId: string, agentId: string): Promise<Result<void>>
  /** What a subagent may spend with all that it starts; one that has ended keeps it for when it goes on. Failures: `not-found`, `not-possible` (the main agent). */
  setAgentLimits(conversationId: string, agentId: string, limits: SpendLimits): Promise<Result<void>>
  /** What the agents of this conversation may spend together; null: what the settings say. */
  setLimits(conversationId: string, limits: SpendLimits | null): Promise<Result<ConversationSummary>>
  /** Stops every agent of the conversation. It can go on afterwards with the next message. */
  stopConversation(conversationId: string): Promise<Result<void>>
  answer(
    prompt: { readonly conversationId: string; readonly agentId: string; readonly promptId: string },
    answer: PermissionAnswer,
  ): Promise<Result<void>>
  setMode(conversationId: string, mode: PermissionMode): Promise<Result<void>>
  setModel(conversationId: string, model: string): Promise<Result<void>>
  rename(conversationId: string, title: string): Promise<Result<void>>
  trash(conversationId: string): Promise<Result<void>>
  restore(conversationId: string): Promise<Result<ConversationSummary>>
  /** The state of an agent that is open now, or null. */
  state(conversationId: string, agentId: string): AgentState | null
  /** What the agent's message streams at this moment, from its start. */
  live(agentId: string): readonly LiveEvent[]
  /** Tries again to write a log that failed; the paused agents go on. Fails with what the disk says now. */
  retryLog(conversationId: string): Promise<Result<void>>
  /** Requests go elsewhere from now on, or with another key: who waits for its turn there tries at once. */
  accessChanged(): void
  subscribe(listener: (delta: RuntimeDelta) => void): () => void
  /** Resolves when the main agent has nothing to do: it ended, or it waits for a message. */
  settled(conversationId: string): Promise<AgentState>
  /** Stops everything, flushes, lets go of every lock. */
  close(): Promise<void>
}
