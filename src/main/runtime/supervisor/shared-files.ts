/**
 * Tells two agents at once that they use the same file: one has written a file that the other one has read or written
 * in this conversation. A model learns of it when it next changes the file, because it must read the file again.
 */
import type { AgentEvent, EventOf } from '../../../shared/agent-event.ts'
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import type { AgentRegistry } from './agent-registry.ts'
import type { LiveAgent } from './live-agent.ts'

export interface FileUser {
  readonly id: string
  state(): AgentState
  emit(draft: { readonly type: 'notice'; readonly level: 'warning'; readonly text: string }): void
  /** Files read or written before the conversation was opened, by real path. */
  readonly seen: ReadonlyMap<string, unknown>
}

/** The agents in memory. */
export const fileUsers = (agents: AgentRegistry): readonly FileUser[] =>
  agents.all().flatMap(({ agent }) => (agent === null ? [] : [userOf(agent)]))

const userOf = (agent: LiveAgent): FileUser => ({
  id: agent.id,
  seen: agent.session.seen,
  state: () => agent.state(),
  emit: (draft) => agent.emit(draft),
})

type Use = 'read' | 'changed'

export class SharedFiles {
  /** By path and agent. */
  private readonly uses = new Map<string, Map<string, Use>>()
  /** Pairs of agents that were told of a file. */
  private readonly told = new Set<string>()
  private readonly agents: () => readonly FileUser[]

  /** @param agents the agents in memory */
  constructor(agents: () => readonly FileUser[]) {
    this.agents = agents
  }

  /** Called with every event of an agent. */
  apply(event: AgentEvent): void {
    if (event.type === 'tool-ended' && event.seen) this.used(event.seen.path, event.agentId, 'read')
    if (event.type === 'files-changed' && event.cause !== 'user') this.changed(event)
  }

  private changed({ agentId, files }: EventOf<'files-changed'>): void {
    const all = this.agents()
    const writer = all.find(({ id }) => id === agentId)
    for (const { path, shown } of files) {
      for (const other of all) {
        const use = this.uses.get(path)?.get(other.id) ?? (other.seen.has(path) ? 'read' : null)
        const pair = [agentId, other.id].sort().join(' ')
        if (other.id === agentId || use === null || this.told.has(`${pair} ${path}`)) continue
        this.told.add(`${pair} ${path}`)
        const had = use === 'read' ? 'read' : 'changed'
        tell(writer, `${nameOf(other)} has ${had} ${shown} too, in the same folder.`)
        tell(
          other,
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

/** An ended agent's transcript stays as it is; its end says what it did. */
function tell(agent: FileUser | undefined, text: string): void {
  if (!agent) return
  const state = agent.state()
  if (isLive(state) || state.parentId === null) agent.emit({ type: 'notice', level: 'warning', text })
}

function nameOf(agent: FileUser): string {
  const { parentId, name, definition } = agent.state()
  return parentId === null ? 'The main agent' : (name ?? definition.name)
}
