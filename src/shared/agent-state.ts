/**
 * The state of one agent: a pure, bounded fold over its events. The same function serves the live
 * window, a reload, the command line and tests; nothing about an agent is remembered anywhere else.
 */
import type {
  AgentEvent,
  DefinitionSnapshot,
  EventOf,
  EventOrigin,
  FailureInfo,
  PermissionMode,
  PermissionSubject,
  SpendLimits,
  Todo,
  Usage,
} from './agent-event.ts'
import { noUsage } from './no-usage.ts'
import { textOf } from './text-of.ts'
import type { AgentWorktree, SavedWork } from './worktree.ts'

export type AgentStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'stopped'
  | 'interrupted'

/** A question to the user that has no answer yet. */
export interface PendingRequest {
  readonly requestId: string
  readonly toolUseId: string
  readonly toolName: string
  readonly subject: PermissionSubject
  readonly because: string
  readonly alwaysRule: string | null
  readonly askedAt: number
}

export interface AgentState {
  readonly id: string
  readonly conversationId: string
  readonly parentId: string | null
  readonly parentToolUseId: string | null
  readonly definition: DefinitionSnapshot
  readonly task: string
  readonly model: string
  readonly permissionMode: PermissionMode
  /** Whether calls that would ask are denied although the mode asks: `plan` combined with `dontAsk`. */
  readonly neverAsks: boolean
  readonly cwd: string
  /** Null: it works in the conversation's folder. */
  readonly worktree: AgentWorktree | null
  /** What was in its own worktree when it last ended. */
  readonly work: SavedWork | null
  readonly depth: number
  readonly status: AgentStatus
  readonly waitingFor: 'permission' | 'message' | 'children' | null
  readonly turn: number
  readonly maxTurns: number
  /** By which other agents write to it. */
  readonly name: string | null
  /** `started` there, or `moved` there by a person: then its questions are asked all the same. */
  readonly background: 'no' | 'started' | 'moved'
  /** Whether it may ask a person though it works in the background. */
  readonly bubbles: boolean
  /** The agent whose messages it began with; null: it is no fork. */
  readonly forkOf: string | null
  /** Whether a person wants it to rest; it does once its status is `paused`. */
  readonly pauseWanted: boolean
  readonly limits: SpendLimits
  /** When it last began to work, ms; its limit of time counts from there. */
  readonly runStartedAt: number | null
  /** How long it worked before that, ms: without the time in which it had ended or waited to be spoken to. */
  readonly workedMs: number
  /** Messages that are in its transcript and that no answer has followed yet. */
  readonly unread: readonly string[]
  readonly usage: Usage
  /** US dollars for the turns whose model has a price. */
  readonly costUsd: number
  /** False once a turn ran on a model without a price: then only tokens are shown. */
  readonly priced: boolean
  /** Times in ms since the epoch. */
  readonly spawnedAt: number
  readonly endedAt: number | null
  /** The tool it uses now, or used last. */
  readonly action: { readonly tool: string; readonly summary: string; readonly running: boolean } | null
  /** The last line it said, at most 200 characters. */
  readonly lastLine: string
  readonly requests: readonly PendingRequest[]
  /** Set while a failed request waits for its next attempt. */
  readonly retry: { readonly at: number; readonly attempt: number; readonly failure: FailureInfo } | null
  readonly todos: readonly Todo[]
  /** The report, at most 4,000 characters of it; the transcript has it whole. */
  readonly report: string
  readonly failure: FailureInfo | null
  readonly reachedLimit: 'turns' | 'tokens' | 'money' | 'time' | null
  readonly limitOf: 'agent' | 'parent' | 'conversation' | null
  /** The user's stop that ended the last run, until the agent is resumed. Agents stopped at once share the id. */
  readonly stopId: string | null
  /** Of the last event from outside this process; null: there was none. */
  readonly origin: EventOrigin | null
  readonly lastSeq: number
  readonly lastOrder: number
  readonly lastAt: number
}

const LAST_LINE_LENGTH = 200
const REPORT_LENGTH = 4000
/** An agent that is told more before it answers has read the older ones by then. */
const MOST_UNREAD = 100

/** The state after the first event, which says who the agent is. */
export function startAgent(event: EventOf<'agent-spawned'>): AgentState {
  return {
    id: event.agentId,
    conversationId: event.conversationId,
    parentId: event.parentId,
    parentToolUseId: event.parentToolUseId,
    definition: event.definition,
    task: event.task,
    model: event.model,
    permissionMode: event.permissionMode,
    neverAsks: event.neverAsks,
    cwd: event.cwd,
    worktree: event.worktree,
    work: null,
    depth: event.depth,
    status: 'queued',
    waitingFor: null,
    turn: 0,
    maxTurns: event.maxTurns,
    name: event.name,
    background: event.background ? 'started' : 'no',
    bubbles: event.bubbles,
    forkOf: event.inherits?.agentId ?? null,
    pauseWanted: false,
    limits: event.limits,
    runStartedAt: null,
    workedMs: 0,
    unread: [],
    usage: noUsage,
    costUsd: 0,
    priced: true,
    spawnedAt: event.at,
    endedAt: null,
    action: null,
    lastLine: '',
    requests: [],
    retry: null,
    todos: [],
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
    stopId: null,
    origin: null,
    lastSeq: event.seq,
    lastOrder: event.order,
    lastAt: event.at,
  }
}

