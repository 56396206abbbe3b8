/**
 * The points where code outside the runtime can observe or restrict an agent. Hooks are built on this port.
 *
 * Every kind of agent passes the same points: main agents, subagents, background agents, forks, agents in worktrees and
 * resumed agents. An interceptor can narrow the permission rules, never widen them: it may only answer a request to the
 * user that a rule could answer.
 */
import type { AgentEventDraft, InterceptionPoint } from '../../../shared/events/agent-event.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { ToolContent } from '../../../shared/messages/content.ts'

/** Finds the interceptors for an agent. */
export interface Interceptors {
  /**
   * In the order in which they run before a tool call, and in which their effects count. Called at every point, so that a changed configuration takes effect at once.
   * Never rejects.
   */
  list(agent: InterceptionSubject): Promise<readonly Interceptor[]>
}

/** The agent at a point. */
export interface InterceptionSubject {
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
  /** Whether it judges for an interceptor: interceptors that ask a judge must not ask about it. */
  readonly isJudge: boolean
  /** Its own name, as a member of a team; null: it has none. */
  readonly name: string | null
  /** The name of its team; null: it is in none. */
  readonly team: string | null
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
type Handler<P extends InterceptionPoint> = (
  facts: PointFacts[P],
  context: HandlerContext,
) => Promise<InterceptorAnswer[P] | null>

export interface HandlerContext {
  readonly agent: InterceptionSubject
  readonly signal: AbortSignal
  /** Adds what the handler did to the agent's transcript. Ignored once the agent's log is closed. */
  record(draft: RecordedDraft): void
  /** What a handler may do with the agent; null: the agent is not in memory. */
  readonly reach: AgentReach | null
}

/** What an interceptor may do with an agent beyond its answer. */
export interface AgentReach {
  /** Aborts when the conversation closes: for work that nobody waits for. */
  readonly lifetime: AbortSignal
  /** Tells the agent at its next step; dropped if there is none before the conversation closes. `source`: who says it. */
  tell(source: string, text: string): void
  /** Sets variables for later commands of this agent and of the agents below it, in place of those set under `key`. */
  setVariables(key: string, variables: Readonly<Record<string, string>>): void
  /** Has a model judge. It costs what the agent's requests cost, and counts against the agent's limits. */
  judge(question: Judgment, signal: AbortSignal): Promise<Result<string>>
  /** Runs the interceptors of a point that something outside the agent reached. */
  raise<P extends OutsidePoint>(point: P, facts: PointFacts[P]): Promise<void>
}

/** The name of the built-in agent that judges for an interceptor by the files. */
export const JUDGE = 'hook-judge'

/** A question to a model that judges for an interceptor. */
export interface Judgment {
  /** Whether the judge is a subagent that reads and searches files. */
  readonly withFiles: boolean
  readonly system: string
  readonly text: string
  /** Missing: a small model. */
  readonly model?: string
}

/** Points that something outside of agents and runs reaches. */
export type OutsidePoint = 'file-changed' | 'settings-changed'

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
  /** A call that rules, the mode or the absence of a user denied: not the user, and no interceptor. */
  readonly 'permission-denied': ToolCallFacts & { readonly because: string }
  /** An agent starts for the first time in a git worktree of its own. */
  readonly 'worktree-create': WorktreeFacts
  /** An agent left its worktree, whose folder was removed because it held no work. */
  readonly 'worktree-remove': WorktreeFacts
  /** A run failed, instead of the end of an answer. `text`: the last that the agent said. */
  readonly 'turn-failed': { readonly type: string; readonly message: string; readonly text: string }
  /** A summary has replaced the history. `instructions`: see `compaction`. */
  readonly compacted: { readonly instructions: string | null; readonly summary: string }
  /** An agent adds a task to the task list. The id is expected: another process may take it first. */
  readonly 'task-created': TaskPoint
  /** An agent sets a task to completed. */
  readonly 'task-completed': TaskPoint
  /** A member of a team has ended its answer, and would be idle. */
  readonly 'member-idle': { readonly canContinue: boolean }
  /** A file of instructions was told to the agent. */
  readonly 'instructions-loaded': {
    readonly path: string
    readonly scope: string
    readonly reason: 'session_start' | 'nested_traversal' | 'changed'
  }
  /** An MCP server asks for input of the user, who is not asked yet. */
  readonly elicitation: ElicitationFacts
  /** The answer to it, before the server gets it. */
  readonly 'elicitation-answered': ElicitationFacts & {
    readonly action: FormAnswer['action']
    readonly values: Readonly<Record<string, unknown>>
  }
  /** A command changed the folder of the agent's shell. */
  readonly 'folder-changed': { readonly from: string; readonly to: string }
  /** A file that an interceptor watches was added, changed or removed. */
  readonly 'file-changed': { readonly path: string; readonly change: 'add' | 'change' | 'unlink' }
  /** A settings file was added, changed or removed. */
  readonly 'settings-changed': { readonly path: string; readonly source: string }
}

interface TaskPoint {
  readonly id: string
  readonly subject: string
  readonly description: string
}

export interface ElicitationFacts {
  readonly server: string
  readonly message: string
  /** The page to open, or null for a form. */
  readonly url: string | null
  /** Of the form; null for a page. */
  readonly schema: Readonly<Record<string, unknown>> | null
}

interface WorktreeFacts {
  readonly path: string
  readonly branch: string
}

interface ToolCallFacts {
  readonly toolUseId: string
  /** The tool's own name, not an alias. */
  readonly tool: string
  readonly input: unknown
  /**
   * Whether a permission rule covers the call with this input, as a rule that denies would: a part of a command
   * suffices. Missing: it is not known what the call does.
   */
  readonly covers?: (rule: string, input: unknown) => Promise<boolean>
}

interface TurnEndFacts {
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
    /** Answers the request to the user, for this reason; see `permission-request`. */
    readonly allow?: string
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
    /** Refuses the call with this reason. */
    readonly deny?: string
    /** Allows the call once, for this reason, if a rule could allow it and no interceptor denies it. */
    readonly allow?: string
  } & Stop
  /** `context` is added to the denial. */
  readonly 'permission-denied': Context
  readonly 'worktree-create': Context
  readonly 'worktree-remove': Record<string, never>
  readonly 'turn-failed': Record<string, never>
  readonly compacted: Record<string, never>
  readonly 'task-created': Refusal
  readonly 'task-completed': Refusal
  readonly 'member-idle': Continue & Stop
  readonly 'instructions-loaded': Record<string, never>
  readonly elicitation: Refusal
  readonly 'elicitation-answered': Refusal
  readonly 'folder-changed': Record<string, never>
  readonly 'file-changed': Record<string, never>
  readonly 'settings-changed': Record<string, never>
}

interface Refusal {
  /** Refuses it, for this reason. */
  readonly deny?: string
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
