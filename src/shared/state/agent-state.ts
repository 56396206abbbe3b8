/**
 * The state of one agent: a pure, bounded fold over its events, joined from the parts of all nouns. The live window, a
 * reload, the command line and tests use the same function; no other state about an agent is kept.
 */

import type { AgentEvent, AgentEventType, AgentState, EventOf } from '../events/agent-event.ts'
import { backingParts, backingStart } from '../events/backings.ts'
import { contextParts, prefixTokens } from '../events/context.ts'
import type { EventParts } from '../events/event-parts.ts'
import { hookParts } from '../events/hooks.ts'
import { lifecycleParts, lifecycleStart } from '../events/lifecycle.ts'
import { messageParts, messageStart } from '../events/messages.ts'
import { modelRequestParts, modelRequestStart } from '../events/model-requests.ts'
import { permissionParts, permissionStart } from '../events/permissions.ts'
import { toolCallParts, toolCallStart } from '../events/tool-calls.ts'
import type { RowChange } from '../events/transcript-row.ts'
import { userCommandParts, userCommandStart } from '../events/user-commands.ts'

export type { AgentState, PendingRequest, RunningCommand } from '../events/agent-event.ts'

const parts: EventParts<AgentEventType> = {
  ...lifecycleParts,
  ...messageParts,
  ...modelRequestParts,
  ...toolCallParts,
  ...userCommandParts,
  ...permissionParts,
  ...contextParts,
  ...backingParts,
  ...hookParts,
}

/** The part of an event. Each fits the type under which it stands, which the compiler can't follow. */
const partOf = (type: AgentEventType) => parts[type] as AnyPart
interface AnyPart {
  readonly fold?: (state: AgentState, event: AgentEvent) => Partial<AgentState>
  readonly rows?: (event: AgentEvent) => readonly RowChange[]
}

/** The state after `agent-spawned`. */
export function startAgent(event: EventOf<'agent-spawned'>): AgentState {
  const { conversationId, parentId, parentToolUseId, definition, task, cwd, maxTurns, depth, name } = event
  const { model, effort, thinking, permissionMode, neverAsks, limits, worktree, teamId, backing } = event
  return {
    id: event.agentId,
    ...{ conversationId, parentId, parentToolUseId, definition, task, cwd, maxTurns, depth, name },
    ...{ model, effort, thinking, permissionMode, neverAsks, limits, worktree, teamId, backing },
    ...(event.gitBranch !== undefined && { gitBranch: event.gitBranch }),
    child: event.childSession === undefined ? null : { sessionId: event.childSession, canStop: false },
    background: event.background ? 'started' : 'no',
    bubbles: event.bubbles,
    forkOf: event.inherits?.agentId ?? null,
    context: { prefix: prefixTokens(event), used: null, window: null },
    spawnedAt: event.at,
    ...lifecycleStart,
    ...messageStart,
    ...modelRequestStart,
    ...toolCallStart,
    ...userCommandStart,
    ...permissionStart,
    ...backingStart,
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
    ...partOf(event.type).fold?.(state, event),
    origin: event.origin ?? state.origin,
    lastSeq: event.seq,
    lastOrder: event.order,
    lastAt: event.at,
  }
}

/** The rows that one event adds to a transcript, and the rows that it changes, in the order of the transcript. */
export function rowsOf(event: AgentEvent): readonly RowChange[] {
  return partOf(event.type).rows?.(event) ?? []
}

/** Whether the agent may still act without a new message. */
export function isLive(state: AgentState): boolean {
  if (state.status === 'waiting') return state.waitingFor !== 'message'
  return state.status === 'queued' || state.status === 'running' || state.status === 'paused'
}

/** Whether the agent waits for the user: for an answer, or, with an external agent, for a login. */
export function needsUser(state: AgentState): boolean {
  if (state.requests.length + state.forms.length > 0) return true
  return state.program !== null && state.program.login !== null && isLive(state)
}
