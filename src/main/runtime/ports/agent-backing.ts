/**
 * A backing carries out an agent: this runtime's loop, another process, another machine, or an external agent.
 * The supervisor knows agents only through this interface. Every agent's events are folded, logged and published by the
 * same code.
 */

import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { AgentEvent, AgentState, EventOf, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { AgentWorker } from '../../../shared/events/backings-schema.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import type {
  ExternalAgentChoice,
  ExternalAgentOption,
} from '../../../shared/external-agents/external-agent.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { MemberBacking } from '../../../shared/teams/team.ts'
import type { RosterEntry } from '../../../shared/workers/worker-protocol.ts'
import type { PointFacts } from './interceptors.ts'
import type { ModelMessage } from './model.ts'
import type { AnswerEnd, LimitReached, NewForm, RunEnd } from './run-end.ts'
import type { CommandLimits } from './sandbox.ts'
import type { PermissionTarget } from './tool.ts'

export interface AgentBacking {
  /** Names the backing in the origin of its events: `loop`, `worker:7f3a`. */
  readonly name: string
  /**
   * Waits for a slot. Called once, as soon as the agent is started, so that agents get slots in the order of their
   * starts. A backing whose agent needs no slot here resolves at once.
   */
  reserve(signal: AbortSignal): Promise<void>
  /** Runs the agent until it has nothing left to do. Aborting the signal stops the agent. */
  start(signal: AbortSignal): Promise<RunEnd>
  /** Called when a message was queued for the agent while it runs. */
  send(): void
  /** Pauses before the next request or tool call, or resumes. */
  pause(paused: boolean): void
  /** Called when the permission mode, the limits or the model changed while the agent runs. */
  changed(): void
  /** False: no such permission request is open. */
  answer(requestId: string, answer: PermissionAnswer): boolean
  /** False: no such form is open. */
  answerForm(formId: string, answer: FormAnswer): boolean
  /** Null: this backing makes its own retries. */
  readonly attempts: BackingAttempts | null
  /** Null: no program with choices of its own carries out the agent. */
  readonly program: BackingProgram | null
  /** Null: each run of the agent happens in this process, or in a program that this process started. */
  readonly job: BackingJob | null
}

/** A backing that only runs its agent: nothing can be set, paused or answered while it does. */
export const plainBacking = (name: string, start: AgentBacking['start']): AgentBacking => ({
  name,
  start,
  reserve: async () => {},
  send() {},
  pause() {},
  changed() {},
  answer: () => false,
  answerForm: () => false,
  attempts: null,
  program: null,
  job: null,
})

/** The retries of a backing whose requests this runtime makes. */
interface BackingAttempts {
  /** Makes the next attempt of a failed request at once. */
  retry(): void
}

/** The program that carries out the agent. */
export interface BackingProgram {
  /** Sets a choice that the program offers. @returns all choices as they are then */
  setOption(optionId: string, value: string): Promise<Result<readonly ExternalAgentOption[]>>
  /** Logs in to the program; a run that waits for the login begins again. */
  login(methodId: string): Promise<Result<void>>
}

/** Another process that carries out each run as a job. It also runs the interceptors of the agent's start. */
export interface BackingJob {
  /**
   * Whether a process that survived this program's last run carries out the agent, and `start` follows it. Then nothing
   * is prepared, as for a new run.
   */
  isAttached(): boolean
  /** Called when a queued message was withdrawn. */
  withdrawn(messageId: string): void
  /** Stops a command in the background. False: it does not run there. */
  stopCommand(commandId: string): boolean
}

