/**
 * Subagents as sessions of their own, which the session of their parent announces: those of Troupe for an editor, and
 * those of an external agent for Troupe. This part of the protocol is not stable, and only this file knows its shapes:
 * of what an external agent tells, every field is checked, and what does not fit is passed over.
 */
import { isAbsolute } from 'node:path'
import type {
  ClientCapabilities,
  SessionUpdate,
  StateUpdate,
  SubagentSessionCapabilities,
} from '@agentclientprotocol/sdk/unstable'
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { isRecord } from '../json/json-text.ts'
import { shortText, textBlock } from './content.ts'

// ---- subagents of Troupe, for an editor ---------------------------------------------------------

/** Whether the editor shows subagents as sessions. */
export function knowsChildSessions(capabilities: ClientCapabilities | undefined): boolean {
  return typeof capabilities?.subagents === 'object' && capabilities.subagents !== null
}

type Announced = Pick<AgentState, 'id' | 'parentId' | 'definition' | 'name' | 'task' | 'cwd' | 'backing'>

/** Announces an agent that begins to work. */
export const subagentStarted = (agent: Announced): SessionUpdate => ({
  sessionUpdate: 'subagent_update',
  sessionId: agent.id,
  title: agent.name ?? agent.definition.name,
  ...(agent.task !== '' && { description: agent.task }),
  cwd: agent.cwd,
  // An external agent says which of its subagents can be stopped.
  capabilities: agent.backing === 'acp-child' ? {} : CAN_CANCEL,
  state: RUNNING,
})

/** Another name or task of an agent. */
export const subagentChanged = ({
  agentId,
  name,
  task,
  canStop,
}: EventOf<'child-changed'>): SessionUpdate => ({
  sessionUpdate: 'subagent_update',
  sessionId: agentId,
  title: name,
  description: task === '' ? null : task,
  capabilities: canStop ? CAN_CANCEL : {},
})

/** The state of an agent at work. */
export const RUNNING: StateUpdate = { state: 'running' }
const CAN_CANCEL: SubagentSessionCapabilities = { cancel: {} }

/**
 * A message of another agent to this one. Messages of the user are part of the stable protocol.
 *
 * @param main the main agent and its session
 */
export function messageTo(
  event: AgentEvent,
  parentSession: string,
  { mainAgentId, sessionId }: { readonly mainAgentId: string; readonly sessionId: string },
): readonly SessionUpdate[] {
  if (event.type !== 'user-message' || (event.from !== 'parent' && event.from !== 'agent')) return []
  const from = event.sender === mainAgentId ? sessionId : (event.sender ?? parentSession)
  return [
    {
      sessionUpdate: 'session_message',
      messageId: event.messageId,
      senderSessionId: from,
      recipientSessionId: event.agentId,
      content: [textBlock(textOf(event.content))],
    },
  ]
}

/** What the agent does after the event; null: as before. */
export function stateAfter(event: AgentEvent): StateUpdate | null {
  if (event.type === 'agent-ended') return { state: 'idle', ...endOf(event) }
  if (event.type !== 'status-changed') return null
  if (event.status !== 'waiting') return RUNNING
  if (event.waitingFor === 'permission' || event.waitingFor === 'answer') return { state: 'requires_action' }
  return event.waitingFor === 'message' ? { state: 'idle', stopReason: 'end_turn' } : RUNNING
}

function endOf({ status, failure, reachedLimit }: EventOf<'agent-ended'>) {
  if (reachedLimit !== null) return { stopReason: 'max_turn_requests' as const }
  if (status === 'completed') return { stopReason: 'end_turn' as const }
  if (status !== 'failed') return { stopReason: 'cancelled' as const }
  return {
    stopReason: 'error' as const,
    error: { code: -32603, message: failure?.message ?? 'The agent failed.' },
  }
}

// ---- subagents of an external agent -------------------------------------------------------------

/** A part of the client's capabilities: without it a program shows its subagents as calls. */
export const CHILDREN_CAPABILITY: object = { subagents: {} }

/** Characters of a name, and of an id. */
const LONGEST_NAME = 200
const LONGEST_ID = 500

export type ChildUpdate =
  | { readonly kind: 'child'; readonly sessionId: string; readonly patch: ChildPatch }
  /** A message between two sessions, as one of them has it. */
  | {
      readonly kind: 'message'
      readonly messageId: string
      /** The session that wrote it; null: the program does not say. */
      readonly sender: string | null
      /** The session that it is for; null: the program does not say. */
      readonly recipient: string | null
      readonly text: string
    }
  /** An update about subagents that can't be used. */
  | { readonly kind: 'unknown' }

