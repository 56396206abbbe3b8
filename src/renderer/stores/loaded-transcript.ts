/**
 * The transcript of one agent for a panel: rows that grow in place, streaming blocks, and older pages on demand.
 * Events are applied by number: duplicates are dropped, and a gap loads the page again.
 */
import type { AgentEvent, LiveEvent } from '../../shared/events/agent-event.ts'
import type { TranscriptRow } from '../../shared/events/transcript-row.ts'
import { TranscriptRows } from '../../shared/transcript/transcript-rows.ts'
import { command } from '../bridge.ts'
import { appendLive, type LiveBlock, liveBlocks } from './live-blocks.ts'

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
  /** The number of the last event to show; null: all. */
  private until: number | null = null
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

  /** Shows the events up to this number, none for -1. Null: all again. `open` loads what is missing. */
  showUntil(seq: number | null): void {
    this.until = seq
    if (seq === null) return
    if (seq < this.lastSeq()) this.rebuild(this.events.filter((event) => event.seq <= seq))
    this.clearLive(NO_BLOCKS)
    this.publish()
  }

  /** Loads the newest page, or the events since the panel was last open. */
  async open(): Promise<void> {
    if (this.held !== null) return
    const { until } = this
    if (until !== null && until <= this.lastSeq()) return
    this.held = []
    const before = until === null ? null : until + 1
    const answer = await command('agent.transcript', { ...this.position, before, limit: FIRST_PAGE })
    const { held } = this
    this.held = null
    // The moment changed meanwhile.
    if (this.until !== until) return this.open()
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
