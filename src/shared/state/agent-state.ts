/**
 * The state of one agent: a pure, bounded fold over its events. The live window, a reload, the command line and tests
 * use the same function; no other state about an agent is kept.
 */

import type {
  AgentEvent,
  AgentWorker,
  DefinitionSnapshot,
  EventOf,
  EventOrigin,
  FailureInfo,
  PermissionMode,
  PermissionSubject,
  RuleOffer,
  SpendLimits,
  Stopper,
  Todo,
  Usage,
} from '../events/agent-event.ts'
import { type ContextFill, contextAfter, contextAtSpawn } from '../events/context-use.ts'
import { programAfter, programAfterMessage } from '../events/program-after.ts'
import { type WorkTime, workTimeAfter, workTimeEnded } from '../events/work-time.ts'
import type { AgentProgram } from '../external-agents/agent-program.ts'
import type { ProgramChoice } from '../external-agents/program-choice.ts'
import type { PendingForm } from '../forms/form.ts'
import { textOf } from '../messages/text-of.ts'
import type { Effort } from '../models/effort.ts'
import { noUsage } from '../models/no-usage.ts'
import type { Thinking } from '../models/thinking.ts'
import type { BackingKind } from '../teams/team-schema.ts'
import type { AgentWorktree, SavedWork } from '../worktrees/worktree.ts'
import { type AnsweredRequest, withAnswered } from './answered-request.ts'
import { type KeptMessage, type ReceivedMessage, withKept, withReceived } from './received-message.ts'

type AgentStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'stopped'
  | 'interrupted'

/** A pending permission request. */
export interface PendingRequest {
  readonly requestId: string
  readonly toolUseId: string
  readonly toolName: string
  readonly subject: PermissionSubject
  readonly because: string
  readonly alwaysRule: string | null
  /** See `offersOf`. */
  readonly ruleOffers?: readonly RuleOffer[] | undefined
  /** Answers that an external agent offers. */
  readonly choices?: readonly ProgramChoice[] | undefined
  readonly askedAt: number
}

/** A command that runs in the background. */
export interface RunningCommand {
  readonly commandId: string
  readonly toolUseId: string
  readonly command: string
  readonly description: string
  /** ms since the epoch. */
  readonly startedAt: number
}

