/** Follows the subagents of a conversation as sessions of their own, for editors that know child sessions. */
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable'
import type { AgentEvent, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  messageTo,
  RUNNING,
  stateAfter,
  subagentChanged,
  subagentStarted,
} from '../../platform/acp/subagent-sessions.ts'
import { SessionUpdates, type SessionUpdatesOptions } from './session-updates.ts'

/** An update of the stable protocol, or one of this file. */
export type AnyUpdate = SessionUpdate

interface ChildSessionsOptions extends SessionUpdatesOptions {
  /** The session of the main agent. */
  readonly sessionId: string
  readonly notify: (sessionId: string, update: AnyUpdate) => void
  /** The state of an agent of the conversation, or null. */
  readonly stateOf: (agentId: string) => AgentState | null
}

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
    this.show(event.agentId, [
      ...messageTo(event, child.parentSession, this.options),
      ...child.updates.take(event),
    ])
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
    this.show(event.agentId, [
      ...messageTo(event, child.parentSession, this.options),
      ...child.updates.replay(event),
    ])
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
  private announce(agent: Parameters<typeof subagentStarted>[0]): Child {
    const { mainAgentId, sessionId, now, newKey, stateOf } = this.options
    const { parentId } = agent
    if (parentId !== null && parentId !== mainAgentId && !this.children.has(parentId)) {
      const parent = stateOf(parentId)
      if (parent !== null) this.announce(parent)
    }
    const isOfMain = parentId === null || !this.children.has(parentId)
    const parentSession = isOfMain ? sessionId : parentId
    const updates = new SessionUpdates({
      ...{ mainAgentId: agent.id, folder: agent.cwd },
      ...{ now, newKey, ownOnly: true },
    })
    const child: Child = { parentSession, updates, state: JSON.stringify(RUNNING) }
    this.children.set(agent.id, child)
    this.options.notify(parentSession, subagentStarted(agent))
    return child
  }

  private tellChanges(event: AgentEvent, child: Child): void {
    const { agentId } = event
    if (event.type === 'child-changed') this.options.notify(child.parentSession, subagentChanged(event))
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