/** An agent as a backing in another process sees it. */
export interface BackedAgent {
  readonly id: string
  state(): AgentState
  /** Its instructions. */
  readonly system: string
  /** The history so far. */
  messages(): readonly ModelMessage[]
  /** The conversation that it belongs to. */
  readonly conversation: {
    readonly id: string
    /** Absolute. */
    readonly folder: string
    readonly isRehearsal: boolean
  }
  /** The absolute path of the folder with its large outputs. */
  readonly outputFolder: string
  /** The agents that it can write to. */
  roster(): readonly RosterEntry[]
  /** All events on disk, from `agent-spawned` on. Fails if the transcript can't be read. */
  events(): Promise<Result<readonly AgentEvent[]>>
  /**
   * The messages that wait for the agent. One leaves the queue when an event from outside says that the agent has it.
   */
  queued(): readonly QueuedMessage[]
  /** Moves the queued messages into the transcript, and returns them. */
  takeMessages(): readonly QueuedMessage[]
  /** What hooks that nobody waited for told the agent since the last time. The backing brings it to the program. */
  takeNotes(): readonly string[]
  /** Begins a new epoch: events of older ones are refused. @returns its number and the `seq` of its first event */
  takeOver(): { readonly epoch: number; readonly seq: number }
  /** Adds an event of the process. True: it was added; false: it is a duplicate and was dropped. */
  ingest(origin: IngestOrigin, event: unknown): Result<boolean, IngestFailure>
  /** The limit that prevents another request, if there is one. */
  limitReached(): LimitReached | null
  /** The money limit that the user has set for the agent or above it, in US dollars; null: none. */
  moneyLimit(): number | null
  /** Decides about a call that the external agent wants to make: rules and modes, else the user. */
  permit(call: ExternalCall, signal: AbortSignal): Promise<Result<ExternalPermit, ExternalDenial>>
  /** Lets hooks react to the start of a subagent that the program started by itself. Resolves when they are done. */
  begun(signal: AbortSignal): Promise<ExternalReaction>
  /** Lets hooks react to a call of the program that has ended. Resolves when they are done. */
  callEnded(call: PointFacts['tool-result'], signal: AbortSignal): Promise<ExternalReaction>
  /** Asks hooks at the end of an answer. @returns why the agent has to continue; null: the run ends */
  reasonToContinue(end: AnswerEnd, signal: AbortSignal): Promise<string | null>
  /** Adds a message from the runtime to the transcript. The backing brings it to the program. */
  tell(text: string): void
  /** Answers a request that `permit` shows. False: no such request is open. */
  answer(requestId: string, answer: PermissionAnswer): boolean
  /** Whether somebody can answer what the agent asks. */
  canAskUser(): boolean
  /** Waits for something that the user does, without a slot. `text` tells hooks what it is. */
  waitForUser<T>(text: string, until: Promise<T>, signal: AbortSignal): Promise<T>
  /** Shows the user a form and waits without a slot. Aborting the signal closes it. */
  askForm(form: NewForm, signal: AbortSignal): Promise<FormAnswer>
  /** Answers a form that `askForm` shows. False: no such form is open. */
  answerForm(formId: string, answer: FormAnswer): boolean
  /** Resolves when the agent holds a slot and is not paused, or when the signal aborts. */
  acquireSlot(signal: AbortSignal): Promise<void>
  /** Shows what the agent says before the message is complete. */
  live(event: LiveEvent): void
  /** Resolves when all events so far are on disk. False: the signal ended the wait for a failing disk. */
  flush(signal: AbortSignal): Promise<boolean>
  /** Stores a large output; resolves to its path below the data folder. */
  keepOutput(toolUseId: string, output: string): Promise<Result<string>>
  /** Records the process that carries out the agent. `jobId`: of a new job. */
  workerChanged(change: WorkerChange): void
  /**
   * Begins a run of a subagent that the program started by itself: a new agent of the tree, or the ended one with the
   * same session. Fails with `running` if that one has not ended, and with `closed` if the conversation is closing.
   */
  startChild(child: StartedSubagent): Promise<Result<ExternalSubagentRun>>
}

/** What a program says of a subagent of its own. Null: it did not say, and what it said in earlier runs holds. */
export interface ExternalSubagentFacts {
  /** What the program calls it. */
  readonly name: string | null
  readonly task: string | null
  /** Its folder. Absolute. */
  readonly cwd: string | null
  /** Whether it can be stopped by itself. */
  readonly canStop: boolean | null
}

export interface StartedSubagent extends ExternalSubagentFacts {
  /** The program's id of it. The agent is found again by it, below the agent that the program carries out. */
  readonly sessionId: string
  /** The agent that started it: the one that the program carries out, or a subagent of that one. */
  readonly parentId: string
  /** Called once for a new agent, before it exists. @returns the call of the parent that shows it; null: none */
  readonly shownBy: () => string | null
  /** Asks the program to cancel what the subagent does. Called once, if the run is stopped and `canStop` holds. */
  readonly cancel: () => void
  /** Called at once before a stopped run ends that the program has not ended: records the text so far. */
  readonly cutOff: () => void
}

/** A run of a subagent that a program started by itself. Its events enter through `agent.ingest`. */
export interface ExternalSubagentRun {
  readonly agent: BackedAgent
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal
  /** Records facts that are new. */
  changed(facts: ExternalSubagentFacts): void
  /** A hook ends the run: as a stop does, or with a notice that only its program can end it. */
  stop(): void
  /** Ends the run. Resolves when the end is on disk; a second call changes nothing. */
  end(end: RunEnd): Promise<void>
}

/** The name of the backing of such subagents, in the origin of their events. */
export const EXTERNAL_SUBAGENT_BACKING = 'acp-child'