export interface AgentState extends WorkTime {
  readonly id: string
  readonly conversationId: string
  readonly parentId: string | null
  readonly parentToolUseId: string | null
  readonly definition: DefinitionSnapshot
  readonly task: string
  readonly model: string
  /** The model that counts again after this turn; null: `model` stays. */
  readonly modelAfterTurn: string | null
  /** Null: the model's default. */
  readonly effort: Effort | null
  readonly thinking: Thinking | null
  readonly permissionMode: PermissionMode
  /** Whether calls that would ask are denied although the mode asks: `plan` combined with `dontAsk`. */
  readonly neverAsks: boolean
  readonly cwd: string
  /** Null: the agent works in the conversation's folder. */
  readonly worktree: AgentWorktree | null
  /** Where the agent runs. */
  readonly backing: BackingKind
  /**
   * Set for a subagent that an external agent started by itself. `sessionId`: the program's id of it. `canStop`:
   * it can be stopped by itself; otherwise only together with its parent.
   */
  readonly child: { readonly sessionId: string; readonly canStop: boolean } | null
  /** The team that the agent is a member of; null: none. */
  readonly teamId: string | null
  /** The process that carries out the agent, or did last. Null: in-process, or none has begun. */
  readonly worker: AgentWorker | null
  readonly workerState: EventOf<'worker-changed'>['state'] | null
  /** The job of the current or last run in another process. Null: none was sent. */
  readonly jobId: string | null
  /** The external agent that carries out the agent. Null: there is none, or it was never reached. */
  readonly program: AgentProgram | null
  /** The work in the agent's own worktree when its last run ended. */
  readonly work: SavedWork | null
  readonly depth: number
  readonly status: AgentStatus
  readonly waitingFor: 'permission' | 'answer' | 'message' | 'children' | 'limit' | null
  /** The turn of the current or last run. */
  readonly turn: number
  /** The turns of all runs. */
  readonly turns: number
  readonly maxTurns: number
  /** The name for messages from other agents. */
  readonly name: string | null
  /** `started` in the background, or `moved` there by the user. A moved agent may still ask the user. */
  readonly background: 'no' | 'started' | 'moved'
  /** Whether the agent may ask the user from the background. */
  readonly bubbles: boolean
  /** The agent whose messages this fork started with; null: not a fork. */
  readonly forkOf: string | null
  /** Whether the user paused the agent. The pause takes effect when its status is `paused`. */
  readonly pauseWanted: boolean
  readonly limits: SpendLimits
  /** Messages in the transcript that the model has not answered yet. */
  readonly unread: readonly string[]
  /** The last messages that the agent received, oldest first. */
  readonly received: readonly ReceivedMessage[]
  /** The last messages that the agent sent to a name without an agent. */
  readonly kept: readonly KeptMessage[]
  readonly usage: Usage
  readonly context: ContextFill
  /** US dollars, for the turns on models with a known price. */
  readonly costUsd: number
  /** False after a turn on a model without a known price: then only tokens are shown. */
  readonly priced: boolean
  /** Times in ms since the epoch. */
  readonly spawnedAt: number
  readonly endedAt: number | null
  /** The running tool, or the last one. */
  readonly action: { readonly tool: string; readonly summary: string; readonly running: boolean } | null
  /** The last line of the agent's text, at most 200 characters. */
  readonly lastLine: string
  readonly requests: readonly PendingRequest[]
  /** The last answered permission requests, oldest first. */
  readonly answered: readonly AnsweredRequest[]
  /** Forms that wait for the user's answer. */
  readonly forms: readonly PendingForm[]
  /** The commands that run in the background, oldest first. */
  readonly commands: readonly RunningCommand[]
  /** Set while a failed request waits for the next attempt. */
  readonly retry: {
    readonly at: number
    readonly attempt: number
    readonly failure: FailureInfo
    /** The order of the event that began the wait: who came first is released first. */
    readonly since: number
  } | null
  /** The end of the usage limit for which the agent waits, or waited when the program ended; ms since the epoch. */
  readonly limitedUntil: number | null
  readonly todos: readonly Todo[]
  /** The first 4,000 characters of the report; the transcript has all of it. */
  readonly report: string
  readonly failure: FailureInfo | null
  readonly reachedLimit: 'turns' | 'tokens' | 'money' | 'time' | null
  readonly limitOf: 'agent' | 'parent' | 'conversation' | null
  /**
   * The stop by the user, the closing program or its death that ended the last run, until the agent is resumed. Agents
   * stopped at once share the id.
   */
  readonly stopId: string | null
  /** Who stopped the last run, until the agent is resumed. */
  readonly stoppedBy: Stopper | null
  /** The origin of the last event from outside this process; null: no such event. */
  readonly origin: EventOrigin | null
  readonly lastSeq: number
  readonly lastOrder: number
  readonly lastAt: number
}

const LAST_LINE_LENGTH = 200
const REPORT_LENGTH = 4000
/** A second message before an answer means that the agent has read the older messages. */
const MOST_UNREAD = 100

/** The state after `agent-spawned`. */
export function startAgent(event: EventOf<'agent-spawned'>): AgentState {
  return {
    id: event.agentId,
    conversationId: event.conversationId,
    parentId: event.parentId,
    parentToolUseId: event.parentToolUseId,
    definition: event.definition,
    task: event.task,
    model: event.model,
    modelAfterTurn: null,
    effort: event.effort,
    thinking: event.thinking,
    permissionMode: event.permissionMode,
    neverAsks: event.neverAsks,
    cwd: event.cwd,
    worktree: event.worktree,
    backing: event.backing,
    child: event.childSession === undefined ? null : { sessionId: event.childSession, canStop: false },
    teamId: event.teamId,
    worker: null,
    workerState: null,
    jobId: null,
    program: null,
    work: null,
    depth: event.depth,
    status: 'queued',
    waitingFor: null,
    turn: 0,
    turns: 0,
    maxTurns: event.maxTurns,
    name: event.name,
    background: event.background ? 'started' : 'no',
    bubbles: event.bubbles,
    forkOf: event.inherits?.agentId ?? null,
    pauseWanted: false,
    limits: event.limits,
    runStartedAt: null,
    heldAt: null,
    workedMs: 0,
    unread: [],
    received: [],
    kept: [],
    usage: noUsage,
    context: contextAtSpawn(event),
    costUsd: 0,
    priced: true,
    spawnedAt: event.at,
    endedAt: null,
    action: null,
    lastLine: '',
    requests: [],
    answered: [],
    forms: [],
    commands: [],
    retry: null,
    limitedUntil: null,
    todos: [],
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
    stopId: null,
    stoppedBy: null,
    origin: null,
    lastSeq: event.seq,
    lastOrder: event.order,
    lastAt: event.at,
  }
}

