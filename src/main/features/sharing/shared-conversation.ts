/**
 * A conversation as it is shared: read in batches, without the agents that are left out, and cleaned. What goes out is
 * counted on the way, so that a first reading tells what a file would have in it.
 */
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { isConversationEvent, type LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type CleanValue, createCleaner } from '../../../shared/sharing/clean-value.ts'
import type { MaskedPlace, SharePreview } from '../../../shared/sharing/sharing.ts'
import { agentNames, nameText } from '../../../shared/state/agent-names.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'

/** What the user wants to share of a conversation. */
export interface Sharing {
  readonly conversationId: string
  /** Agents to leave out, with all below them: ids, names or types. */
  readonly without: readonly string[]
  /** Whether the home folder stays in paths. */
  readonly keepPaths: boolean
}

/** What is counted while a conversation is read. */
type Inventory = Pick<SharePreview, 'agents' | 'events' | 'files' | 'fileCount' | 'secrets' | 'places'>

export interface SharedConversation {
  /** Cleaned, without the agents that are left out. */
  readonly record: ConversationRecord
  /** Those that are not left out, the parents before their subagents. Their states are cleaned. */
  readonly states: readonly AgentState[]
  readonly nameOf: (agentId: string) => string
  /** All events by order, in batches. A damaged log ends the reading with a failure that names the line. */
  events(): AsyncGenerator<Result<readonly LoggedEvent[]>>
  /** The events of one agent. */
  eventsOf(agentId: string): AsyncGenerator<Result<readonly AgentEvent[]>>
  /** The text of the first message to an agent; null: it has none. Not counted. */
  firstMessage(agentId: string): Promise<string | null>
  /** The whole output of a call, where the event has only its head and tail; null: it was not kept. */
  output(event: AgentEvent): Promise<{ readonly name: string; readonly text: string } | null>
  /** What was read so far. */
  inventory(): Inventory
}

type Store = Pick<TranscriptStore, 'read' | 'states' | 'events' | 'readConversation' | 'toolOutput'>

interface Reading {
  readonly store: Store
  readonly secrets: readonly string[]
  readonly home: string
  /** Called with the part that was read, from 0 to 1. */
  readonly onRead?: (part: number) => void
}

/** Fails with `not-found`, `no-agent` or `main-agent`, or as the store does. */
export async function openShared(
  { conversationId, without, keepPaths }: Sharing,
  { store, secrets, home, onRead = () => {} }: Reading,
): Promise<Result<SharedConversation>> {
  const record = await store.read(conversationId)
  if (!record.ok) return record
  const read = await store.states(record.value.agentIds)
  if (!read.ok) return read
  const states = inTreeOrder(read.value)
  const names = agentNames(states)
  const nameOf = (id: string) => nameText(names.get(id) ?? { title: id, letter: null })
  const left = leftOut(without, { states, nameOf, mainAgentId: record.value.mainAgentId })
  if (!left.ok) return left
  const clean = createCleaner({ secrets, home: keepPaths ? null : home })
  const count = createInventory()
  const isLeft = (id: string) => left.value.has(id)
  const total = states.reduce((sum, { id, lastSeq }) => sum + (isLeft(id) ? 0 : lastSeq + 1), 0)

  function cleaned<E extends LoggedEvent>(events: readonly E[]): E[] {
    onRead(Math.min(1, count.events() / Math.max(1, total)))
    return events.map((event) => {
      count.event(event)
      return clean(event, (found) => count.secrets({ ...placeOf(event), ...found }))
    })
  }

  return ok({
    record: { ...clean(record.value), agentIds: record.value.agentIds.filter((id) => !isLeft(id)) },
    states: states.filter(({ id }) => !isLeft(id)).map((state) => clean(state)),
    nameOf: (id) => clean(nameOf(id)),
    async *events() {
      let seq = 0
      for await (const batch of store.readConversation(conversationId)) {
        if (!batch.ok) return yield batch
        const kept = batch.value.filter((event) => !agentsIn(event).some(isLeft))
        // Without the events that are left out, the log of the conversation has no gaps either.
        const numbered = kept.map((event) =>
          isConversationEvent(event) ? withoutImport({ ...event, seq: seq++ }) : event,
        )
        yield ok(cleaned(numbered))
      }
    },
    async *eventsOf(agentId) {
      for await (const batch of store.events(agentId)) {
        yield batch.ok ? ok(cleaned(batch.value)) : batch
        if (!batch.ok) return
      }
    },
    async firstMessage(agentId) {
      for await (const batch of store.events(agentId)) {
        if (!batch.ok) return null
        const first = batch.value.find((event) => event.type === 'user-message' && event.from !== 'runtime')
        if (first?.type !== 'user-message') continue
        const [text] = first.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
        return clean(text ?? '')
      }
      return null
    },
    async output(event) {
      const kept = 'outputFile' in event ? event.outputFile : null
      const name = /([A-Za-z0-9_-]+)\.txt$/.exec(kept?.path ?? '')?.[1]
      const text = name === undefined ? null : await store.toolOutput(event.agentId, name)
      if (name === undefined || text === null || !text.ok) return null
      const place = { ...placeOf(event), what: `whole ${placeOf(event).what}` }
      return { name, text: clean(text.value, (found) => count.secrets({ ...place, ...found })) }
    },
    inventory: () => ({
      agents: states.map((state) => ({
        id: state.id,
        parentId: state.parentId,
        name: clean(nameOf(state.id)),
        type: state.definition.name,
        status: state.status,
        depth: state.depth,
        left: isLeft(state.id),
        events: count.of(state.id),
      })),
      ...count.all(clean),
    }),
  })
}

