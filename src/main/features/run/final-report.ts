/**
 * The answers of each agent since the user's last message. A later answer to a notice does not replace an earlier
 * answer.
 */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'

/** Stop reasons after which the next message continues the same answer. */
const CONTINUED: ReadonlySet<string> = new Set(['max_tokens', 'pause_turn', 'model_context_window_exceeded'])

interface Said {
  /** The complete answers. */
  readonly answers: readonly string[]
  /** The beginning of an answer whose message was cut off. */
  readonly begun: string
  /** The last text in a message with tool calls; the report of an agent that never answered. */
  readonly remark: string
}

const nothing: Said = { answers: [], begun: '', remark: '' }

export class FinalReports {
  private readonly said = new Map<string, Said>()

  take(event: AgentEvent): void {
    if (event.type === 'user-message' && (event.from === 'user' || event.from === 'parent'))
      this.said.delete(event.agentId)
    if (event.type === 'assistant-message')
      this.said.set(event.agentId, saidAfter(this.said.get(event.agentId) ?? nothing, event))
  }

  of(agentId: string): string {
    const { answers, begun, remark } = this.said.get(agentId) ?? nothing
    const all = begun.trim() === '' ? answers : [...answers, begun]
    return all.length === 0 ? remark : all.join('\n\n')
  }
}

function saidAfter(
  said: Said,
  { content, stopReason }: Extract<AgentEvent, { type: 'assistant-message' }>,
): Said {
  const text = said.begun + textOf(content)
  if (CONTINUED.has(stopReason)) return { ...said, begun: text }
  if (text.trim() === '') return { ...said, begun: '' }
  return stopReason === 'tool_use'
    ? { ...said, begun: '', remark: text }
    : { ...said, begun: '', answers: [...said.answers, text] }
}