/** The state after one more event. `state` is null before `agent-spawned`; then only that event changes it. */
export function foldAgent(state: AgentState | null, event: AgentEvent): AgentState | null {
  if (event.type === 'agent-spawned') return state ?? startAgent(event)
  if (state === null || event.seq <= state.lastSeq) return state
  return {
    ...state,
    ...changesOf(state, event),
    origin: event.origin ?? state.origin,
    lastSeq: event.seq,
    lastOrder: event.order,
    lastAt: event.at,
  }
}

type Changes = { -readonly [K in keyof AgentState]?: AgentState[K] }

function changesOf(state: AgentState, event: Exclude<AgentEvent, EventOf<'agent-spawned'>>): Changes {
  switch (event.type) {
    case 'status-changed':
      return {
        status: event.status,
        waitingFor: event.waitingFor,
        ...(event.waitingFor === 'message' && turnEnded(state)),
        endedAt: null,
        // A pause ends the countdown of a retry, and so does a new request.
        retry: null,
        limitedUntil: null,
        failure: null,
        reachedLimit: event.reachedLimit ?? null,
        limitOf: event.reachedLimit === undefined ? null : 'agent',
        stopId: null,
        stoppedBy: null,
        ...workTimeAfter(state, event),
        pauseWanted: state.pauseWanted && event.waitingFor !== 'message',
      }
    case 'request-started':
      return {
        turn: event.turn,
        turns: state.turns + (event.attempt === 1 ? 1 : 0),
        retry: null,
        limitedUntil: null,
      }
    case 'request-failed':
      return {
        retry:
          event.retryAt === null
            ? null
            : {
                at: event.retryAt,
                attempt: event.attempt,
                failure: event.failure,
                since: state.retry?.since ?? event.order,
              },
        limitedUntil: state.waitingFor === 'limit' ? event.retryAt : null,
      }
    case 'assistant-message': {
      const lastLine = lastLineOf(textOf(event.content))
      return {
        usage: addUsage(state.usage, withoutNegatives(event.usage)),
        context: contextAfter(state.context, event),
        costUsd: state.costUsd + Math.max(0, event.costUsd ?? 0),
        priced: state.priced && event.costUsd !== null,
        retry: null,
        unread: [],
        program: programAfterMessage(state.program, event),
        ...(lastLine === '' ? {} : { lastLine }),
      }
    }
    case 'model-asked':
      return {
        usage: addUsage(state.usage, withoutNegatives(event.usage)),
        costUsd: state.costUsd + Math.max(0, event.costUsd ?? 0),
        priced: state.priced && event.costUsd !== null,
      }
    case 'permission-asked':
      return { requests: [...state.requests, requestOf(event)] }
    case 'permission-answered':
      return {
        requests: state.requests.filter((request) => request.requestId !== event.requestId),
        answered: withAnswered(state.answered, state.requests, event),
      }
    case 'form-opened': {
      const { formId, toolUseId, toolName, form, at } = event
      return { forms: [...state.forms, { formId, toolUseId, toolName, form, openedAt: at }] }
    }
    case 'form-closed':
      return { forms: state.forms.filter((form) => form.formId !== event.formId) }
    case 'command-started': {
      const { commandId, toolUseId, command, description, at } = event
      const started = { commandId, toolUseId, command, description, startedAt: at }
      return { commands: [...state.commands, started] }
    }
    case 'command-ended':
      return { commands: state.commands.filter(({ commandId }) => commandId !== event.commandId) }
    case 'tool-started':
      return { action: { tool: event.name, summary: event.summary, running: true } }
    case 'tool-ended':
      return {
        ...(state.action ? { action: { ...state.action, running: false } } : {}),
        ...(event.display?.kind === 'todos' ? { todos: event.display.todos } : {}),
        kept: withKept(state.kept, event),
      }
    case 'permission-mode-changed':
      return { permissionMode: event.permissionMode, neverAsks: event.neverAsks }
    case 'child-changed': {
      const { name, task, cwd = state.cwd, canStop } = event
      const child = state.child && { ...state.child, canStop }
      return { child, task, cwd, definition: { ...state.definition, name } }
    }
    case 'model-changed':
      return {
        model: event.model,
        modelAfterTurn: event.forTurn === true ? (state.modelAfterTurn ?? state.model) : null,
      }
    case 'effort-changed':
      return { effort: event.effort }
    case 'thinking-changed':
      return { thinking: event.thinking }
    case 'agent-ended':
      return {
        status: event.status,
        waitingFor: null,
        ...turnEnded(state),
        endedAt: event.at,
        requests: [],
        forms: [],
        retry: null,
        limitedUntil:
          event.status === 'interrupted' || event.stoppedBy === 'program' ? state.limitedUntil : null,
        report: event.report.slice(0, REPORT_LENGTH),
        failure: event.failure,
        reachedLimit: event.reachedLimit,
        limitOf: event.limitOf,
        stopId: event.stopId ?? null,
        stoppedBy: event.stoppedBy ?? null,
        // The event is written at the next start, so its time is not the end of the work.
        ...workTimeEnded(state, event.status === 'interrupted' ? state.lastAt : event.at),
        pauseWanted: false,
        ...(state.action ? { action: { ...state.action, running: false } } : {}),
      }
    case 'user-message':
      return {
        unread: [...state.unread, event.messageId].slice(-MOST_UNREAD),
        received: withReceived(state.received, event),
      }
    case 'work-saved':
      return { work: event.work }
    case 'worker-changed':
      return {
        worker: event.worker ?? state.worker,
        workerState: event.state,
        jobId: event.jobId ?? state.jobId,
      }
    case 'program-connected':
    case 'program-options':
    case 'program-commands':
    case 'program-login':
      return { program: programAfter(state.program, event) }
    case 'pause-changed':
      return { pauseWanted: event.paused }
    case 'awaited-again':
      return { background: 'no', bubbles: false }
    case 'limits-changed':
      return { limits: event.limits }
    case 'moved-to-background':
      return { background: event.by === 'user' ? 'moved' : 'started', bubbles: event.bubbles }
    case 'definition-renewed':
      return {
        definition: event.definition,
        context: contextAfter(state.context, event),
        permissionMode: event.permissionMode,
        neverAsks: event.neverAsks,
        maxTurns: event.maxTurns,
      }
    case 'notice':
    case 'interceptor-verdict':
    case 'hook-ran':
    case 'tools-changed':
    case 'instructions-loaded':
    case 'servers-told':
    case 'files-told':
    case 'permissions-told':
    case 'part-refused':
    case 'context-cleared':
    case 'files-changed':
      return {}
    case 'context-compacted':
      return { context: contextAfter(state.context, event) }
  }
}