/** What says of a conversation that it came from a file is not part of what is shared. */
const withoutImport = <T extends object>(value: T): T => {
  if (!('imported' in value)) return value
  const { imported: _, ...rest } = value
  return rest as T
}

/** Depth first, so that an agent comes right after its parent and what is below earlier siblings. */
function inTreeOrder(states: readonly AgentState[]): readonly AgentState[] {
  const known = new Set(states.map(({ id }) => id))
  const children = new Map<string | null, AgentState[]>()
  for (const state of states) {
    const parentId = state.parentId !== null && known.has(state.parentId) ? state.parentId : null
    children.set(parentId, [...(children.get(parentId) ?? []), state])
  }
  const below = (parentId: string | null): readonly AgentState[] =>
    (children.get(parentId) ?? []).flatMap((state) => [state, ...below(state.id)])
  return below(null)
}

/** The ids of the agents that are left out, with all below them. */
function leftOut(
  wanted: readonly string[],
  {
    states,
    nameOf,
    mainAgentId,
  }: {
    readonly states: readonly AgentState[]
    readonly nameOf: (id: string) => string
    readonly mainAgentId: string
  },
): Result<ReadonlySet<string>> {
  const left = new Set<string>()
  for (const one of wanted) {
    const named = states.filter(({ id, name }) => id === one || name === one || nameOf(id) === one)
    const found = named.length > 0 ? named : states.filter(({ definition }) => definition.name === one)
    if (found.length === 0)
      return fail({
        type: 'no-agent',
        message: `No agent "${one}" is in this conversation. Its agents: ${states.map(({ id }) => nameOf(id)).join(', ')}.`,
      })
    if (found.some(({ id }) => id === mainAgentId))
      return fail({
        type: 'main-agent',
        message: 'The main agent can’t be left out: all other agents belong to it. Leave out subagents.',
      })
    for (const { id } of found) left.add(id)
  }
  // Parents come first.
  for (const { id, parentId } of states) if (parentId !== null && left.has(parentId)) left.add(id)
  return ok(left)
}

/** The agents that an event belongs to. */
function agentsIn(event: LoggedEvent): readonly string[] {
  if (event.type === 'message-queued') return [event.message.agentId]
  return 'agentId' in event ? [event.agentId] : []
}

const placeOf = (event: LoggedEvent): Pick<MaskedPlace, 'agentId' | 'seq' | 'what'> => ({
  agentId: isConversationEvent(event) ? null : event.agentId,
  seq: event.seq,
  what: whatOf(event),
})

function whatOf(event: LoggedEvent): string {
  switch (event.type) {
    case 'tool-started':
      return `input of ${event.name}`
    case 'tool-ended':
      return `output of ${event.name}`
    case 'assistant-message':
      return 'answer of the model'
    case 'user-message':
    case 'message-queued':
      return 'message'
    case 'agent-spawned':
      return 'instructions and tools'
    default:
      return event.type.replaceAll('-', ' ')
  }
}

/** More are counted and not listed. */
const MOST_LISTED = 500

function createInventory() {
  let events = 0
  let secretCount = 0
  const byAgent = new Map<string, number>()
  const files = new Set<string>()
  const places: MaskedPlace[] = []
  return {
    event(event: LoggedEvent) {
      events++
      if (isConversationEvent(event)) return
      byAgent.set(event.agentId, (byAgent.get(event.agentId) ?? 0) + 1)
      for (const path of pathsIn(event)) files.add(path)
    },
    secrets(place: MaskedPlace) {
      secretCount += place.count
      if (places.length < MOST_LISTED) places.push(place)
    },
    events: () => events,
    of: (agentId: string) => byAgent.get(agentId) ?? 0,
    all: (clean: CleanValue) => ({
      events,
      secrets: secretCount,
      places: [...places],
      fileCount: files.size,
      files: [...files].slice(0, MOST_LISTED).map((path) => clean(path)),
    }),
  }
}

/** The files that an event names: those of calls, and those that changed. */
function pathsIn(event: AgentEvent): readonly string[] {
  if (event.type === 'files-changed') return event.files.map(({ path }) => path)
  return event.type === 'tool-started' ? pathsOfInput(event) : []
}

const PATH_FIELDS = ['file_path', 'notebook_path', 'path'] as const

function pathsOfInput({ input }: EventOf<'tool-started'>): readonly string[] {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Readonly<
    Record<string, unknown>
  >
  return PATH_FIELDS.flatMap((name) => (typeof fields[name] === 'string' ? [fields[name]] : []))
}
