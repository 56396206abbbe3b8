/** A transcript store in memory that fails on demand. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import {
  type ConversationEvent,
  eventsOfRecord,
  isConversationEvent,
  type LoggedEvent,
} from '../../../shared/events/conversation-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { emptyConversation, foldConversation, foldRecord } from '../../../shared/state/conversation-state.ts'
import type { ConversationLog, TranscriptStore } from '../ports/transcripts.ts'

export interface MemoryStore extends TranscriptStore {
  readonly records: Map<string, ConversationRecord>
  readonly logs: Map<string, AgentEvent[]>
  /** The number of an agent's events that survive a crash now. */
  readonly flushed: Map<string, number>
  /** While set, flushing fails with this message. */
  trouble: string | null
  /** A store with only the flushed events. */
  afterCrash(): MemoryStore
}

export function createMemoryStore(): MemoryStore {
  const records = new Map<string, ConversationRecord>()
  const trashed = new Map<string, ConversationRecord>()
  const logs = new Map<string, AgentEvent[]>()
  const flushed = new Map<string, number>()
  /** The conversations' own logs, of those that were opened here. */
  const ownLogs = new Map<string, ConversationEvent[]>()
  const eventsOf = (id: string): AgentEvent[] => logs.get(id) ?? []
  const statesOf = (ids: readonly string[]): AgentState[] =>
    ids.flatMap((id) => eventsOf(id).reduce<AgentState | null>(foldAgent, null) ?? [])
  const ownLog = (record: ConversationRecord): ConversationEvent[] => {
    const orders = record.agentIds.map((id) => eventsOf(id).at(-1)?.order ?? 0)
    return ownLogs.get(record.id) ?? [...eventsOfRecord(record, 1 + Math.max(0, ...orders))]
  }
  /** By order. */
  const allEvents = (record: ConversationRecord): LoggedEvent[] => {
    const own = ownLog(record)
    const { agentIds } = own.reduce(foldRecord, null) ?? record
    return [...own, ...agentIds.flatMap(eventsOf)].sort((a, b) => a.order - b.order)
  }

  const store: MemoryStore = {
    records,
    logs,
    flushed,
    trouble: null,
    list: async () => [...records.values()],
    read: async (id) => found(records.get(id)),
    states: async (ids) => ok(statesOf(ids)),
    drain: async () => {},
    lockedByOther: async () => false,
    events: async function* (id) {
      yield ok([...eventsOf(id)])
    },
    page: async (id, { before, limit }) => {
      const events = eventsOf(id)
      const earlier = before === null ? events : events.filter(({ seq }) => seq < before)
      return ok({ events: limit === 0 ? [] : earlier.slice(-limit), total: events.length })
    },
    readConversation: async function* (id, { from = 0, to = Infinity } = {}) {
      const record = records.get(id)
      if (!record) return yield fail(missing)
      yield ok(allEvents(record).filter(({ order }) => order >= from && order <= to))
    },
    stateAt: async (id, to) => {
      const record = records.get(id)
      if (!record) return fail(missing)
      const events = allEvents(record).filter(({ order }) => order <= to)
      return ok(foldConversation(emptyConversation, events))
    },
    open: async (given, follower) => {
      const record = records.get(given.id) ?? given
      records.set(record.id, record)
      if (follower) follower.take([...eventsOf(follower.agentId)])
      return ok(logOf(record))
    },
    trash: async (id) => (move(id, records, trashed) ? ok(undefined) : fail(missing)),
    restore: async (id) => (move(id, trashed, records) ? ok(undefined) : fail(missing)),
    amend: async (id, { type: _, ...change }) => {
      const record = records.get(id)
      if (!record) return fail(missing)
      records.set(id, { ...record, ...change })
      ownLogs.delete(id)
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

  function logOf(opened: ConversationRecord): ConversationLog {
    let record = opened
    const own = ownLog(opened)
    ownLogs.set(opened.id, own)
    return {
      get record() {
        return record
      },
      next: { seq: own.length, order: 1 + (allEvents(opened).at(-1)?.order ?? 0) },
      states: statesOf(opened.agentIds),
      save: async () => {
        records.set(record.id, structuredClone(record))
        return ok(undefined)
      },
      append: (event) => {
        if (isConversationEvent(event)) {
          record = foldRecord(record, event) ?? record
          own.push(event)
          return
        }
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
      outputFolder: (agentId) => `/data/tasks/${agentId}/tool-results`,
      transcriptPath: (agentId) => `/data/tasks/${agentId}/transcript.jsonl`,
      close: async () => {},
    }
  }
  return store
}

type Records = Map<string, ConversationRecord>

function move(id: string, from: Records, to: Records): boolean {
  const record = from.get(id)
  if (record) to.set(id, record)
  return from.delete(id)
}

const missing = { type: 'not-found', message: 'Conversation not found.' }

function found<T>(value: T | undefined): Result<T> {
  return value === undefined ? fail(missing) : ok(value)
}
