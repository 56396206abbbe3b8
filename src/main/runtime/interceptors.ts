/**
 * The points where code outside the runtime can observe or restrict an agent. Hooks are built on this port.
 *
 * Every kind of agent passes the same points: main agents, subagents, background agents, forks, agents in worktrees and
 * resumed agents. An interceptor can narrow the permission rules, never widen them.
 */
import type { AgentEventDraft, InterceptionPoint } from '../../shared/agent-event.ts'
import type { ToolContent } from '../../shared/content.ts'

/** Finds the interceptors for an agent. */
export interface Interceptors {
  /**
   * In the order in which they run before a tool call, and in which their effects count. Called at every point, so that a changed configuration takes effect at once.
   * Never rejects.
   */
  list(agent: InterceptedAgent): Promise<readonly Interceptor[]>
}

/** The agent at a point. */
export interface InterceptedAgent {
  readonly id: string
  /** The name of the agent's definition. */
  readonly type: string
  /** Null for the main agent. */
  readonly parentId: string | null
  readonly conversationId: string
  /** The conversation's folder, whose trust and settings apply. */
  readonly project: string
  /** The folder of the agent's shell. */
  readonly cwd: string
  readonly transcriptPath: string
  readonly permissionMode: string
  readonly model: string
  /** Hooks of the agent's definition, as written, and the definition's source; null: it has none. */
  readonly ownHooks: { readonly source: string; readonly hooks: Readonly<Record<string, unknown>> } | null
}

export interface Interceptor {
  /** Names the interceptor to users and models: `hook lint.sh`. */
  readonly source: string
  /** A handler that takes longer is aborted and counts as failed. */
  readonly timeLimitMs: number
  /**
   * Whether a failure blocks: a tool call is denied and a user message is refused. Without this, and at every other
   * point, a failure is recorded and ignored.
   */
  readonly failClosed?: boolean
  readonly handlers: InterceptorHandlers
}

export type InterceptorHandlers = { readonly [P in InterceptionPoint]?: Handler<P> }

/** A handler that throws counts as failed. `null` means no objection and nothing to add. */
export type Handler<P extends InterceptionPoint> = (
  facts: PointFacts[P],
  context: HandlerContext,
) => Promise<InterceptorAnswer[P] | null>

export interface HandlerContext {
  readonly agent: InterceptedAgent
  readonly signal: AbortSignal
  /** Adds what the handler did to the agent's transcript. Ignored once the agent's log is closed. */
  record(draft: RecordedDraft): void
}

export type RecordedDraft = Extract<AgentEventDraft, { type: 'hook-ran' | 'notice' }>

/** The facts that a handler receives at each point. */
export interface PointFacts {
  /** A parsed call, before permission rules judge it. `input` includes the changes of earlier interceptors. */
  readonly 'tool-call': ToolCallFacts
  /** A call that ran, successfully or not. */
  readonly 'tool-result': ToolCallFacts & { readonly isError: boolean; readonly content: ToolContent }
  /** A message from the user to any agent, before it is queued. */
  readonly 'user-message': { readonly text: string }
  /** A subagent that was started or resumed by its parent, before its prompt. */
  readonly 'subagent-start': { readonly task: string; readonly isResumed: boolean }
  /** A subagent's final message. */
  readonly 'subagent-stop': TurnEndFacts
  /** The last message of a main agent's turn. */
  readonly 'turn-end': TurnEndFacts
  /** The history is about to be replaced by a summary. */
  readonly compaction: {
    readonly messages: number /** Of the user, who wants it; null: the context is full. */
    readonly instructions: string | null
  }
  /** Something needs the user's attention. */
  readonly notification: { readonly kind: 'permission-request' | 'form' | 'idle'; readonly text: string }
  /** A conversation was created, or opened again to continue. */
  readonly 'session-start': { readonly isResumed: boolean }
  readonly 'session-end': { readonly reason: 'closed' | 'deleted' }
  /** A call that needs the user's permission, before the user is asked. */
  readonly 'permission-request': ToolCallFacts & { readonly because: string }
  /** An agent starts for the first time in a git worktree of its own. */
  readonly 'worktree-create': WorktreeFacts
  /** An agent left its worktree, whose folder was removed because it held no work. */
  readonly 'worktree-remove': WorktreeFacts
}

export interface WorktreeFacts {
  readonly path: string
  readonly branch: string
}

export interface ToolCallFacts {
  readonly toolUseId: string
  /** The tool's own name, not an alias. */
  readonly tool: string
  readonly input: unknown
}

export interface TurnEndFacts {
  readonly text: string
  /** The number of times that interceptors already made this run continue. */
  readonly continuations: number
  /** False at a limit: a `continue` is ignored. */
  readonly canContinue: boolean
}

/** The answers that a handler may give at each point. All texts are shown to the model as notes from the system. */
export interface InterceptorAnswer {
  readonly 'tool-call': {
    /** Refuses the call with this reason. */
    readonly deny?: string
    /** Requires the user's permission, for this reason, even where a rule or mode allows the call. */
    readonly ask?: string
    /** Replaces the input. The schema and the permission rules judge the new input. */
    readonly input?: unknown
    /** Added to the result. */
    readonly context?: string
  } & Stop
  /** `context` is added to the result. */
  readonly 'tool-result': Context & Stop
  readonly 'user-message': Context & {
    /** Refuses the message with this reason. */
    readonly deny?: string
  }
  readonly 'subagent-start': Context & Stop
  readonly 'subagent-stop': Continue & Stop
  readonly 'turn-end': Continue & Stop
  /** `context` is added to the request for the summary. */
  readonly compaction: Context
  readonly notification: Record<string, never>
  readonly 'session-start': Context
  readonly 'session-end': Record<string, never>
  readonly 'permission-request': {
    /** Refuses the call with this reason. No answer allows it. */
    readonly deny?: string
  } & Stop
  readonly 'worktree-create': Context
  readonly 'worktree-remove': Record<string, never>
}

interface Context {
  readonly context?: string
}

interface Continue {
  /** Makes the agent continue, for this reason. */
  readonly continue?: string
}

interface Stop {
  /** Ends the agent's run, for this reason. The call of the point is refused. Stronger than `continue`. */
  readonly stop?: string
}
