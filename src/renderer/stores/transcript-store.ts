/**
 * The transcripts of panels. A panel opens its agent's transcript with `useTranscript`. The store counts the panels of
 * each transcript, requests live events from the main process, and keeps the last few closed transcripts.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { AgentEvent, LiveEvent } from '../../shared/events/agent-event.ts'
import type { TranscriptRow } from '../../shared/events/transcript-row.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { TranscriptRows } from '../../shared/transcript/transcript-rows.ts'
import { command } from '../bridge.ts'
import { appendLive, type LiveBlock, liveBlocks } from './live-blocks.ts'

/** The number of closed transcripts to keep, so that switching back is instant. */
const KEPT_CLOSED = 12

interface Entry {
  readonly transcript: LoadedTranscript
  viewers: number
}

/** The transcript of an agent, open and current while the component is mounted. */
export function useTranscript(agentId: string): TranscriptView {
  const { transcript } = opened.of(agentId)
  useEffect(() => opened.retain(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, transcript.getView)
}

/** A part of an agent's transcript: re-renders when `select` returns another value. */
export function useTranscriptPart<T>(agentId: string, select: (view: TranscriptView) => T): T {
  const { transcript } = opened.of(agentId)
  useEffect(() => opened.retain(agentId), [agentId])
  return useSyncExternalStore(transcript.subscribe, () => select(transcript.getView()))
}

/** The transcript for callers that load more of it, or decide themselves when to render. */
export function transcriptOf(agentId: string): LoadedTranscript {
  return opened.of(agentId).transcript
}

/** The output of a running tool so far. */
export function useLiveOutput(agentId: string, toolUseId: string): string {
  const { transcript } = opened.of(agentId)
  return useSyncExternalStore(transcript.subscribe, () => transcript.output(toolUseId))
}

/** Applies a batch; each transcript notifies its panel once. */
export function receiveTranscripts(deltas: readonly WindowDelta[]): void {
  const touched = new Set<LoadedTranscript>()
  for (const delta of deltas) {
    if (delta.type !== 'event' && delta.type !== 'live') continue
    const entry = opened.known(delta.conversationId, delta.event.agentId)
    if (entry === undefined) continue
    if (delta.type === 'event') entry.transcript.receive(delta.event)
    else if (entry.viewers > 0) entry.transcript.receiveLive(delta.event)
    touched.add(entry.transcript)
  }
  for (const transcript of touched) transcript.publish()
}

/** Drops all transcripts, because another conversation is shown. */
export function resetTranscripts(next: string | null): void {
  opened.reset(next)
}

/** The transcripts of the shown conversation, with the number of their panels. */
class OpenedTranscripts {
  private conversationId: string | null = null
  /** Ordered by the last use, so that the first closed transcript is dropped first. */
  private readonly entries = new Map<string, Entry>()
  private isReportDue = false

  reset(next: string | null): void {
    this.conversationId = next
    this.entries.clear()
  }

  known(conversationId: string, agentId: string): Entry | undefined {
    return conversationId === this.conversationId ? this.entries.get(agentId) : undefined
  }

  of(agentId: string): Entry {
    const found = this.entries.get(agentId)
    if (found !== undefined) return found
    const { conversationId } = this
    const entry = {
      transcript: new LoadedTranscript({ conversationId: conversationId ?? '', agentId }),
      viewers: 0,
    }
    this.entries.set(agentId, entry)
    return entry
  }

  /** Counts a panel until the returned function is called. */
  retain(agentId: string): () => void {
    const entry = this.of(agentId)
    entry.viewers += 1
    if (entry.viewers === 1) {
      this.entries.delete(agentId)
      this.entries.set(agentId, entry)
      this.reportWatched()
      queueMicrotask(() => void entry.transcript.open())
    }
    return () => {
      entry.viewers -= 1
      if (entry.viewers > 0) return
      entry.transcript.rest()
      this.forgetOldest()
      this.reportWatched()
    }
  }

  /** Sends the watched agents to the main process, once for all changes of a task. */
  private reportWatched(): void {
    if (this.isReportDue) return
    this.isReportDue = true
    queueMicrotask(() => {
      this.isReportDue = false
      const { conversationId } = this
      if (conversationId === null) return
      const agentIds = [...this.entries].flatMap(([agentId, { viewers }]) => (viewers > 0 ? [agentId] : []))
      void command('agent.watch', { conversationId, agentIds })
    })
  }

  private forgetOldest(): void {
    const closed = [...this.entries].filter(([, entry]) => entry.viewers === 0)
    for (const [agentId] of closed.slice(0, Math.max(0, closed.length - KEPT_CLOSED)))
      this.entries.delete(agentId)
  }
}

const opened = new OpenedTranscripts()

/**
 * The transcript of one agent for a panel: rows that grow in place, streaming blocks, and older pages on demand.
 * Events are applied by number: duplicates are dropped, and a gap loads the page again.
 */
const FIRST_PAGE = 400
const OLDER_PAGE = 1000
/** Characters of a running tool's output that the window keeps; the log has all of it. */
const OUTPUT_KEPT = 64_000

/** The view of a panel; a new object after each change. */
export interface TranscriptView {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly failure: string | null
  /** The same array until an older page is added. It grows in place; `version` changes each time. */
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** The blocks of the streaming message. */
  readonly live: readonly LiveBlock[]
  /** The blocks that streamed before the request failed: shown as discarded until the retry streams. */
  readonly discarded: readonly LiveBlock[]
  /** Whether older events remain to be loaded. */
  readonly older: boolean
  readonly loadingOlder: boolean
}

interface AgentPlace {
  readonly conversationId: string
  readonly agentId: string
}

const EMPTY: TranscriptView = {
  phase: 'loading',
  failure: null,
  rows: [],
  version: 0,
  live: [],
  discarded: [],
  older: false,
  loadingOlder: false,
}

export class LoadedTranscript {
  private readonly position: AgentPlace
  private view = EMPTY
  private rows = new TranscriptRows()
  private events: AgentEvent[] = []
  private readonly outputs = new Map<string, string>()
  private readonly listeners = new Set<() => void>()
  /** Events that arrive while a page loads; null while none loads. */
  private held: AgentEvent[] | null = null
  /** The message is finished but its event has not arrived: the live blocks stay until then to avoid a flicker. */
  private finished = false
  private changed = false
  /** The older pages that load; null: none. */
  private olderPages: Promise<void> | null = null

  constructor(position: AgentPlace) {
    this.position = position
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly getView = (): TranscriptView => this.view

  /** The output of a running tool so far, at least its last 64,000 characters. */
  output(toolUseId: string): string {
    return this.outputs.get(toolUseId) ?? ''
  }

  /** Loads the newest page, or the events since the panel was last open. */
  async open(): Promise<void> {
    if (this.held !== null) return
    this.held = []
    const answer = await command('agent.transcript', { ...this.position, before: null, limit: FIRST_PAGE })
    const { held } = this
    this.held = null
    if (!answer.ok) {
      this.show({ phase: this.events.length === 0 ? 'failed' : 'ready', failure: answer.failure.message })
      this.publish()
      return
    }
    const page = answer.value
    this.takeNewest(page.events, page.older)
    for (const event of held) this.take(event)
    this.finished = false
    this.outputs.clear()
    this.show({ phase: 'ready', failure: null, live: liveBlocks(page.live), discarded: NO_BLOCKS })
    for (const event of page.live) if (event.type === 'live-output') this.receiveLive(event)
    this.publish()
  }

  /** Loads the page before the first row. Resolves once it is shown. */
  loadOlder(): Promise<void> {
    return this.loadBackTo((this.events[0]?.seq ?? 0) - 1)
  }

  /** Loads all older pages, for a search over the whole transcript. */
  loadAll(): Promise<void> {
    return this.loadBackTo(0)
  }

  /** Loads older pages until the event of this number is there. Resolves once they are shown, all at once. */
  async loadBackTo(sequence: number): Promise<void> {
    while (this.view.older && (this.events[0]?.seq ?? 0) > sequence) {
      const before = this.events[0]
      this.olderPages ??= this.loadPages(sequence).finally(() => {
        this.olderPages = null
      })
      await this.olderPages
      if (this.events[0] === before) return
    }
  }

  private async loadPages(sequence: number): Promise<void> {
    const [first] = this.events
    if (first === undefined) return
    this.show({ loadingOlder: true, failure: null })
    this.publish()
    const pages: (readonly AgentEvent[])[] = []
    let [start, older] = [first.seq, true]
    while (older && start > sequence) {
      const answer = await command('agent.transcript', { ...this.position, before: start, limit: OLDER_PAGE })
      if (!answer.ok) this.show({ failure: answer.failure.message })
      const page = answer.ok ? answer.value.events.filter(({ seq }) => seq < start) : []
      const [earliest] = page
      if (answer.ok) ({ older } = answer.value)
      if (earliest === undefined) break
      pages.push(page)
      start = earliest.seq
    }
    // One rebuild for all pages: each costs as much as all rows.
    if (this.events[0] === first && (pages.length > 0 || !older)) {
      this.rebuild([...pages.reverse().flat(), ...this.events])
      this.show({ older })
    }
    this.show({ loadingOlder: false })
    this.publish()
  }

  /** The indexes of the rows that an event added or changed, or the last event before it that has rows. */
  rowsOfEvent(sequence: number): readonly number[] {
    for (let at = this.events.findLastIndex(({ seq }) => seq <= sequence); at >= 0; at--) {
      const event = this.events[at]
      const indexes = event === undefined ? [] : this.rows.changedBy(event)
      if (indexes.length > 0) return indexes
    }
    return []
  }

  /** Applies one durable event; `publish` shows it. */
  receive(event: AgentEvent): void {
    if (this.held !== null) {
      this.held.push(event)
      return
    }
    if (event.seq > this.lastSeq() + 1) {
      void this.open()
      this.receive(event)
      return
    }
    this.take(event)
  }

  /** Applies one live event; `publish` shows it. */
  receiveLive(event: LiveEvent): void {
    // The page's live events include this one: later deltas never arrive before the page.
    if (this.held !== null) return
    if (event.type === 'live-output') {
      const text = (this.outputs.get(event.toolUseId) ?? '') + event.append
      this.outputs.set(event.toolUseId, text.length > 2 * OUTPUT_KEPT ? text.slice(-OUTPUT_KEPT) : text)
      this.changed = true
    } else if (event.type === 'live-block') {
      if (this.finished) this.clearLive(NO_BLOCKS)
      this.show({ live: appendLive(this.view.live, event), discarded: NO_BLOCKS })
    } else if (event.reason === 'finished') {
      this.finished = true
    } else {
      this.clearLive(this.view.live)
    }
  }

  /** Notifies the subscribers once for all applied events. */
  publish(): void {
    if (!this.changed) return
    this.changed = false
    for (const listener of this.listeners) listener()
  }

  /** No panel shows the transcript: drops the streaming blocks and keeps the rows. */
  rest(): void {
    this.outputs.clear()
    this.clearLive(NO_BLOCKS)
    this.publish()
  }

  private lastSeq(): number {
    return this.events.at(-1)?.seq ?? -1
  }

  /** Adds a new event. A gap that a fresh page also has is a gap of the log and stays. */
  private take(event: AgentEvent): void {
    if (event.seq <= this.lastSeq()) return
    this.events.push(event)
    this.rows.apply(event)
    if (event.type === 'tool-ended') this.outputs.delete(event.toolUseId)
    if (event.type === 'command-ended' || event.type === 'user-command-ended')
      this.outputs.delete(event.commandId)
    if (ENDS_MESSAGE.has(event.type))
      this.clearLive(event.type === 'assistant-message' ? NO_BLOCKS : this.view.discarded)
    this.show({ version: this.view.version + 1 })
  }

  private takeNewest(page: readonly AgentEvent[], older: boolean): void {
    const fits = this.events.length > 0 && (page[0]?.seq ?? 0) <= this.lastSeq() + 1
    if (!fits) {
      this.rebuild([...page])
      this.show({ older })
      return
    }
    for (const event of page) this.take(event)
  }

  private rebuild(events: AgentEvent[]): void {
    this.events = events
    this.rows = TranscriptRows.from(events)
    this.show({ rows: this.rows.rows, version: this.view.version + 1 })
  }

  private clearLive(discarded: readonly LiveBlock[]): void {
    this.finished = false
    if (this.view.live.length > 0 || this.view.discarded.length > 0 || discarded.length > 0)
      this.show({ live: NO_BLOCKS, discarded })
  }

  private show(change: Partial<TranscriptView>): void {
    this.view = { ...this.view, ...change }
    this.changed = true
  }
}

const NO_BLOCKS: readonly LiveBlock[] = []

/** The events that finish or discard the streaming message. */
const ENDS_MESSAGE: ReadonlySet<AgentEvent['type']> = new Set([
  'assistant-message',
  'request-failed',
  'agent-ended',
])
