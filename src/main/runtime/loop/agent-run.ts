/** What the loop works on: one agent with its log, its tools and its place in the queue. */
import type {
  AgentEvent,
  AgentEventDraft,
  LiveEvent,
  PermissionMode,
  ToolSchema,
} from '../../../shared/agent-event.ts'
import type { AgentState, PendingPrompt } from '../../../shared/agent-state.ts'
import type { Result } from '../../../shared/result.ts'
import type { PermissionAnswer } from '../runtime.ts'
import type { AnyTool, ToolSession } from '../tool.ts'
import type { History } from './history.ts'

export interface AgentRun {
  readonly id: string
  readonly history: History
  readonly session: ToolSession
  /** Frozen at the spawn. */
  readonly system: string
  /** Frozen too; only a summary, which begins anew, takes in how they would be described now. */
  readonly toolSchemas: readonly ToolSchema[]
  readonly tools: readonly AnyTool[]
  /** Tools it may not use, with the reason it is told. */
  readonly blockedTools: readonly { readonly tool: string; readonly because: string }[]
  readonly readOnly: boolean
  state(): AgentState
  /** Appends an event: it gets its place, is folded, and goes to every subscriber. */
  emit(draft: AgentEventDraft): AgentEvent
  live(event: LiveEvent): void
  /**
   * Resolves when all that was emitted is on the disk. While the log can't be written it waits for a person; false
   * where the signal aborted that.
   */
  flush(signal: AbortSignal): Promise<boolean>
  /** Notes that a call was about this real path: what instructions hold there, the agent is told. */
  touched(path: string): void
  /** Emits what changed of tools and instructions since the agent was last told, if anything did. */
  tellChanges(): Promise<void>
  /** The limit of what it may spend that is reached, if one is. */
  limitReached(): LimitReached | null
  /** Emits the messages that arrived meanwhile; true if there were any. */
  takeInbox(): boolean
  /** Puts a question to the user and waits, without holding a place. */
  ask(prompt: Omit<PendingPrompt, 'promptId' | 'askedAt'>, signal: AbortSignal): Promise<PermissionAnswer>
  /** Resolves when the agent may work: at most so many do at once. */
  ensurePlace(signal: AbortSignal): Promise<void>
  /** How many of its calls run now; one that waits is not counted. Gives the place back when all wait. */
  callStarted(): void
  callEnded(): void
  permissionMode(): PermissionMode
  keepOutput(toolUseId: string, output: string): Promise<Result<string>>
}

/** A limit that ends an agent, or keeps it from beginning. */
export interface LimitReached {
  readonly kind: 'turns' | 'tokens' | 'money' | 'time'
  readonly of: 'agent' | 'parent' | 'conversation'
  /** "the conversation's limit of $20"; of a refusal the whole reason. */
  readonly words: string
  /** Not even a last request may be made. */
  readonly isRefusal: boolean
}

/** How a run ended. */
export type RunEnd =
  /** The model has said what it had to say. */
  | { readonly kind: 'answered'; readonly text: string; readonly reachedLimit: LimitReached | null }
  | {
      readonly kind: 'failed'
      readonly type: string
      readonly message: string
      /** Set where it was a limit that kept it from going on. */
      readonly limit?: LimitReached
    }
  | { readonly kind: 'stopped' }
