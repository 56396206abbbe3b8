/**
 * Knows who changed which file in a conversation. Tells the panels of two agents at once that they use the same file: one
 * has written a file that the other one has read or written. The models learn of it before their next request.
 */
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { LaterState } from '../ports/tool.ts'
import type { AgentRegistry } from './agent-registry.ts'
import type { LiveAgent } from './live-agent.ts'
import { type ChangedBy, isLeftBy } from './outdated-files.ts'

export interface FileUser {
  readonly id: string
  readonly state: AgentState
  /** Files read or written before the conversation was opened, by real path. Only of agents in memory. */
  readonly seen: ReadonlyMap<string, unknown>
  /** Adds the notice about a file to the agent's transcript, also after its end. */
  tell(path: string, text: string): void
}

/** All agents of a conversation. */
export const fileUsers = (home: UsersOf): readonly FileUser[] =>
  home.agents.all().map((handle) => {
    const { id, agent } = handle
    const emit = (to: LiveAgent, notice: { readonly text: string; readonly path: string }) =>
      to.emit({ type: 'notice', level: 'warning', ...notice })
    return {
      id,
      state: handle.state(),
      seen: agent?.session.seen ?? new Map(),
      tell(path, text) {
        if (agent) emit(agent, { path, text })
        // A transcript that can't be read gets no notice; the other agent's has it.
        else void home.withAgent(id, (read) => emit(read, { path, text }))
      },
    }
  })

interface UsersOf {
  readonly agents: AgentRegistry
  withAgent(agentId: string, act: (agent: LiveAgent) => void): Promise<unknown>
}

type Use = 'read' | 'changed'

interface LastChange {
  /** Agents of which one made it. Empty: the user, or another program. */
  readonly by: readonly string[]
  /** When it was recorded, ms since the epoch. */
  readonly at: number
  /** Null: the file was deleted. */
  readonly size: number | null
}

export class SharedFiles {
  /** By path and agent. */
  private readonly uses = new Map<string, Map<string, Use>>()
  /** By path: the last recorded change. */
  private readonly changes = new Map<string, LastChange>()
  /** Pairs of agents that were told of a file. */
  private readonly told = new Set<string>()
  private readonly agents: () => readonly FileUser[]

  /** @param agents all agents */
  constructor(agents: () => readonly FileUser[]) {
    this.agents = agents
  }

  /** Called with every event of an agent. */
  apply(event: AgentEvent): void {
    if (event.type === 'tool-ended' && event.seen) this.used(event.seen.path, event.agentId, 'read')
    if (event.type !== 'files-changed') return
    const { agentId, cause, at } = event
    for (const { path, after, maybeBy } of event.files)
      this.changes.set(path, {
        by: cause === 'user' ? [] : [agentId, ...maybeBy],
        at,
        size: after?.size ?? null,
      })
    if (cause !== 'user') this.changed(event)
  }

  /**
   * Who brought a file into this state, as one agent is told. `hasCommands`: commands of that agent run in the background.
   */
  changedBy(
    path: string,
    state: LaterState,
    { agentId, hasCommands }: { readonly agentId: string; readonly hasCommands: boolean },
  ): ChangedBy {
    const change = this.changes.get(path)
    const agents = this.agents()
    const by = change !== undefined && isLeftBy(change, state) ? change.by : null
    if (by === null || by.length === 0) {
      const mayBeOthers = by === null && agents.some(({ id, state }) => id !== agentId && isLive(state))
      const others = [
        'the user',
        ...(mayBeOthers ? ['another agent'] : []),
        ...(hasCommands ? ['your command in the background'] : []),
      ]
      return { text: `${others.join(', ')} or another program`, isKnown: by !== null }
    }
    const names = by.map((id) => {
      if (id === agentId) return 'a command of yours'
      const user = agents.find((one) => one.id === id)
      if (user === undefined) return 'another agent'
      return user.state.parentId === null ? 'the main agent' : `the agent ${nameOf(user)}`
    })
    return { text: names.join(' or '), isKnown: true }
  }

  private changed({ agentId, files }: EventOf<'files-changed'>): void {
    const all = this.agents()
    const writer = all.find(({ id }) => id === agentId)
    for (const { path, shown, maybeBy } of files) {
      // A change by an unknown author is attributed to nobody.
      if (maybeBy.length > 0) continue
      for (const other of all) {
        const use = this.uses.get(path)?.get(other.id) ?? (other.seen.has(path) ? 'read' : null)
        const pair = [agentId, other.id].sort().join(' ')
        if (other.id === agentId || use === null || this.told.has(`${pair} ${path}`)) continue
        this.told.add(`${pair} ${path}`)
        const had = use === 'read' ? 'read' : 'changed'
        writer?.tell(path, `${nameOf(other)} has ${had} ${shown} too, in the same folder.`)
        other.tell(
          path,
          `${writer ? nameOf(writer) : 'Another agent'} changed ${shown}, which this agent has ${had}.`,
        )
      }
      this.used(path, agentId, 'changed')
    }
  }

  private used(path: string, agentId: string, use: Use): void {
    const users = this.uses.get(path) ?? new Map<string, Use>()
    if (users.get(agentId) !== 'changed') users.set(agentId, use)
    this.uses.set(path, users)
  }
}

function nameOf({ state: { parentId, name, definition } }: FileUser): string {
  return parentId === null ? 'The main agent' : (name ?? definition.name)
}
