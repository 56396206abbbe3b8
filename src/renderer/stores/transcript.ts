/**
 * The transcript of one agent while a panel shows it: rows that grow in place, what streams now, and
 * older pages on demand. Events are applied by their number: doubles are dropped, and a hole makes it
 * fetch the page again.
 */
import type { AgentEvent, LiveEvent } from '../../shared/agent-event.ts'
import type { TranscriptRow } from '../../shared/transcript-row.ts'
import { TranscriptRows } from '../../shared/transcript-rows.ts'
import { command } from '../bridge.ts'
import { appendLive, type LiveBlock, liveBlocks } from './live-stream.ts'

const FIRST_PAGE = 400
const OLDER_PAGE = 1000
/** Characters of a running tool's output that the window keeps; the log has all of it. */
const OUTPUT_KEPT = 64_000

/** What a panel draws; a new object whenever something changed. */
export interface TranscriptView {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly failure: string | null
  /** The same array as long as nothing is put in front: it grows in place, `version` says that it did. */
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** Blocks of the message that streams now. */
  readonly live: readonly LiveBlock[]
  /** What streamed before the request failed and is made again: void, shown as such until more comes. */
  readonly discarded: readonly LiveBlock[]
  /** Whether older events remain to be loaded. */
  readonly older: boolean
  readonly loadingOlder: boolean
}

export interface AgentPlace {
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

export class Transcript {
  private readonly position: AgentPlace
  private view = EMPTY
  private rows = new TranscriptRows()
  private events: AgentEvent[] = []
  private readonly outputs = new Map<string, string>()
  private readonly listeners = new Set<() => void>()
  /** Events that arrive while a page is under way; null while none is. */
  private held: AgentEvent[] | null = null
  /** The message is finished and its event will come: the live blocks stay until then, without a flicker. */
  private finished = false
  private changed = false

  constructor(position: AgentPlace) {
    this.position = position
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly getView = (): TranscriptView => this.view

  /** What a running tool has printed so far, at least its last 64,000 characters. */
  output(toolUseId: string): string {
    return this.outputs.get(toolUseId) ?? ''
  }

  /** Fetches the newest page, or what is new since the panel was last open. */
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

  /** Puts the page before the first row in front. Resolves when it is there. */
  async loadOlder(): Promise<void> {
    const first = this.events[0]
    if (first === undefined || !this.view.older || this.view.loadingOlder) return
    this.show({ loadingOlder: true })
    this.publish()
    const answer = await command('agent.transcript', {
      ...this.position,
      before: first.seq,
      limit: OLDER_PAGE,
    })
    if (!answer.ok) {
      this.show({ loadingOlder: false, failure: answer.failure.message })
    } else {
      if (this.events[0] === first) {
        this.rebuild([...answer.value.events.filter((event) => event.seq < first.seq), ...this.events])
        this.show({ older: answer.value.older, failure: null })
      }
      this.show({ loadingOlder: false })
    }
    this.publish()
  }

  /** Loads all that is older, page by page: for a search over the whole transcript. */
  async loadAll(): Promise<void> {
    while (this.view.older) {
      const before = this.events[0]
      await this.loadOlder()
      if (this.events[0] === before) return
    }
  }

  /** Takes one durable event; `publish` shows it. */
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

  /** Takes one live event; `publish` shows it. */
  receiveLive(event: LiveEvent): void {
    // No delta that follows a page comes before it, so the page's account has this one already.
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

  /** Tells the subscribers, once for all that was received. */
  publish(): void {
    if (!this.changed) return
    this.changed = false
    for (const listener of this.listeners) listener()
  }

  /** Nobody looks any more: what streams is dropped, the rows are kept for the next look. */
  rest(): void {
    this.outputs.clear()
    this.clearLive(NO_BLOCKS)
    this.publish()
  }

  private lastSeq(): number {
    return this.events.at(-1)?.seq ?? -1
  }

  /** Adds an event that is new; a hole that even a fresh page had is a hole of the log, and stays one. */
  private take(event: AgentEvent): void {
    if (event.seq <= this.lastSeq()) return
    this.events.push(event)
    this.rows.apply(event)
    if (event.type === 'tool-ended') this.outputs.delete(event.toolUseId)
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

/** With these the message that streamed is finished or void. */
const ENDS_MESSAGE: ReadonlySet<AgentEvent['type']> = new Set([
  'assistant-message',
  'request-failed',
  'agent-ended',
])
