/** All agents of an open conversation, in the order in which they were spawned. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { AgentHandle } from './agent-handle.ts'
import type { LiveAgent } from './live-agent.ts'

export class AgentRegistry {
  private readonly mainAgentId: string
  private readonly handles = new Map<string, AgentHandle>()

  constructor(mainAgentId: string) {
    this.mainAgentId = mainAgentId
  }

  add(handle: AgentHandle): void {
    this.handles.set(handle.id, handle)
  }

  get(agentId: string): AgentHandle | null {
    return this.handles.get(agentId) ?? null
  }

  all(): readonly AgentHandle[] {
    return [...this.handles.values()]
  }

  get size(): number {
    return this.handles.size
  }

  /** The main agent; null until it was spawned. */
  get main(): AgentHandle | null {
    return this.get(this.mainAgentId)
  }

  isMain(agentId: string): boolean {
    return agentId === this.mainAgentId
  }

  /** The agents in memory that events may be added to. */
  loaded(): readonly LiveAgent[] {
    return this.all().flatMap(({ agent }) => agent ?? [])
  }

  /** Every run in progress; empty once the conversation has settled. */
  runs(): readonly Promise<unknown>[] {
    return this.all().flatMap(({ done }) => done ?? [])
  }

  states(): readonly AgentState[] {
    return this.all().map((handle) => handle.state())
  }

  state(agentId: string): AgentState | null {
    return this.get(agentId)?.state() ?? null
  }

  /** By id, or by the name given at the spawn; the latest of that name in old logs. `main` is the main agent. */
  find(idOrName: string): AgentState | null {
    const wanted = idOrName.trim()
    return (
      this.state(wanted) ??
      this.states().findLast(({ name }) => name?.toLowerCase() === wanted.toLowerCase()) ??
      (wanted.toLowerCase() === 'main' ? (this.main?.state() ?? null) : null)
    )
  }

  /** Whether `ancestorId` started the agent, directly or through other agents. */
  isBelow(agentId: string, ancestorId: string): boolean {
    for (const id of this.ancestorsOf(agentId)) if (id === ancestorId) return true
    return false
  }

  /** The nearest agent above that runs, else the main agent. */
  nearestRunningAbove(agentId: string): string {
    for (const id of this.ancestorsOf(agentId)) if (this.get(id)?.isRunning) return id
    return this.mainAgentId
  }

  private *ancestorsOf(agentId: string): Generator<string> {
    for (let at = this.state(agentId)?.parentId; at; at = this.state(at)?.parentId) yield at
  }
}