/** The state after one more event. `state` is null before `agent-spawned`; other events then change nothing. */
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
        endedAt: null,
        // It rests instead of counting down, or begins anew.
        retry: null,
        failure: null,
        reachedLimit: event.reachedLimit ?? null,
        limitOf: event.reachedLimit === undefined ? null : 'agent',
        stopId: null,
        // A main agent that waits for words has come to its end, as one that has ended.
        runStartedAt:
          event.waitingFor === 'message'
            ? null
            : event.status === 'queued'
              ? state.runStartedAt
              : (state.runStartedAt ?? event.at),
        workedMs: event.waitingFor === 'message' ? workedUntil(state, event.at) : state.workedMs,
        pauseWanted: state.pauseWanted && event.waitingFor !== 'message',
      }
    case 'request-started':
      return { turn: event.turn, retry: null }
    case 'request-failed':
      return {
        retry:
          event.retryAt === null
            ? null
            : { at: event.retryAt, attempt: event.attempt, failure: event.failure },
      }
    case 'assistant-message': {
      const said = lastLineOf(textOf(event.content))
      return {
        usage: addUsage(state.usage, withoutNegatives(event.usage)),
        costUsd: state.costUsd + Math.max(0, event.costUsd ?? 0),
        priced: state.priced && event.costUsd !== null,
        retry: null,
        unread: [],
        ...(said === '' ? {} : { lastLine: said }),
      }
    }
    case 'permission-asked':
      return { requests: [...state.requests, requestOf(event)] }
    case 'permission-answered':
      return { requests: state.requests.filter((request) => request.requestId !== event.requestId) }
    case 'tool-started':
      return { action: { tool: event.name, summary: event.summary, running: true } }
    case 'tool-ended':
      return {
        ...(state.action ? { action: { ...state.action, running: false } } : {}),
        ...(event.display?.kind === 'todos' ? { todos: event.display.todos } : {}),
      }
    case 'permission-mode-changed':
      return { permissionMode: event.permissionMode, neverAsks: event.neverAsks }
    case 'model-changed':
      return { model: event.model }
    case 'agent-ended':
      return {
        status: event.status,
        waitingFor: null,
        endedAt: event.at,
        requests: [],
        retry: null,
        report: event.report.slice(0, REPORT_LENGTH),
        failure: event.failure,
        reachedLimit: event.reachedLimit,
        limitOf: event.limitOf,
        stopId: event.stopId ?? null,
        runStartedAt: null,
        // That a program was gone is found out later.
        workedMs: workedUntil(state, event.status === 'interrupted' ? state.lastAt : event.at),
        pauseWanted: false,
        ...(state.action ? { action: { ...state.action, running: false } } : {}),
      }
    case 'user-message':
      return { unread: [...state.unread, event.messageId].slice(-MOST_UNREAD) }
    case 'work-saved':
      return { work: event.work }
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
        permissionMode: event.permissionMode,
        neverAsks: event.neverAsks,
        maxTurns: event.maxTurns,
      }
    case 'notice':
    case 'interceptor-verdict':
    case 'tools-changed':
    case 'instructions-loaded':
    case 'permissions-told':
    case 'context-cleared':
    case 'context-compacted':
      return {}
  }
}

/** Ms that an agent has worked by a time at which it still works. */
export function workedUntil({ workedMs, runStartedAt }: AgentState, at: number): number {
  return runStartedAt === null ? workedMs : workedMs + Math.max(0, at - runStartedAt)
}

/** Whether it may still do something without being asked to. */
export function isLive(state: AgentState): boolean {
  if (state.status === 'waiting') return state.waitingFor !== 'message'
  return state.status === 'queued' || state.status === 'running' || state.status === 'paused'
}

/** Whether only a person can move it on. */
export function needsUser(state: AgentState): boolean {
  return state.requests.length > 0
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}

/** Other programs write events too. No count may lower what was used. */
function withoutNegatives({ input, output, cacheRead, cacheWrite }: Usage): Usage {
  return {
    input: Math.max(0, input),
    output: Math.max(0, output),
    cacheRead: Math.max(0, cacheRead),
    cacheWrite: Math.max(0, cacheWrite),
  }
}

/** All tokens that went in and out, cached ones included. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite
}

function requestOf(event: EventOf<'permission-asked'>): PendingRequest {
  const { requestId, toolUseId, toolName, subject, because, alwaysRule, at } = event
  return { requestId, toolUseId, toolName, subject, because, alwaysRule, askedAt: at }
}

function lastLineOf(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed
    .slice(trimmed.lastIndexOf('\n') + 1)
    .trim()
    .slice(0, LAST_LINE_LENGTH)
}