/** A missing field is unchanged. */
export interface ChildPatch {
  readonly title?: string | null
  readonly description?: string | null
  /** Null: that of its parent. */
  readonly cwd?: string | null
  readonly canStop?: boolean
  readonly state?: ChildWork
}

export type ChildWork =
  | { readonly kind: 'running' }
  /** `reason`: why it stopped; null: the program does not say. */
  | { readonly kind: 'idle'; readonly reason: string | null; readonly error: string | null }
  /** The program can't see any more what it does. */
  | { readonly kind: 'lost' }

/** Null: the update is not about subagents, but an ordinary one of its session. */
export function readChildUpdate(update: unknown): ChildUpdate | null {
  if (!isRecord(update)) return null
  switch (update['sessionUpdate']) {
    case 'subagent_update': {
      const sessionId = idIn(update, 'sessionId')
      return sessionId === null ? UNKNOWN : { kind: 'child', sessionId, patch: patchOf(update) }
    }
    case 'session_message': {
      const messageId = idIn(update, 'messageId')
      const text = textsIn(update['content'])
      if (messageId === null || text === '') return UNKNOWN
      const [sender, recipient] = [idIn(update, 'senderSessionId'), idIn(update, 'recipientSessionId')]
      return { kind: 'message', messageId, sender, recipient, text }
    }
    case 'session_message_chunk':
      return UNKNOWN
    default:
      return null
  }
}

/** The model that a session's options name as the current one; null: none. */
export function modelIn(update: unknown): string | null {
  if (!isRecord(update) || update['sessionUpdate'] !== 'config_option_update') return null
  for (const option of listIn(update, 'configOptions')) {
    if (!isRecord(option) || option['category'] !== 'model') continue
    const current = option['currentValue']
    const named = listIn(option, 'options').find((value) => isRecord(value) && value['value'] === current)
    const name = isRecord(named) ? named['name'] : current
    return typeof name === 'string' && name.trim() !== '' ? nameOf(name).replaceAll('/', ' ') : null
  }
  return null
}

/** What began the turn that ends with this update: `human`, `task-notification`, …; null: the update does not say. */
export function turnOriginIn(update: unknown): string | null {
  if (!isRecord(update) || update['sessionUpdate'] !== 'usage_update' || !isRecord(update['_meta']))
    return null
  const origin = update['_meta']['_claude/origin']
  return isRecord(origin) && typeof origin['kind'] === 'string' ? origin['kind'] : null
}

const UNKNOWN: ChildUpdate = { kind: 'unknown' }

function patchOf(update: Readonly<Record<string, unknown>>): ChildPatch {
  const { title, description, cwd, capabilities } = update
  const state = workIn(update['state'])
  return {
    ...(isLabel(title) && { title: labelOf(title) }),
    ...(isLabel(description) && { description: labelOf(description) }),
    ...((cwd === null || (typeof cwd === 'string' && isAbsolute(cwd))) && { cwd }),
    ...((capabilities === null || isRecord(capabilities)) && {
      canStop: isRecord(capabilities) && isRecord(capabilities['cancel']),
    }),
    ...(state && { state }),
  }
}

function workIn(state: unknown): ChildWork | null {
  if (!isRecord(state)) return null
  const { stopReason, error } = state
  switch (state['state']) {
    case 'running':
    case 'requires_action':
      return { kind: 'running' }
    case 'idle': {
      const message = isRecord(error) ? error['message'] : null
      return {
        kind: 'idle',
        reason: typeof stopReason === 'string' ? stopReason : null,
        error: typeof message === 'string' && message.trim() !== '' ? nameOf(message) : null,
      }
    }
    case 'unknown':
      return { kind: 'lost' }
    default:
      return null
  }
}

const isLabel = (value: unknown): value is string | null => value === null || typeof value === 'string'

const labelOf = (value: string | null): string | null =>
  value === null || value.trim() === '' ? null : nameOf(value)

const nameOf = (text: string): string => shortText(text).slice(0, LONGEST_NAME)

function idIn(record: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = record[key]
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : null
}

/** The texts of content blocks. */
function textsIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  const texts = content.flatMap((block) =>
    isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  )
  return texts.join('\n\n').trim()
}

function listIn(record: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const value = record[key]
  return Array.isArray(value) ? value : []
}
