/**
 * The stream of deltas to one window: at most one batch a frame, the next only when the window has dealt
 * with the last; a question to the person does not wait for the frame. It carries the events of the
 * conversations the window has subscribed to, the live events of the agents it draws, and whatever concerns
 * the window as a whole.
 *
 * An answer that deltas continue (a snapshot, a page) travels by another way than the batches, and could
 * arrive after them. So the stream is held from the moment the answer is made until the window has it.
 */
import type { LiveEvent } from '../../../shared/agent-event.ts'
import type {
  ConversationSnapshot,
  DeltaAck,
  DeltaBatch,
  DeltaRelease,
  WindowDelta,
} from '../../../shared/ipc-contract.ts'
import type { Result } from '../../../shared/result.ts'
import { DeltaQueue } from './delta-queue.ts'

/** The main process's end of the port; Electron's `MessagePortMain` is one. */
export interface DeltaPort {
  postMessage(batch: DeltaBatch): void
  on(event: 'message', listener: (message: { readonly data: unknown }) => void): unknown
  start(): void
  close(): void
}

/** ms from batch to batch, for a window that is seen and for one that is not. */
const FRAME = 16
const HIDDEN_BEAT = 1000
/** Deltas in one batch at most: a backlog must not freeze the window in one piece. */
const BATCH_LIMIT = 2000

export interface DeltaStreamOptions {
  /** Milliseconds that never run backwards. */
  readonly now: () => number
}

type Joined = { readonly watched: ReadonlySet<string> }

export class DeltaStream {
  private readonly now: () => number
  private readonly queue = new DeltaQueue()
  private readonly joined = new Map<string, Joined>()
  /** What happens in a conversation while its snapshot is being made. */
  private readonly joining = new Map<string, { readonly token: object; readonly deltas: WindowDelta[] }>()
  private readonly holds = new Set<number>()
  private port: DeltaPort | null = null
  private visible = true
  private batch = 0
  private unacknowledged = false
  /** A question waits. */
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
      if (this.port === port) this.hear(data)
    })
    port.start()
    this.schedule()
  }

  /** The page is gone or another one comes: nothing that was meant for it is sent any more. */
  reset(): void {
    this.port?.close()
    this.port = null
    clearTimeout(this.timer)
    this.timer = undefined
    this.queue.clear()
    this.joined.clear()
    this.joining.clear()
    this.holds.clear()
    this.unacknowledged = false
    this.urgent = false
  }

  /** A window nobody sees is told at a slow beat. */
  setVisible(visible: boolean): void {
    if (this.visible === visible) return
    this.visible = visible
    clearTimeout(this.timer)
    this.timer = undefined
    this.schedule()
  }

  /** Takes what happened, if it is for this window. */
  push(delta: WindowDelta): void {
    switch (delta.type) {
      case 'event':
      case 'queue':
      case 'live': {
        const joining = this.joining.get(delta.conversationId)
        if (joining) {
          if (delta.type !== 'live') joining.deltas.push(delta)
          return
        }
        const joined = this.joined.get(delta.conversationId)
        if (!joined || (delta.type === 'live' && !joined.watched.has(delta.event.agentId))) return
        break
      }
      case 'conversation-gone':
        this.leave(delta.conversationId)
        break
      case 'conversation':
      case 'settings':
      case 'access':
      case 'folder':
      case 'status-line':
      case 'menu':
      case 'trouble':
      case 'log-trouble':
        break
    }
    this.queue.push(delta)
    if (delta.type === 'event' && delta.event.type === 'permission-asked') this.hurry()
    this.schedule()
  }

  /**
   * Joins a conversation: its deltas follow the snapshot without a gap and without one told twice. Nobody
   * is watched in it yet. The caller holds the stream until the window has the snapshot.
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
      // Another join, a leave or a reset came meanwhile: this one has nothing to say any more.
      if (this.joining.get(conversationId)?.token === token) {
        this.joining.delete(conversationId)
        if (result?.ok) this.goOn(conversationId, missed, result.value.order)
      }
    }
  }

  leave(conversationId: string): void {
    this.joined.delete(conversationId)
    this.joining.delete(conversationId)
    this.queue.drop(
      (delta) =>
        (delta.type === 'event' || delta.type === 'live' || delta.type === 'queue') &&
        delta.conversationId === conversationId,
    )
  }

  /** From now on these agents' live events are sent, and no others of the conversation. */
  watch(conversationId: string, agentIds: readonly string[]): void {
    if (!this.joined.has(conversationId)) return
    const watched = new Set(agentIds)
    this.joined.set(conversationId, { watched })
    this.queue.drop(
      (delta) =>
        delta.type === 'live' && delta.conversationId === conversationId && !watched.has(delta.event.agentId),
    )
  }

  /** Watches one more agent, whose live events up to now are `live`: what of them still waits is dropped. */
  watchFrom(conversationId: string, agentId: string, live: readonly LiveEvent[]): void {
    const joined = this.joined.get(conversationId)
    if (!joined) return
    this.joined.set(conversationId, { watched: new Set([...joined.watched, agentId]) })
    const outputs = new Set(live.map((event) => (event.type === 'live-output' ? event.toolUseId : null)))
    this.queue.drop(
      (delta) =>
        delta.type === 'live' &&
        delta.event.agentId === agentId &&
        (delta.event.type !== 'live-output' || outputs.has(delta.event.toolUseId)),
    )
  }

  /** Nothing is sent until this hold, and every other one, is released. @returns its number */
  hold(): number {
    this.holds.add(++this.lastHold)
    return this.lastHold
  }

  release(hold: number): void {
    if (this.holds.delete(hold)) this.schedule()
  }

  private goOn(conversationId: string, missed: readonly WindowDelta[], order: number): void {
    this.joined.set(conversationId, { watched: new Set() })
    for (const delta of missed) {
      if (delta.type === 'event' && delta.event.order <= order) continue
      this.queue.push(delta)
    }
    this.schedule()
  }

  private hear(data: unknown): void {
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
    // Never at once: what happens in the same turn of the event loop goes into the same batch.
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

function isAck(data: unknown): data is DeltaAck {
  return typeof data === 'object' && data !== null && 'ack' in data && typeof data.ack === 'number'
}

function isRelease(data: unknown): data is DeltaRelease {
  return typeof data === 'object' && data !== null && 'release' in data && typeof data.release === 'number'
}
