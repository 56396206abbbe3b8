/**
 * Subagents as sessions of their own, for editors that know child sessions. This part of the protocol is not stable:
 * only this file knows its shapes.
 */
import type {
  ClientCapabilities,
  SessionUpdate,
  StateUpdate,
  SubagentSessionCapabilities,
} from '@agentclientprotocol/sdk/unstable'
import type { AgentEvent, EventOf, LiveEvent } from '../../../shared/events/agent-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SessionUpdates, type SessionUpdatesOptions } from './session-updates.ts'

/** An update of the stable protocol, or one of this file. */
export type AnyUpdate = SessionUpdate

/** Whether the editor shows subagents as sessions. */
export function knowsChildSessions(capabilities: ClientCapabilities | undefined): boolean {
  return typeof capabilities?.subagents === 'object' && capabilities.subagents !== null
}

interface ChildSessionsOptions extends SessionUpdatesOptions {
  /** The session of the main agent. */
  readonly sessionId: string
  readonly notify: (sessionId: string, update: AnyUpdate) => void
  /** The state of an agent of the conversation, or null. */
  readonly stateOf: (agentId: string) => AgentState | null
}

type Identity = Pick<AgentState, 'id' | 'parentId' | 'definition' | 'name' | 'task' | 'cwd' | 'backing'>

interface Child {
  readonly parentSession: string
  readonly updates: SessionUpdates
  state: string
}

/** The child sessions of one session. The id of a child session is the id of its agent. */
export class ChildSessions {
  private readonly children = new Map<string, Child>()
  private readonly options: ChildSessionsOptions

  constructor(options: ChildSessionsOptions) {
    this.options = options
  }

  has(sessionId: string): boolean {
    return this.children.has(sessionId)
  }

  /** The updates of an agent's session; null for the main agent, and for an agent that nothing was heard of. */
  updatesOf(agentId: string): SessionUpdates | null {
    return this.children.get(agentId)?.updates ?? null
  }

  /** Follows an agent: its session is announced before anything else of it. The main agent's events are ignored. */
  take(event: AgentEvent): void {
    const child = this.announced(event)
    if (child === null) return
    this.show(event.agentId, [...messageOf(event, child, this.options), ...child.updates.take(event)])
    this.tellChanges(event, child)
  }

  /** Ends the calls that the editor still shows as running. */
  endAll(status: 'completed' | 'failed'): void {
    for (const [id, { updates }] of this.children) this.show(id, updates.endAll(status))
  }

  live(event: LiveEvent): void {
    const child = this.children.get(event.agentId)
    if (child !== undefined) this.show(event.agentId, child.updates.live(event))
  }

  /** Like `take`, for an event of the history. */
  replay(event: AgentEvent): void {
    const child = this.announced(event)
    if (child === null) return
    this.show(event.agentId, [...messageOf(event, child, this.options), ...child.updates.replay(event)])
    this.tellChanges(event, child)
  }

  private announced(event: AgentEvent): Child | null {
    const { agentId } = event
    if (agentId === this.options.mainAgentId) return null
    const known = this.children.get(agentId)
    if (known !== undefined) return known
    if (event.type === 'agent-spawned') return this.announce({ ...event, id: agentId })
    // The session was opened again without its history.
    const state = this.options.stateOf(agentId)
    return state === null ? null : this.announce(state)
  }

  /** The agents above it are announced first, each on the session of its parent. */
  private announce(agent: Identity): Child {
    const { mainAgentId, sessionId, now, stateOf } = this.options
    const { parentId } = agent
    if (parentId !== null && parentId !== mainAgentId && !this.children.has(parentId)) {
      const parent = stateOf(parentId)
      if (parent !== null) this.announce(parent)
    }
    const isOfMain = parentId === null || !this.children.has(parentId)
    const parentSession = isOfMain ? sessionId : parentId
    const updates = new SessionUpdates({ mainAgentId: agent.id, folder: agent.cwd, now, ownOnly: true })
    const child: Child = { parentSession, updates, state: JSON.stringify(RUNNING) }
    this.children.set(agent.id, child)
    this.options.notify(parentSession, {
      sessionUpdate: 'subagent_update',
      sessionId: agent.id,
      title: agent.name ?? agent.definition.name,
      ...(agent.task !== '' && { description: agent.task }),
      cwd: agent.cwd,
      // An external agent says which of its subagents can be stopped.
      capabilities: agent.backing === 'acp-child' ? {} : CAN_CANCEL,
      state: RUNNING,
    })
    return child
  }

  private tellChanges(event: AgentEvent, child: Child): void {
    const { agentId } = event
    if (event.type === 'child-changed') {
      const { name, task, canStop } = event
      this.options.notify(child.parentSession, {
        sessionUpdate: 'subagent_update',
        sessionId: agentId,
        title: name,
        description: task === '' ? null : task,
        capabilities: canStop ? CAN_CANCEL : {},
      })
    }
    const state = stateAfter(event)
    const text = JSON.stringify(state)
    if (state === null || text === child.state) return
    child.state = text
    this.options.notify(child.parentSession, { sessionUpdate: 'subagent_update', sessionId: agentId, state })
  }

  private show(sessionId: string, updates: readonly AnyUpdate[]): void {
    for (const update of updates) this.options.notify(sessionId, update)
  }
}

const RUNNING: StateUpdate = { state: 'running' }
const CAN_CANCEL: SubagentSessionCapabilities = { cancel: {} }

/** A message of another agent to this one. Messages of the user are part of the stable protocol. */
function messageOf(
  event: AgentEvent,
  { parentSession }: Child,
  { mainAgentId, sessionId }: ChildSessionsOptions,
): readonly AnyUpdate[] {
  if (event.type !== 'user-message' || (event.from !== 'parent' && event.from !== 'agent')) return []
  const from = event.sender === mainAgentId ? sessionId : (event.sender ?? parentSession)
  return [
    {
      sessionUpdate: 'session_message',
      messageId: event.messageId,
      senderSessionId: from,
      recipientSessionId: event.agentId,
      content: [{ type: 'text', text: textOf(event.content) }],
    },
  ]
}

/** What the agent does after the event; null: as before. */
function stateAfter(event: AgentEvent): StateUpdate | null {
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
