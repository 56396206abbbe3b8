/** The runtime as the window, the command line and tests see it. */

import type { AgentCatalog } from '../../../shared/agent-definition/agent-catalog.ts'
import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { ChangesUndone } from '../../../shared/changes/changes.ts'
import type { AgentEvent, AgentState, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord, QueuedMessage } from '../../../shared/events/conversation.ts'
import type { SpendLimits, Stopper } from '../../../shared/events/lifecycle-schema.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { CommandHandlers, Dispatch, NameOf } from '../../../shared/ipc/handlers.ts'
import type { Commands } from '../../../shared/ipc/ipc-contract.ts'
import type { InputOf } from '../../../shared/kernel/command.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import type { Thinking } from '../../../shared/models/thinking.ts'
import type { EffectiveMode } from '../../../shared/permissions/permission-modes.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import type {
  ConversationDelta,
  ConversationSummary,
  WriteFailure,
} from '../../../shared/state/conversation-summary.ts'
import type { RosterEntry } from '../../../shared/workers/worker-protocol.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import type { LoadedDefinition } from './definitions.ts'
import type { MailboxMessage } from './ports.ts'
import type { LimitReached } from './run-end.ts'
import type { ToolSources } from './tool.ts'

/** A notification to subscribers, in order of occurrence. `write-failure`: these agents are paused until `retryLog`. */
export type RuntimeDelta = ConversationDelta | ({ readonly type: 'write-failure' } & WriteFailure)

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

/** What the runtime answers: the commands of its nouns. What a window lists or joins to its stream is asked in other ways. */
export type RuntimeCommand = Exclude<
  NameOf<'conversation' | 'agent' | 'team' | 'task' | 'verification' | 'comparison'>,
  | 'conversation.list'
  | 'conversation.sizes'
  | 'conversation.subscribe'
  | 'conversation.unsubscribe'
  | 'agent.transcript'
  | 'agent.watch'
>

export type RuntimeHandlers = Pick<CommandHandlers, RuntimeCommand>

/** A definition to try out, which needs no file: a scratch conversation, with the tools of a subagent. */
export interface Trial
  extends Pick<
    InputOf<Commands['conversation.create']>,
    'model' | 'effort' | 'thinking' | 'permissionMode' | 'maxTurns' | 'limits'
  > {
  readonly folder: string
  readonly definition: LoadedDefinition
  /** Missing: the user tries it. */
  readonly test?: TestTrial
}

/** An attempt at a test case, in a folder that was made for it. */
export interface TestTrial {
  readonly title: string
  /** `main`: with the tools and the prompt of a main agent. */
  readonly role: 'subagent' | 'main'
  /** Nothing in it is saved: whoever made it removes it. */
  readonly worktree: AgentWorktree
  /** The agent's folder in it. */
  readonly cwd: string
  /** Permission rules that allow the agent something, besides those of the folder. */
  readonly allowed: readonly string[]
  /** Tools and permission rules that the agent and those that it starts do without. */
  readonly denied: readonly string[]
}

export interface Runtime {
  /** The tools of all conversations. A source of tools is added and removed here. */
  readonly tools: ToolSources
  /** The tools of a folder's conversations, and what decides which of them an agent has that starts now. */
  toolsIn(folder: string): Promise<Pick<AgentCatalog, 'tools' | 'conditions'>>
  /** Carries out a command of anybody, after a check of its input. */
  readonly dispatch: Dispatch<RuntimeCommand>
  /** What answers the commands, for whoever has checked their input. */
  readonly handlers: RuntimeHandlers
  tryOut(trial: Trial): Promise<Result<ConversationSummary>>
  /** Ends a trial: stops its agents and releases its log. It can still be read. */
  endTrial(conversationId: string): Promise<void>
  /** Takes over an agent of another program for one run. Fails with `not-possible`, or if the store fails. */
  adopt(adoption: Adoption): Promise<Result<AdoptedRun>>
  /** Opens the conversations whose agents went on in other processes while no program had them open. */
  followWorkers(): Promise<void>
  conversations(): Promise<readonly ConversationSummary[]>
  /** The record of the conversation that has this id, or an agent of this id. Reads no transcript. */
  find(id: string): Promise<ConversationRecord | null>
  /** The current state of a conversation; later deltas have a higher `order`. An agent whose process died is interrupted. */
  snapshot(conversationId: string): Promise<Result<ConversationSnapshot>>
  /** Resumes the agents of all conversations that waited for a usage limit when the program ended. @returns the conversations */
  resumeLimited(): Promise<readonly string[]>
  /**
   * Tells an agent something at its next step, with a note for the user in its transcript. An agent that does not run is
   * not told: nothing starts it.
   */
  tellAgent(what: {
    readonly conversationId: string
    readonly agentId: string
    readonly text: string
    /** Shown to the user at once. */
    readonly note: string
  }): void
  /** Tells interceptors that the user discarded an agent's worktree. */
  worktreeDiscarded(owner: {
    readonly conversationId: string
    readonly agentId: string
  }): Promise<Result<void>>
  /** The user merged the work of an agent, or undid the merge (null). Only attempts of comparisons are recorded. */
  workMerged(work: {
    readonly conversationId: string
    readonly agentId: string
    readonly merged: { readonly into: string; readonly commit: string } | null
  }): Promise<Result<void>>
  /**
   * Records merges that were made without this runtime, by a command or another Troupe: the newest of each comparison,
   * unless it is recorded already.
   */
  mergesFound(conversationId: string, merges: readonly FoundMerge[]): Promise<Result<void>>
  /** Records an undo of changed files, durably, and tells the agents whose files it changed. */
  recordUndo(conversationId: string, undo: ChangesUndone): Promise<Result<void>>
  /**
   * Resolves when every event so far of a conversation is on the disk. `writing`: opens the conversation if needed; fails
   * with `locked` if another program has it open.
   */
  saved(conversationId: string, options?: { readonly writing?: boolean }): Promise<Result<void>>
  /** The state of an agent in an open conversation, or null. */
  state(conversationId: string, agentId: string): AgentState | null
  /** The agent's current stream, from the start of its message. */
  live(agentId: string): readonly LiveEvent[]
  /** The address or key of the API changed: requests that wait for a rate limit retry at once. */
  accessChanged(): void
  subscribe(listener: (delta: RuntimeDelta) => void): () => void
  /** Resolves when the main agent has nothing to do: it ended, or it waits for a message. */
  settled(conversationId: string): Promise<AgentState>
  /** Stops everything, flushes, and releases every lock. */
  close(): Promise<void>
}

/** The last merge of an agent's work, as the repository tells it. */
export interface FoundMerge {
  readonly agentId: string
  readonly into: string
  readonly commit: string
  /** ms since the epoch. */
  readonly at: number
}
