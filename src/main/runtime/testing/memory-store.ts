/** A transcript store in memory, with the disk's moods on demand. */
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/agent-state.ts'
import type { ConversationRecord } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { ConversationLog, TranscriptStore } from '../ports.ts'

export interface MemoryStore extends TranscriptStore {
  readonly records: Map<string, ConversationRecord>
  readonly logs: Map<string, AgentEvent[]>
  /** How many events of an agent a crash now would leave. */
  readonly flushed: Map<string, number>
  /** While set, flushing fails with these words. */
  trouble: string | null
  /** What the disk holds: what was flushed, and nothing else. */
  afterCrash(): MemoryStore
}

export function createMemoryStore(): MemoryStore {
  const records = new Map<string, ConversationRecord>()
  const logs = new Map<string, AgentEvent[]>()
  const flushed = new Map<string, number>()
  const eventsOf = (id: string): AgentEvent[] => logs.get(id) ?? []

  const store: MemoryStore = {
    records,
    logs,
    flushed,
    trouble: null,
    list: async () => [...records.values()],
    read: async (id) => found(records.get(id)),
    states: async (ids) =>
      ok(
        ids.flatMap((id) => {
          const state = eventsOf(id).reduce<AgentState | null>(foldAgent, null)
          return state ? [state] : []
        }),
      ),
    lockedByOther: async () => false,
    events: async function* (id) {
      // What waits is written before it is read.
      yield ok([...eventsOf(id)])
    },
    page: async (id) => ok({ events: [...eventsOf(id)], total: eventsOf(id).length }),
    open: async (record) => {
      if (!records.has(record.id)) records.set(record.id, record)
      return ok(logOf(records.get(record.id) ?? record))
    },
    trash: async (id) => (records.delete(id) ? ok(undefined) : fail(missing)),
    restore: async () => fail(missing),
    rename: async (id, title) => {
      const record = records.get(id)
      if (!record) return fail(missing)
      records.set(id, { ...record, title, named: true })
      return ok(undefined)
    },
    toolOutput: async () => fail(missing),
    afterCrash: () => {
      const copy = createMemoryStore()
      for (const [id, record] of records) copy.records.set(id, structuredClone(record))
      for (const [id, events] of logs) {
        const kept = events.slice(0, flushed.get(id) ?? 0)
        copy.logs.set(id, kept)
        copy.flushed.set(id, kept.length)
      }
      return copy
    },
  }

  function logOf(record: ConversationRecord): ConversationLog {
    return {
      record,
      save: async (next) => {
        records.set(next.id, structuredClone(next))
        return ok(undefined)
      },
      append: (event) => {
        const log = logs.get(event.agentId)
        if (log) log.push(event)
        else logs.set(event.agentId, [event])
      },
      flush: async (id) => {
        if (store.trouble !== null) return fail({ type: 'io', message: store.trouble })
        flushed.set(id, eventsOf(id).length)
        return ok(undefined)
      },
      keepOutput: async (agentId, toolUseId) => ok(`tasks/${agentId}/tool-results/${toolUseId}.txt`),
      transcriptPath: (agentId) => `/data/tasks/${agentId}/transcript.jsonl`,
      close: async () => {},
    }
  }
  return store
}

const missing = { type: 'not-found', message: 'There is no such conversation.' }

function found<T>(value: T | undefined): Result<T> {
  return value === undefined ? fail(missing) : ok(value)
}
