/** What a subagent does, as the content of the call that started it: its last steps, then its report. */
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { callTitleOf, textContent } from '../../platform/acp/tool-calls.ts'

/** The steps that a call shows at most; the oldest are left out. */
const SHOWN_STEPS = 20

interface Child {
  /** The call of the main agent that started this agent, or the agent above it. */
  readonly call: string
  readonly name: string
}

interface Progress {
  readonly steps: string[]
  left: number
  readonly live: Set<string>
  report: { readonly text: string; readonly isError: boolean } | null
}

export class ChildProgress {
  private readonly children = new Map<string, Child>()
  private readonly calls = new Map<string, Progress>()

  /** Whether this call has started agents. */
  has(call: string): boolean {
    return this.calls.has(call)
  }

  /** Whether agents that this call started are at work. */
  isRunning(call: string): boolean {
    return (this.calls.get(call)?.live.size ?? 0) > 0
  }

  /** The update for the call of the main agent, or null if the event changes nothing that it shows. */
  take(event: AgentEvent): ToolCallUpdate | null {
    if (event.type === 'agent-spawned') return this.spawned(event)
    const child = this.children.get(event.agentId)
    const progress = child && this.calls.get(child.call)
    if (!child || !progress) return null
    if (event.type === 'tool-started') this.add(progress, `${child.name}: ${callTitleOf(event)}`)
    else if (event.type === 'agent-ended') {
      progress.live.delete(event.agentId)
      this.add(progress, `${child.name}: ${event.status}`)
      const isError = event.status !== 'completed'
      const text = event.report === '' ? (event.failure?.message ?? '') : event.report
      if (progress.live.size === 0) progress.report = { text, isError }
    } else return null
    return this.updateOf(child.call, progress)
  }

  private spawned(event: Extract<AgentEvent, { type: 'agent-spawned' }>): ToolCallUpdate | null {
    const { agentId, parentId, parentToolUseId, definition, task } = event
    const call = parentId === null ? null : (this.children.get(parentId)?.call ?? parentToolUseId)
    if (call === null) return null
    this.children.set(agentId, { call, name: task === '' ? definition.name : `${definition.name} “${task}”` })
    const progress = this.calls.get(call) ?? { steps: [], left: 0, live: new Set(), report: null }
    this.calls.set(call, progress)
    progress.live.add(agentId)
    this.add(progress, `${this.children.get(agentId)?.name}: started`)
    return this.updateOf(call, progress)
  }

  private add(progress: Progress, step: string): void {
    progress.steps.push(step)
    if (progress.steps.length <= SHOWN_STEPS) return
    progress.steps.shift()
    progress.left++
  }

  private updateOf(call: string, { steps, left, live, report }: Progress): ToolCallUpdate {
    const lines = [...(left > 0 ? [`… ${left} earlier steps`] : []), ...steps].map((line) => `- ${line}`)
    const isOver = live.size === 0 && report !== null
    return {
      toolCallId: call,
      status: isOver ? (report.isError ? 'failed' : 'completed') : 'in_progress',
      content: [
        textContent(lines.join('\n')),
        ...(isOver && report.text !== '' ? [textContent(report.text)] : []),
      ],
    }
  }
}