/** Stands for the tool of an external agent's call that is not clearly one known kind of call. No rule covers it. */
export const UNKNOWN_CALL = 'acp_tool'

/** A call of an external agent, as this runtime's rules see it. */
export interface ExternalCall {
  /** The id of the call in the transcript. */
  readonly toolUseId: string
  /** The tool that rules would name: `Bash`, `Edit`. */
  readonly tool: string
  readonly target: PermissionTarget
  readonly input: unknown
  /** The same call was allowed just now, so the user is not asked again. Denials hold. */
  readonly isAllowed?: boolean
  /** Why the user has to be asked, even if rules or modes allow the call. */
  readonly ask?: string
  /** Answers that the program offers besides a plain permission and a plain denial. */
  readonly choices?: readonly ExternalAgentChoice[]
}

/**
 * The reason why a call may not run. `stops`: a hook ends the run of the agent with it. `choice`: the id of the program's
 * answer that the user chose.
 */
export interface ExternalDenial {
  readonly type: 'denied'
  readonly message: string
  readonly stops: boolean
  readonly choice?: string
}

/** What hooks answered to a start or to a call. */
export interface ExternalReaction {
  /** For the model; null: nothing. */
  readonly context: string | null
  /** Whether the run has to end. */
  readonly stops: boolean
}

export interface ExternalPermit {
  /** For files: the real path that was judged. */
  readonly realPath?: string
  /** Why nobody had to be asked; null: the user allowed the call. */
  readonly because: string | null
  /** The id of the program's answer that the user chose. */
  readonly choice?: string
  /** For commands: the limits of the sandbox that it runs in. Missing: it runs outside. */
  readonly limits?: CommandLimits
  /** For commands: what the agent's worktree adds to the environment. */
  readonly environment?: Readonly<Record<string, string>>
}

interface WorkerChange {
  readonly worker: AgentWorker | null
  readonly state: EventOf<'worker-changed'>['state']
  /** What happened, and what follows, as a sentence for the user; may be empty. */
  readonly note: string
  readonly jobId?: string
}

/** The origin of an event from outside. */
export interface IngestOrigin {
  readonly agentId: string
  /** The name of the backing. */
  readonly backing: string
  /** Counts the processes that carried out the agent one after the other. A newer one takes over. */
  readonly epoch: number
}

export type IngestFailure =
  | { readonly type: 'unknown-agent'; readonly message: string }
  | { readonly type: 'not-running'; readonly message: string }
  /** Another backing carries out the agent. */
  | { readonly type: 'wrong-backing'; readonly message: string }
  /** A newer process has taken over: the sender must stop. */
  | { readonly type: 'old-epoch'; readonly message: string; readonly epoch: number }
  /** Events are missing, or a new epoch did not continue where the old one ended. */
  | { readonly type: 'gap'; readonly message: string; readonly expectedSeq: number }
  /** The event belongs to another agent, or only the runtime may write its type. */
  | { readonly type: 'invalid-event'; readonly message: string }

/** Chooses the backing of an agent; null: this runtime's loop. */
export type ChooseBacking = (agent: BackedAgent) => AgentBacking | null

/** The external agents that carry out agents for a runtime. */
export interface ExternalAgents {
  /** Null: no external agent carries out the agent. */
  readonly backing: ChooseBacking
  /** Ends all their processes. */
  close(): Promise<void>
}

/** What a worker is wanted for. */
export interface WantedWorker {
  /** The folder of the conversation. Absolute. */
  readonly folder: string
  /** Missing: the agent is not planned yet, and what it needs is not compared. */
  readonly agent?: Pick<EventOf<'agent-spawned'>, 'tools' | 'definition' | 'model' | 'platform'>
}

/** The workers that carry out agents for a runtime. */
export interface RuntimeWorkers {
  /** Why no agent can run there now, as a failure with what to do. */
  check(kind: Exclude<MemberBacking, 'in-process'>, wanted: WantedWorker): Promise<Result<void>>
  /** Null: this runtime's loop. */
  readonly backing: ChooseBacking
  /** Whether a process that survived this program's last run carries out the agent, or has its end for the log. */
  isAlive(agent: Pick<AgentState, 'id' | 'backing' | 'jobId'>): Promise<boolean>
  /** The ids of conversations with agents that such processes carry out. */
  conversations(): Promise<readonly string[]>
  /** The agent left its team: its worker may end, until a message resumes the agent. */
  released?(conversationId: string, agentId: string): void
  /** The conversation of these agents was deleted: their workers' files are not needed any more. */
  forget?(agentIds: readonly string[]): Promise<void>
}
