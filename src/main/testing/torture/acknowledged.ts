/**
 * The printed events that must not be lost. An event is printed when it is appended and flushed later, so printing
 * promises nothing. Every action that follows a flush is a promise:
 *
 * - an answer (or refusal) of the API: everything up to the agent's `request-started` is on disk;
 * - the end of a tool with side effects: everything up to its intent is;
 * - the end of an Agent call: everything up to the end of the started agent is;
 * - the regular end of the process: everything is.
 *
 * A kill keeps all written data, synced or not, so a file that lacks promised events lacked them before the kill.
 */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'

export class Acknowledged {
  /** By agent: the sequence number of its last promised event. */
  private readonly promised = new Map<string, number>()
  private readonly printed: AgentEvent[] = []
  /** By agent: its last `request-started`, its last `agent-ended`. */
  private readonly requests = new Map<string, number>()
  private readonly ends = new Map<string, number>()
  /** By agent and call: the intent. A fork answers calls of its parent without an intent of its own. */
  private readonly intents = new Map<string, number>()

  take(event: AgentEvent): void {
    const { agentId, seq } = event
    this.printed.push(event)
    switch (event.type) {
      case 'request-started':
        this.requests.set(agentId, seq)
        break
      case 'assistant-message':
      case 'request-failed':
        this.promise(agentId, this.requests.get(agentId))
        break
      case 'tool-started':
        if (event.sideEffects) this.intents.set(`${agentId} ${event.toolUseId}`, seq)
        break
      case 'tool-ended':
        this.promise(agentId, this.intents.get(`${agentId} ${event.toolUseId}`))
        if (event.name === 'Agent' && event.display?.kind === 'agent')
          this.promise(event.display.agentId, this.ends.get(event.display.agentId))
        break
      case 'agent-ended':
        this.ends.set(agentId, seq)
        break
    }
  }

  /** Whether the process ended by itself. */
  takeEnd(): void {
    for (const { agentId, seq } of this.printed) this.promise(agentId, seq)
  }

  events(): readonly AgentEvent[] {
    return this.printed.filter(({ agentId, seq }) => seq <= (this.promised.get(agentId) ?? -1))
  }

  private promise(agentId: string, seq: number | undefined): void {
    if (seq !== undefined) this.promised.set(agentId, Math.max(seq, this.promised.get(agentId) ?? -1))
  }
}
