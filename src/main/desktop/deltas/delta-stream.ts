/**
 * The stream of deltas to one window: at most one batch a frame, and the next batch only after the window
 * acknowledges the last. A permission request does not wait for the frame. The stream carries the events of
 * subscribed conversations, the live events of watched agents, the last words of the others, and deltas for the window
 * as a whole.
 *
 * An answer that deltas continue (a snapshot, a page) takes another way than the batches and could arrive
 * after them. So the stream is held from the moment the answer is made until the window has it.
 */
import type { AgentEvent, LiveEvent } from '../../../shared/events/agent-event.ts'
import type { DeltaAck, DeltaBatch, DeltaRelease, WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { DeltaQueue } from './delta-queue.ts'
import { LiveLines } from './live-lines.ts'

/** The main process's end of the port, such as Electron's `MessagePortMain`. */
export interface DeltaPort {
  postMessage(batch: DeltaBatch): void
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): unknown
  start(): void
  close(): void
}

/** Minimum ms from batch to batch, for a visible and for a hidden window. */
const FRAME = 16
const HIDDEN_BEAT = 1000
/** Maximum deltas in a batch: a backlog must not freeze the window. */
const BATCH_LIMIT = 2000

/** Events that the user waits for. */
const WAITED_FOR: ReadonlySet<string> = new Set<AgentEvent['type']>(['permission-asked', 'form-opened'])

interface DeltaStreamOptions {
  /** A monotonic clock in ms. */
  readonly now: () => number
}

type Joined = { readonly watched: ReadonlySet<string> }

export class DeltaStream {
  private readonly now: () => number
  private readonly queue = new DeltaQueue()
  private readonly joined = new Map<string, Joined>()
  /** Events of a conversation during its snapshot. */
  private readonly joining = new Map<string, { readonly token: object; readonly deltas: WindowDelta[] }>()
  private readonly holds = new Set<number>()
  private readonly lines = new LiveLines((deltas) => {
    for (const delta of deltas) this.queue.push(delta)
    this.schedule()
  })
  private port: DeltaPort | null = null
  private visible = true
  private batch = 0
  private unacknowledged = false
  /** A permission request or a form is waiting. */
  private urgent = false
  private lastSent = Number.NEGATIVE_INFINITY
  private lastHold = 0
  private timer: NodeJS.Timeout | undefined

  constructor(options: DeltaStreamOptions) {
    this.now = options.now
  }

  /** Sends over this port from now on. */
  attach(port: DeltaPort): void {
    this.port?.close()
    this.port = port
    this.unacknowledged = false
    port.on('message', ({ data }) => {
      if (this.port === port) this.onDelta(data)
    })
    port.start()
    this.schedule()
  }

  /** The page is gone or reloading: drops everything meant for it. */
  reset(): void {
    this.port?.close()
    this.port = null
    clearTimeout(this.timer)
    this.timer = undefined
    this.queue.clear()
    this.lines.clear()
    this.joined.clear()
    this.joining.clear()
    this.holds.clear()
    this.unacknowledged = false
    this.urgent = false
  }

  /** A hidden window gets batches at a lower rate. */
  setVisible(visible: boolean): void {
    if (this.visible === visible) return
    this.visible = visible
    clearTimeout(this.timer)
    this.timer = undefined
    this.schedule()
  }

  /** Queues a delta if it is for this window. */
  push(delta: WindowDelta): void {
    switch (delta.type) {
      case 'event':
      case 'conversation-event':
      case 'live': {
        const joining = this.joining.get(delta.conversationId)
        if (joining) {
          if (delta.type !== 'live') joining.deltas.push(delta)
          return
        }
        const joined = this.joined.get(delta.conversationId)
        if (!joined) return
        if (delta.type === 'event') this.lines.end(delta.event.agentId)
        if (delta.type === 'live' && !joined.watched.has(delta.event.agentId)) {
          this.lines.take(delta.conversationId, delta.event)
          return
        }
        break
      }
      case 'conversation-gone':
        this.leave(delta.conversationId)
        break
      case 'live-line':
      case 'conversation':
      case 'settings':
      case 'access':
      case 'folder':
      case 'status-line':
      case 'workers':
      case 'agent-windows':
      case 'mcp':
      case 'menu':
      case 'problem':
      case 'settings-problems':
      case 'write-failure':
        break
    }
    this.queue.push(delta)
    if (delta.type === 'event' && WAITED_FOR.has(delta.event.type)) this.hurry()
    this.schedule()
  }

