/** The agent as the loop sees it: its log, its tools and its slot. */

import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type {
  AgentEvent,
  AgentEventDraft,
  LiveEvent,
  ToolSchema,
} from '../../../shared/events/agent-event.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { EffectiveMode } from '../../../shared/permissions/permission-modes.ts'
import type { AgentState, PendingRequest } from '../../../shared/state/agent-state.ts'
import type { AgentReach, InterceptionSubject } from '../ports/interceptors.ts'
import type { CacheLife } from '../ports/model.ts'
import type { LimitReached, NewForm } from '../ports/run-end.ts'
import type { AnyTool, BackgroundWork, LaterWork, ToolSession } from '../ports/tool.ts'
import type { History } from './history.ts'
import type { Settlement } from './standing-decision.ts'

/** One run of an agent. `signal` stops it. */
export interface RunContext<Deps> {
  readonly agent: AgentRun
  readonly deps: Deps
  readonly signal: AbortSignal
}

export interface AgentRun {
  readonly id: string
  readonly history: History
  readonly session: ToolSession
  /** Frozen at the spawn. */
  readonly system: string
  /** Frozen at the spawn. Only a compaction, which starts a new cached prefix, takes in new descriptions. */
  readonly toolSchemas: readonly ToolSchema[]
  readonly tools: readonly AnyTool[]
  /** Tools the agent may not use. The model receives the reason. */
  readonly blockedTools: readonly { readonly tool: string; readonly because: string }[]
  /** Why a tool of an MCP server is missing; null: no server explains it. */
  whyNoTool(name: string): string | null
  readonly readOnly: boolean
  /** The agent as interceptors see it now. */
  subject(): InterceptionSubject
  readonly reach: AgentReach
  state(): AgentState
  /** Appends an event to the log, folds it and publishes it. */
  emit(draft: AgentEventDraft): AgentEvent
  live(event: LiveEvent): void
  /**
   * Resolves when every emitted event is on the disk. While the log can't be written, waits for the user to retry;
   * false if the signal aborted that wait.
   */
  flush(signal: AbortSignal): Promise<boolean>
  /** Records that a call used this real path. The agent receives the instructions that apply there. */
  touched(path: string): void
  /**
   * Emits the changes of tools and instructions since the last turn, if there are any. `afterSummary`: a request follows,
   * although nothing but a summary awaits an answer.
   */
  announceChanges(options: { readonly hasMessage: boolean; readonly afterSummary?: boolean }): Promise<void>
  /** Announces these deferred tools with the next turn. @returns those that the agent may use */
  loadTools(names: readonly string[]): Promise<readonly string[]>
  /** How long the prompt of its next request shall be kept. */
  cacheFor(): CacheLife
  /** The spending limit that the agent has reached. */
  limitReached(): LimitReached | null
  /** Emits the messages that arrived since the last turn; true if there were any. */
  takeInMessages(): boolean
  /** The summary that the user wants now, once; null: none. */
  takeCompaction(): { readonly instructions: string } | null
  /** Asks the user and waits without holding a slot, until an answer or a change of the rules. */
  ask(request: NewRequest, until: AskedUntil): Promise<PermissionAnswer | SettledAnswer>
  /** Shows the user a form and waits without holding a slot. */
  askForm(request: NewForm, signal: AbortSignal): Promise<FormAnswer>
  /** Lets the work of a call continue in the background. @returns the reason, if it can't */
  toBackground(toolUseId: string, work: LaterWork): BackgroundWork | string
  /** Resolves when the agent holds a slot and is not paused, or when the signal aborts. */
  acquireSlot(signal: AbortSignal): Promise<void>
  /** Gives the slot back while the agent waits for a usage limit. */
  beginLimitWait(): void
  /** Calls in flight. An agent whose calls all wait gives its slot back. */
  callStarted(): void
  callEnded(): void
  mode(): EffectiveMode
  /** Aborts when the user wants the next attempt of a failed request at once. A new signal after each time. */
  hurry(): AbortSignal
  /** The folder of its large outputs, which it may read. */
  readonly outputFolder: string
  keepOutput(toolUseId: string, output: string): Promise<Result<string>>
}

/** What ends a permission request besides the user's answer. */
export interface AskedUntil {
  /** Aborting it withdraws the request. */
  readonly signal: AbortSignal
  /** Resolves when a change of the rules settles the call. */
  settled(): Promise<Settlement>
}

/** The rules changed, and now decide about the call. */
export interface SettledAnswer {
  readonly decision: 'settled'
  readonly by: Settlement
}

/** `remedy`: how the user could allow such a call beforehand. */
export type NewRequest = Omit<PendingRequest, 'requestId' | 'askedAt'> & { readonly remedy: string }
