/** What the events of a conversation say about changes of files: a fold. */
import type { AgentEvent } from '../../../shared/agent-event.ts'
import type { ChangeCause, ChangeKey, ChangesUndone, FileChange } from '../../../shared/changes.ts'
import { textOf } from '../../../shared/content.ts'
import { isConversationEvent, type LoggedEvent } from '../../../shared/conversation-event.ts'

export interface FactsAgent {
  readonly id: string
  readonly name: string
  readonly color: string
  readonly cwd: string
  /** The path of its own worktree. */
  readonly worktree: string | null
  /** The last commit that was saved in it. */
  readonly head: string | null
}

export interface FactsMessage {
  readonly seq: number
  readonly order: number
  readonly at: number
  readonly text: string
}

/** One event `files-changed`. */
export interface FactsCall {
  readonly agentId: string
  readonly toolUseId: string
  readonly order: number
  readonly at: number
  readonly cause: ChangeCause
  readonly tool: string
  readonly label: string
  /** When the call began. */
  readonly startedAt: number
  readonly files: readonly FileChange[]
  readonly ignored: number
  readonly note: string
}

export interface FactsUndo extends ChangesUndone {
  readonly order: number
  readonly at: number
}

export class ChangeFacts {
  readonly agents = new Map<string, FactsAgent>()
  readonly messages: FactsMessage[] = []
  readonly calls: FactsCall[] = []
  readonly undos: FactsUndo[] = []
  /** The keys of the changes that are undone. */
  readonly undone = new Set<string>()
  mainAgentId = ''
  /** The conversation's folder. */
  folder = ''
  lastOrder = -1
  private readonly started = new Map<
    string,
    { readonly tool: string; readonly label: string; readonly at: number }
  >()

  apply(event: LoggedEvent): void {
    this.lastOrder = Math.max(this.lastOrder, event.order)
    if (!isConversationEvent(event)) this.applyAgent(event)
    else if (event.type === 'conversation-created') {
      this.mainAgentId = event.mainAgentId
      this.folder = event.folder
    } else if (event.type === 'changes-undone') {
      this.undos.push(event)
      for (const key of event.changes.map(keyText))
        if (event.redoOf === null) this.undone.add(key)
        else this.undone.delete(key)
    }
  }

  /** The last undo that is still in effect. */
  get redoable(): FactsUndo | null {
    const redone = new Set(this.undos.map(({ redoOf }) => redoOf))
    return this.undos.findLast(({ undoId, redoOf }) => redoOf === null && !redone.has(undoId)) ?? null
  }

  nameOf(agentId: string): string {
    return this.agents.get(agentId)?.name ?? agentId
  }

  private applyAgent(event: AgentEvent): void {
    const call = 'toolUseId' in event ? `${event.agentId} ${event.toolUseId}` : ''
    switch (event.type) {
      case 'agent-spawned':
        this.agents.set(event.agentId, {
          id: event.agentId,
          name: event.parentId === null ? 'Main agent' : (event.name ?? event.definition.name),
          color: event.definition.color,
          cwd: event.cwd,
          worktree: event.worktree?.own ? event.worktree.path : null,
          head: null,
        })
        return
      case 'work-saved': {
        const agent = this.agents.get(event.agentId)
        if (agent) this.agents.set(agent.id, { ...agent, head: event.work.head })
        return
      }
      case 'user-message':
        if (event.from === 'user' && event.agentId === this.mainAgentId)
          this.messages.push({
            seq: event.seq,
            order: event.order,
            at: event.at,
            text: textOf(event.content),
          })
        return
      case 'tool-started':
        // A command in the background changes files after its result, so calls are not forgotten at their end.
        if (!event.sideEffects) return
        this.started.set(call, { tool: event.name, label: event.summary, at: event.at })
        return
      case 'files-changed': {
        const { tool, label, at: startedAt } = this.started.get(call) ?? { tool: '', label: '', at: event.at }
        const { agentId, toolUseId, order, at, cause, files, ignored, note } = event
        this.calls.push({
          agentId,
          toolUseId,
          order,
          at,
          cause,
          tool,
          label,
          startedAt,
          files,
          ignored,
          note,
        })
      }
    }
  }
}

export const keyText = ({ agentId, toolUseId, path }: ChangeKey): string =>
  `${agentId}\0${toolUseId}\0${path}`
