/**
 * The transcript that hooks read. People's scripts look for lines with `type` and an API `message`, so an agent's
 * messages are also kept in that form, in a file beside its log that is brought up to date before a hook runs.
 */
import { appendFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentEvent, Usage } from '../../../shared/events/agent-event.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import type { InterceptionSubject } from '../../runtime/ports/interceptors.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'

/** @returns the path of the file, up to date; the path of the agent's log if that fails */
export type ScriptTranscripts = (agent: InterceptionSubject) => Promise<string>

/** Events read at a time. */
const PAGE = 200

export function createScriptTranscripts({ page }: Pick<TranscriptStore, 'page'>): ScriptTranscripts {
  const lock = new KeyedLock()
  /** The events that each file has, of those that this process wrote. */
  const written = new Map<string, number>()

  /** The events from number `from`, oldest first, and the number of the next event; null: they can't be read. */
  async function since(agentId: string, from: number) {
    let events: readonly AgentEvent[] = []
    let next: number | null = null
    for (;;) {
      const read = await page(agentId, { before: events[0]?.seq ?? null, limit: PAGE })
      if (!read.ok) return null
      next ??= read.value.total
      events = [...read.value.events, ...events]
      if (read.value.events.length === 0 || (events[0]?.seq ?? 0) <= from)
        return { next, events: events.filter(({ seq }) => seq >= from) }
    }
  }

  return (agent) =>
    lock.withLock(agent.id, async () => {
      const path = join(dirname(agent.transcriptPath), 'messages.jsonl')
      try {
        const had = written.get(agent.id)
        const read = await since(agent.id, had ?? 0)
        if (read === null) return agent.transcriptPath
        const lines = read.events
          .flatMap((event) => transcriptLinesOf(event, agent))
          .map((line) => `${JSON.stringify(line)}\n`)
        if (had === undefined) await writeFile(path, lines.join(''), { mode: 0o600 })
        else if (lines.length > 0) await appendFile(path, lines.join(''))
        written.set(agent.id, read.next)
        return path
      } catch {
        written.delete(agent.id)
        return agent.transcriptPath
      }
    })
}

type Line = Readonly<Record<string, unknown>>

/** An event as a line; most events are none. */
export function transcriptLinesOf(event: AgentEvent, agent: InterceptionSubject): readonly Line[] {
  const line = (type: 'user' | 'assistant', message: object, more: object = {}): readonly Line[] => [
    {
      type,
      uuid: `${event.agentId}-${event.seq}`,
      timestamp: new Date(event.at).toISOString(),
      sessionId: agent.conversationId,
      cwd: agent.cwd,
      // Scripts leave out lines of subagents by this field.
      isSidechain: agent.parentId !== null,
      agentId: event.agentId,
      message,
      ...more,
    },
  ]
  switch (event.type) {
    case 'user-message':
      return line('user', { role: 'user', content: event.content }, { isMeta: event.from === 'runtime' })
    case 'context-compacted':
      return line('user', { role: 'user', content: event.summary }, { isCompactSummary: true })
    case 'assistant-message': {
      const { messageId, model, content, stopReason } = event
      const message = { id: messageId, type: 'message', role: 'assistant', model, content }
      return line('assistant', { ...message, stop_reason: stopReason, usage: usageOf(event.usage) })
    }
    case 'tool-ended': {
      const { toolUseId, content, isError } = event
      const result = { type: 'tool_result', tool_use_id: toolUseId, content, is_error: isError }
      return line('user', { role: 'user', content: [result] }, { toolUseResult: content })
    }
    default:
      return []
  }
}

const usageOf = ({ input, output, cacheRead, cacheWrite, cacheWriteHour = 0 }: Usage) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
  cache_creation: {
    ephemeral_5m_input_tokens: cacheWrite - cacheWriteHour,
    ephemeral_1h_input_tokens: cacheWriteHour,
  },
})
