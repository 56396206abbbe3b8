/** The runtime as the window, the command line and tests see it. */

import type { DefinitionChange } from '../../../shared/agent-definition/agent-definition.ts'
import type { ChangesUndone } from '../../../shared/changes/changes.ts'
import type { AgentEvent, AgentState, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import type { SpendLimits, Stopper } from '../../../shared/events/lifecycle-schema.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import type { Thinking } from '../../../shared/models/thinking.ts'
import type { EffectiveMode, PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import type { ContextReport } from '../../../shared/state/context-report.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import type {
  ConversationDelta,
  ConversationSummary,
  WriteFailure,
} from '../../../shared/state/conversation-summary.ts'
import type { MemberBacking } from '../../../shared/teams/team.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import type { RosterEntry } from '../../../shared/workers/worker-protocol.ts'
import type { Comparisons } from './comparisons.ts'
import type { LoadedDefinition } from './definitions.ts'
import type { MailboxMessage } from './ports.ts'
import type { LimitReached } from './run-end.ts'
import type { ToolSources } from './tool.ts'

/** A notification to subscribers, in order of occurrence. `write-failure`: these agents are paused until `retryLog`. */
export type RuntimeDelta = ConversationDelta | ({ readonly type: 'write-failure' } & WriteFailure)

export interface NewConversation {
  readonly folder: string
  /** An alias or a full id. */
  readonly model: string
  /** Whether the model that the definition names, if any, is used instead of `model`. */
  readonly prefersOwnModel?: boolean
  /** Null or missing: the definition's, else the model's default. */
  readonly effort?: Effort | null
  readonly thinking?: Thinking | null
  readonly permissionMode: PermissionMode
  readonly rehearsal: boolean
  /** The definition of the main agent; `main` by default, `coordinator` in coordinator mode. */
  readonly agent?: string
  /** A definition to try out, which needs no file: a scratch conversation, with the tools of a subagent. */
  readonly definition?: LoadedDefinition
  readonly maxTurns?: number
  /** Whether the main agent only coordinates. Has no effect with `agent` or `definition`. */
  readonly coordinator?: boolean
}

/** Where a branch begins. */
export interface BranchPoint {
  readonly conversationId: string
  /** The number of a message of the user in the main agent's transcript. Null: the branch includes everything. */
  readonly seq: number | null
  /** The message to send instead of that one; null: the branch includes that message and its answer, and waits. */
  readonly content: readonly UserBlock[] | null
  /** Whether the branch ends before that message although it sends none. */
  readonly before?: boolean
  /** Whether the branch's main agent only coordinates; missing: as in the original. */
  readonly coordinator?: boolean
}

export type PermissionAnswer =
  /** `choice`: the id of one of the offered choices of an external agent; missing: none. */
  | { readonly decision: 'allow-once'; readonly choice?: string | undefined }
  /** `rule`: one of the offered rules; missing: the narrowest. */
  | { readonly decision: 'allow-always'; readonly rule?: string | undefined }
  /** `unattended`: there was no user to ask; the feedback says so itself. */
  | {
      readonly decision: 'deny'
      readonly feedback: string | null
      readonly unattended?: true | undefined
      readonly choice?: string | undefined
    }

/** Sends the messages of an adopted agent to the program that started it. */
export interface MessageRelay {
  /** The agents that it can write to. */
  readonly roster: readonly RosterEntry[]
  /** `to` is an agent's id. Resolves when the message is stored durably. */
  send(message: MailboxMessage): Promise<Result<void>>
}

/** An agent of another program, to carry out here for one run. */
export interface Adoption {
  readonly conversationId: string
  /** The folder of the conversation here. */
  readonly folder: string
  readonly isRehearsal: boolean
  /** The dialogue so far, from `agent-spawned` on. */
  readonly events: readonly AgentEvent[]
  /** Whether another process began this run. */
  readonly isContinued: boolean
  readonly relay: MessageRelay
  /** Resolves when the program that started the agent can read every event so far. */
  reported(): Promise<Result<void>>
}

interface AdoptedChange extends EffectiveMode {
  readonly limits: SpendLimits
  readonly model: string
  readonly effort: Effort | null
  readonly thinking: Thinking | null
}

export interface AdoptedRun {
  readonly agentId: string
  /** The number of the first event that was not adopted. */
  readonly firstSeq: number
  /** The absolute path of the folder with its large outputs here. */
  readonly outputFolder: string
  /** Runs the agent until it has nothing left to do. Expected failures are in its last event. */
  run(): Promise<void>
  /** The user changed these in the program that started the agent. */
  changed(change: AdoptedChange): void
  /** A limit that the other program counts is reached: the agent writes its report and ends. */
  limit(reached: Pick<LimitReached, 'kind' | 'of' | 'description'>): void
  /** Queues a message; a message that the agent has is dropped. */
  message(message: Omit<QueuedMessage, 'agentId'>): void
  /** Takes back a message, unless the agent has it. */
  withdraw(messageId: string): void
  pause(paused: boolean): void
  /** False: no such permission request is open. */
  answer(requestId: string, answer: PermissionAnswer): boolean
  /** False: no such form is open. */
  answerForm(formId: string, answer: FormAnswer): boolean
  /** Stops a command that the agent runs in the background. */
  stopCommand(commandId: string): void
  stop(by: Stopper): void
  state(): AgentState
  /** Releases the log. The run must be over. */
  close(): Promise<void>
}

/** There is no such conversation, agent, message or permission request, or it is no longer open. */
export interface NotFound {
  readonly type: 'not-found'
  readonly message: string
}

/** The agent is not running. */
export interface Ended {
  readonly type: 'ended'
  readonly message: string
}

/** This agent can't do it in its current state. */
export interface NotPossible {
  readonly type: 'not-possible'
  readonly message: string
}

/** A new member of a team. */
export interface NewMember {
  /** Unique in the conversation. */
  readonly name: string
  /** The agent type. */
  readonly agent: string
  readonly prompt: string
  readonly backing: MemberBacking
  readonly isolation?: 'worktree' | undefined
}

export interface Runtime extends Comparisons {
  /** The tools of all conversations. A source of tools is added and removed here. */
  readonly tools: ToolSources
  conversations(): Promise<readonly ConversationSummary[]>
  create(options: NewConversation): Promise<Result<ConversationSummary>>
  /**
   * Branches a conversation at a message of the user: the new conversation begins with a copy of its history. Fails with
   * `not-found`, with `not-possible` for a main agent in its own worktree, or if the store fails.
   */
  branch(point: BranchPoint): Promise<Result<ConversationSummary>>
  /** Takes over an agent of another program for one run. Fails with `not-possible`, or if the store fails. */
  adopt(adoption: Adoption): Promise<Result<AdoptedRun>>
  /** Opens the conversations whose agents went on in other processes while no program had them open. */
  followWorkers(): Promise<void>
  /** The current state of a conversation; later deltas have a higher `order`. An agent whose process died is interrupted. */
  snapshot(conversationId: string): Promise<Result<ConversationSnapshot>>
  /** Sends a message to an agent, by default the main agent. An idle agent starts at once, a busy one reads it in its next turn. */
  send(message: {
    readonly conversationId: string
    readonly agentId: string | null
    readonly content: readonly UserBlock[]
    /** The command that the user typed; `content` is its text. */
    readonly typed?: string | undefined
  }): Promise<Result<{ readonly messageId: string; readonly queued: boolean }>>
  /** Sends one message to several agents, in this order. Fails if it could be sent to none. */
  sendToAll(message: {
    readonly conversationId: string
    readonly agentIds: readonly string[]
    readonly content: readonly UserBlock[]
  }): Promise<
    Result<readonly { readonly agentId: string; readonly messageId: string; readonly queued: boolean }[]>
  >
  /** Adds an agent to a team. Fails with `not-found`, `not-possible`, or with what is wrong with the member. */
  addMember(
    member: NewMember & { readonly conversationId: string; readonly teamId: string },
  ): Promise<Result<{ readonly agentId: string }>>
  /** Ends a team: its members are asked to finish, and it ends with the last one; or they are stopped (`force`). */
  endTeam(team: {
    readonly conversationId: string
    readonly teamId: string
    readonly force: boolean
  }): Promise<Result<void>>
  /** Adds a task to the task list. */
  createTask(task: {
    readonly conversationId: string
    readonly subject: string
    readonly description: string
    readonly dependsOn: readonly string[]
  }): Promise<Result<TeamTask>>
  /** Changes a task as the user: claims of agents can be taken over. `owner`: an agent's id. */
  updateTask(task: {
    readonly conversationId: string
    readonly taskId: string
    readonly status?: TeamTask['status'] | undefined
    readonly owner?: string | undefined
    readonly dependsOn?: readonly string[] | undefined
  }): Promise<Result<TeamTask>>
  /** Takes back a message that no agent has read yet. Fails with `not-found`, or if the conversation can't be opened. */
  unqueue(conversationId: string, messageId: string): Promise<Result<{ readonly text: string }>>
  /**
   * Stops an agent and every agent below it; resolves when their processes are gone. Fails with `not-possible` for a
   * subagent that its program can't stop by itself.
   */
  stopAgent(conversationId: string, agentId: string): Promise<Result<void, NotFound | NotPossible>>
  /** Pauses an agent before its next request or tool call. Agents below it are not paused. */
  pauseAgent(conversationId: string, agentId: string): Promise<Result<void, NotFound | Ended | NotPossible>>
  /** Continues a paused agent; an agent that has ended is resumed. */
  continueAgent(conversationId: string, agentId: string): Promise<Result<void>>
  /** Makes the next attempt of a failed request at once. `ended`: the agent waits for none. */
  retryNow(conversationId: string, agentId: string): Promise<Result<void, NotFound | Ended | NotPossible>>
  /** The parent continues at once, and gets a notice of the end. */
  moveToBackground(
    conversationId: string,
    agentId: string,
  ): Promise<Result<void, NotFound | Ended | NotPossible>>
  /** The changes of an agent's definition since its spawn. */
  definitionChange(conversationId: string, agentId: string): Promise<Result<DefinitionChange>>
  /** What fills the agent's next request. Reads the transcript of an agent that is not in memory. */
  context(conversationId: string, agentId: string): Promise<Result<ContextReport>>
  /** Gives an ended agent its current definition. */
  renewDefinition(conversationId: string, agentId: string): Promise<Result<void>>
  /** Limits a subagent and every agent below it. An ended agent keeps the limits for its next run. */
  setAgentLimits(conversationId: string, agentId: string, limits: SpendLimits): Promise<Result<void>>
  /** Limits all agents of a conversation together; null: the limits of the settings apply. */
  setLimits(conversationId: string, limits: SpendLimits | null): Promise<Result<ConversationSummary>>
  /** Stops every agent of the conversation. The next message resumes it. */
  stopConversation(conversationId: string): Promise<Result<void>>
  /** Resumes the agents that the user's last stop ended, subagents included. `ended`: none is left. */
  continueStopped(
    conversationId: string,
    /** `whenLimitEnds`: agents that waited for a usage limit wait for the rest of it. */
    options?: { readonly whenLimitEnds?: boolean },
  ): Promise<Result<void>>
  /** Resumes the agents of all conversations that waited for a usage limit when the program ended. @returns the conversations */
  resumeLimited(): Promise<readonly string[]>
  answer(
    request: { readonly conversationId: string; readonly agentId: string; readonly requestId: string },
    answer: PermissionAnswer,
  ): Promise<Result<void, NotFound>>
  answerForm(
    form: { readonly conversationId: string; readonly agentId: string; readonly formId: string },
    answer: FormAnswer,
  ): Promise<Result<void, NotFound>>
  /** Stops a command that an agent runs in the background; resolves when it has ended. */
  stopCommand(command: {
    readonly conversationId: string
    readonly agentId: string
    readonly commandId: string
  }): Promise<Result<void, Ended>>
  /** Sets a choice that an external agent offers. `not-possible`: there is no such program or choice. */
  setProgramOption(choice: {
    readonly conversationId: string
    readonly agentId: string
    readonly optionId: string
    readonly value: string
  }): Promise<Result<void>>
  /** Logs in to an external agent. A run that waits for it, or failed for it, begins again. */
  login(login: {
    readonly conversationId: string
    readonly agentId: string
    readonly methodId: string
  }): Promise<Result<void>>
  setMode(conversationId: string, mode: PermissionMode): Promise<Result<void>>
  /** Sets the model of an agent's next requests; without an id, of the main agent. */
  setModel(conversationId: string, model: string, agentId?: string): Promise<Result<void>>
  /** Sets the effort of an agent's next requests, null for the model's default; without an id, of the main agent. */
  setEffort(conversationId: string, effort: Effort | null, agentId?: string): Promise<Result<void>>
  /** The same for whether it thinks before it answers. */
  setThinking(conversationId: string, thinking: Thinking | null, agentId?: string): Promise<Result<void>>
  /**
   * Replaces the main agent's history by a summary: at once, or with its next turn. Fails with `nothing`.
   * @param instructions what the summary must keep; may be empty
   */
  compact(conversationId: string, instructions: string): Promise<Result<void>>
  /** Answers the question whether to verify changes. `not-found`: it is no longer open. */
  answerVerification(conversationId: string, id: string, verify: boolean): Promise<Result<void>>
  /** Verifies the current changes of an agent's worktree; null: of the conversation's folder. */
  verifyNow(conversationId: string, owner: string | null): Promise<Result<void>>
  /** By the id of a verification: whether the files changed since. Missing: unknown. */
  verificationStates(conversationId: string): Promise<Result<Readonly<Record<string, 'same' | 'changed'>>>>
  /** Tells interceptors that the user discarded an agent's worktree. */
  worktreeDiscarded(owner: {
    readonly conversationId: string
    readonly agentId: string
  }): Promise<Result<void>>
  /** Records an undo of changed files, durably, and tells the agents whose files it changed. */
  recordUndo(conversationId: string, undo: ChangesUndone): Promise<Result<void>>
  /**
   * Resolves when every event so far of a conversation is on the disk. `writing`: opens the conversation if needed; fails
   * with `locked` if another program has it open.
   */
  saved(conversationId: string, options?: { readonly writing?: boolean }): Promise<Result<void>>
  rename(conversationId: string, title: string): Promise<Result<void>>
  trash(conversationId: string): Promise<Result<void>>
  restore(conversationId: string): Promise<Result<ConversationSummary>>
  /** The state of an agent in an open conversation, or null. */
  state(conversationId: string, agentId: string): AgentState | null
  /** The agent's current stream, from the start of its message. */
  live(agentId: string): readonly LiveEvent[]
  /** Retries a log that failed; paused agents continue. Fails with the disk's current message. */
  retryLog(conversationId: string): Promise<Result<void>>
  /** The address or key of the API changed: requests that wait for a rate limit retry at once. */
  accessChanged(): void
  subscribe(listener: (delta: RuntimeDelta) => void): () => void
  /** Resolves when the main agent has nothing to do: it ended, or it waits for a message. */
  settled(conversationId: string): Promise<AgentState>
  /** Stops everything, flushes, and releases every lock. */
  close(): Promise<void>
}
