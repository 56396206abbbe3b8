/** What the events of a conversation say about changes of files: a fold. */

import type { ChangeCause, ChangesUndone, FileChange, FileSide } from '../../../shared/changes/changes.ts'
import { keyText } from '../../../shared/changes/changes-amounts.ts'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { isConversationEvent, type LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { keyOf } from './file-states.ts'

export interface FactsAgent {
  readonly id: string
  readonly name: string
  /** What it was started for, in a few words. */
  readonly task: string
  readonly color: string
  readonly cwd: string
  /** The path of its own worktree. */
  readonly worktree: string | null
  /** The last commit that was saved in it. */
  readonly head: string | null
  /** Whether a worker on another machine carries it out. */
  readonly isElsewhere: boolean
}

interface FactsMessage {
  /** A branch has its message with the same id. */
  readonly id: string
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
  /** The former content is kept on another machine. */
  readonly isElsewhere: boolean
}

/** The last logged step of a file from one state to another. */
interface Step {
  readonly before: FileSide | null
  readonly after: FileSide | null
  /** Null: an undo. */
  readonly call: FactsCall | null
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
  /** By path. */
  private readonly last = new Map<string, Step>()
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
      for (const { path, before, after } of event.files) this.last.set(path, { before, after, call: null })
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

  /** The agent's name, or its task if another agent has the name too. */
  nameOf(agentId: string): string {
    const agent = this.agents.get(agentId)
    if (agent === undefined) return agentId
    return this.isShared(agent) && agent.task !== '' ? agent.task : agent.name
  }

  /** The name for a sentence: a task is in quotes. */
  quotedName(agentId: string): string {
    const name = this.nameOf(agentId)
    return name === (this.agents.get(agentId)?.name ?? agentId) ? name : `“${name}”`
  }

  /** Whether another agent has the same name. */
  isShared({ id, name }: FactsAgent): boolean {
    return [...this.agents.values()].some((other) => other.id !== id && other.name === name)
  }

  private applyAgent(event: AgentEvent): void {
    const call = 'toolUseId' in event ? `${event.agentId} ${event.toolUseId}` : ''
    switch (event.type) {
      case 'agent-spawned':
        this.agents.set(event.agentId, {
          id: event.agentId,
          name: event.parentId === null ? 'Main agent' : (event.name ?? event.definition.name),
          task: event.task,
          color: event.definition.color,
          cwd: event.cwd,
          worktree: event.worktree?.own ? event.worktree.path : null,
          head: null,
          isElsewhere: event.backing === 'remote',
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
            id: event.messageId,
            seq: event.seq,
            order: event.order,
            at: event.at,
            text: event.typed ?? textOf(event.content),
          })
        return
      case 'tool-started':
        // A background command changes files after its result, so ended calls are kept.
        if (!event.sideEffects) return
        this.started.set(call, { tool: event.name, label: event.summary, at: event.at })
        return
      case 'files-changed': {
        const { tool, label, at: startedAt } = this.started.get(call) ?? { tool: '', label: '', at: event.at }
        const { agentId, toolUseId, order, at, cause, ignored, note } = event
        const isElsewhere = this.agents.get(agentId)?.isElsewhere ?? false
        const facts = {
          agentId,
          toolUseId,
          order,
          at,
          cause,
          tool,
          label,
          startedAt,
          ignored,
          note,
          isElsewhere,
        }
        this.add({ ...facts, files: event.files })
      }
    }
  }

  /**
   * Several programs can carry out agents of one conversation, and each may record the same step of a file. The most
   * specific record stays: a tool's, then a command's, then the user's.
   */
  private add(call: FactsCall): void {
    const own = call.files.filter((file) => {
      const last = this.last.get(file.path)
      if (last === undefined || !isSameStep(last, file)) return true
      if (call.cause === 'user') return false
      // A file that changed back and forth in between had two separate steps.
      if (last.call === null || (last.call.cause !== 'user' && call.startedAt > last.call.at)) return true
      if (RANK[call.cause] <= RANK[last.call.cause]) return false
      this.drop(last.call, file.path)
      return true
    })
    const added = { ...call, files: own }
    for (const { path, before, after } of own) this.last.set(path, { before, after, call: added })
    this.calls.push(added)
  }

  private drop({ agentId, toolUseId, order }: FactsCall, path: string): void {
    const index = this.calls.findLastIndex(
      (call) => call.order === order && call.agentId === agentId && call.toolUseId === toolUseId,
    )
    const found = this.calls[index]
    if (found) this.calls[index] = { ...found, files: found.files.filter((file) => file.path !== path) }
  }
}

const RANK: Readonly<Record<ChangeCause, number>> = { user: 0, command: 1, tool: 2 }

const isSameStep = (one: Omit<Step, 'call'>, other: Omit<Step, 'call'>): boolean =>
  keyOf(one.before) === keyOf(other.before) && keyOf(one.after) === keyOf(other.after)