/** Whether the agent may still act without a new message. */
export function isLive(state: AgentState): boolean {
  if (state.status === 'waiting') return state.waitingFor !== 'message'
  return state.status === 'queued' || state.status === 'running' || state.status === 'paused'
}

/** Whether the agent waits for the user. */
export function needsUser(state: AgentState): boolean {
  return state.requests.length + state.forms.length > 0 || wantsLogin(state)
}

const turnEnded = ({ model, modelAfterTurn }: AgentState): Pick<AgentState, 'model' | 'modelAfterTurn'> => ({
  model: modelAfterTurn ?? model,
  modelAfterTurn: null,
})

/** Whether an external agent waits until the user logs in. */
function wantsLogin(state: AgentState): boolean {
  return state.program !== null && state.program.login !== null && isLive(state)
}

export function addUsage(a: Usage, b: Usage): Usage {
  const forAnHour = (a.cacheWriteHour ?? 0) + (b.cacheWriteHour ?? 0)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(forAnHour > 0 && { cacheWriteHour: forAnHour }),
  }
}

/** Other programs write events too, so a negative count must not lower the usage. */
function withoutNegatives({ input, output, cacheRead, cacheWrite, cacheWriteHour = 0 }: Usage): Usage {
  return {
    input: Math.max(0, input),
    output: Math.max(0, output),
    cacheRead: Math.max(0, cacheRead),
    cacheWrite: Math.max(0, cacheWrite),
    ...(cacheWriteHour > 0 && { cacheWriteHour }),
  }
}

/** All input and output tokens, including cached ones. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite
}

function requestOf(event: EventOf<'permission-asked'>): PendingRequest {
  const { requestId, toolUseId, toolName, subject, because, alwaysRule, ruleOffers, choices, at } = event
  const offers = { ...(ruleOffers && { ruleOffers }), ...(choices && { choices }) }
  return { requestId, toolUseId, toolName, subject, because, alwaysRule, ...offers, askedAt: at }
}

function lastLineOf(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed
    .slice(trimmed.lastIndexOf('\n') + 1)
    .trim()
    .slice(0, LAST_LINE_LENGTH)
}