  /**
   * Joins a conversation: its deltas follow the snapshot without gaps or duplicates. No agent is watched
   * yet. The caller holds the stream until the window has the snapshot.
   */
  async join(
    conversationId: string,
    snapshot: () => Promise<Result<ConversationSnapshot>>,
  ): Promise<Result<ConversationSnapshot>> {
    this.leave(conversationId)
    const token = {}
    const missed: WindowDelta[] = []
    this.joining.set(conversationId, { token, deltas: missed })
    let result: Result<ConversationSnapshot> | null = null
    try {
      result = await snapshot()
      return result
    } finally {
      // Another join, a leave or a reset came during the snapshot and replaces this join.
      if (this.joining.get(conversationId)?.token === token) {
        this.joining.delete(conversationId)
        if (result?.ok) this.resume(conversationId, missed, result.value.order)
      }
    }
  }

  /** Whether the window has this conversation on its screen. */
  shows(conversationId: string): boolean {
    return this.joined.has(conversationId) || this.joining.has(conversationId)
  }

  leave(conversationId: string): void {
    this.joined.delete(conversationId)
    this.joining.delete(conversationId)
    this.lines.clear()
    this.queue.drop((delta) => OF_CONVERSATION.has(delta.type) && isOf(delta, conversationId))
  }

  /** Sends the live events of these agents from now on, and of no others in the conversation. */
  watch(conversationId: string, agentIds: readonly string[]): void {
    if (!this.joined.has(conversationId)) return
    const watched = new Set(agentIds)
    for (const agentId of agentIds) this.lines.end(agentId)
    this.joined.set(conversationId, { watched })
    this.queue.drop(
      (delta) =>
        delta.type === 'live' && delta.conversationId === conversationId && !watched.has(delta.event.agentId),
    )
  }

  /** Watches one more agent. `live` holds its live events so far, so waiting ones are dropped. */
  watchFrom(conversationId: string, agentId: string, live: readonly LiveEvent[]): void {
    const joined = this.joined.get(conversationId)
    if (!joined) return
    this.lines.end(agentId)
    this.joined.set(conversationId, { watched: new Set([...joined.watched, agentId]) })
    const outputs = new Set(live.map((event) => (event.type === 'live-output' ? event.toolUseId : null)))
    this.queue.drop(
      (delta) =>
        delta.type === 'live' &&
        delta.event.agentId === agentId &&
        (delta.event.type !== 'live-output' || outputs.has(delta.event.toolUseId)),
    )
  }

  /** Sends nothing until all holds are released. @returns the hold's number */
  hold(): number {
    this.holds.add(++this.lastHold)
    return this.lastHold
  }

  release(hold: number): void {
    if (this.holds.delete(hold)) this.schedule()
  }

  private resume(conversationId: string, missed: readonly WindowDelta[], order: number): void {
    this.joined.set(conversationId, { watched: new Set() })
    for (const delta of missed) {
      if (
        'conversationId' in delta &&
        'event' in delta &&
        'order' in delta.event &&
        delta.event.order <= order
      )
        continue
      this.queue.push(delta)
    }
    this.schedule()
  }

  private onDelta(data: unknown): void {
    if (isAck(data) && data.ack === this.batch) {
      this.unacknowledged = false
      this.schedule()
    } else if (isRelease(data)) {
      this.release(data.release)
    }
  }

  private hurry(): void {
    if (this.urgent) return
    this.urgent = true
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private schedule(): void {
    if (this.timer || !this.isReady()) return
    const wait = this.urgent ? 0 : this.lastSent + (this.visible ? FRAME : HIDDEN_BEAT) - this.now()
    // Never at once: deltas of the same turn of the event loop share a batch.
    this.timer = setTimeout(() => this.send(), Math.max(0, wait))
  }

  private isReady(): boolean {
    return this.port !== null && !this.unacknowledged && this.holds.size === 0 && this.queue.size > 0
  }

  private send(): void {
    this.timer = undefined
    if (!this.port || !this.isReady()) return
    this.lastSent = this.now()
    this.unacknowledged = true
    this.urgent = false
    this.port.postMessage({ batch: ++this.batch, deltas: this.queue.take(BATCH_LIMIT) })
  }
}

const OF_CONVERSATION: ReadonlySet<WindowDelta['type']> = new Set([
  'event',
  'conversation-event',
  'live',
  'live-line',
] as const)

function isOf(delta: WindowDelta, conversationId: string): boolean {
  return 'conversationId' in delta && delta.conversationId === conversationId
}

function isAck(data: unknown): data is DeltaAck {
  return typeof data === 'object' && data !== null && 'ack' in data && typeof data.ack === 'number'
}

function isRelease(data: unknown): data is DeltaRelease {
  return typeof data === 'object' && data !== null && 'release' in data && typeof data.release === 'number'
}
