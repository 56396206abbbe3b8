/**
 * Deltas that wait for the window. While they wait they merge, so that a slow or hidden window gets what
 * it needs to know and not what it missed: text that grew is one longer append, text that is void is gone,
 * a state that was replaced is not told. What is durable is never merged and never overtakes its agent.
 */
import type { LiveEvent } from '../../../shared/agent-event.ts'
import type { WindowDelta } from '../../../shared/ipc-contract.ts'

type LiveDelta<T extends LiveEvent['type']> = {
  readonly conversationId: string
  readonly event: Extract<LiveEvent, { type: T }>
}

/** Text that still grows, in pieces: joining them at every append would copy all of it each time. */
type Entry =
  | { readonly kind: 'delta'; readonly delta: WindowDelta }
  | { readonly kind: 'block'; readonly first: LiveDelta<'live-block'>; readonly pieces: string[] }
  | { readonly kind: 'output'; readonly first: LiveDelta<'live-output'>; readonly tail: BoundedTail }

/** Characters of a running tool's output that wait at most; the whole of it comes with its `tool-ended`. */
export const OUTPUT_LIMIT = 64 * 1024

export class DeltaQueue {
  /** In order; null where an entry was voided or replaced. */
  private entries: (Entry | null)[] = []
  private live = 0
  /** Where an append can go: the entry's index by place. Forgotten when something of the same agent comes between. */
  private readonly openEnds = new Map<string, Map<string, number>>()
  /** Where the last delta of a replaceable state is. */
  private readonly states = new Map<string, number>()

  /** How many deltas wait. */
  get size(): number {
    return this.live
  }

  push(delta: WindowDelta): void {
    if (delta.type === 'live') {
      this.pushLive(delta.conversationId, delta.event)
      return
    }
    if (delta.type === 'event') this.openEnds.delete(delta.event.agentId)
    const state = stateOf(delta)
    if (state !== null) {
      this.void(this.states.get(state))
      this.states.set(state, this.entries.length)
    }
    this.add({ kind: 'delta', delta })
  }

  /** Takes out the oldest deltas, at most `limit`. */
  take(limit: number): readonly WindowDelta[] {
    const taken: WindowDelta[] = []
    let index = 0
    for (; index < this.entries.length && taken.length < limit; index++) {
      const entry = this.entries[index]
      if (entry) taken.push(deltaOf(entry))
    }
    this.keep(this.entries.slice(index))
    return taken
  }

  /** Drops what waits for which `voids` says so. */
  drop(voids: (delta: WindowDelta) => boolean): void {
    this.keep(this.entries.filter((entry) => entry !== null && !voids(deltaOf(entry))))
  }

  clear(): void {
    this.keep([])
  }

  private pushLive(conversationId: string, event: LiveEvent): void {
    if (event.type === 'live-clear') {
      this.voidBlocks(event.agentId)
      this.add({ kind: 'delta', delta: { type: 'live', conversationId, event } })
      return
    }
    const open = this.openEnds.get(event.agentId) ?? new Map<string, number>()
    this.openEnds.set(event.agentId, open)
    const place = placeOf(event)
    const at = open.get(place)
    const waiting = at === undefined ? null : this.entries[at]
    if (waiting?.kind === 'block') {
      waiting.pieces.push(event.append)
    } else if (waiting?.kind === 'output') {
      waiting.tail.append(event.append)
    } else {
      open.set(place, this.entries.length)
      this.add(
        event.type === 'live-block'
          ? { kind: 'block', first: { conversationId, event }, pieces: [event.append] }
          : { kind: 'output', first: { conversationId, event }, tail: new BoundedTail(event.append) },
      )
    }
  }

  /** A message that ended or starts again: what of it still waits is not worth telling. */
  private voidBlocks(agentId: string): void {
    this.entries.forEach((entry, index) => {
      if (entry?.kind === 'block' && entry.first.event.agentId === agentId) this.void(index)
    })
  }

  private add(entry: Entry): void {
    this.entries.push(entry)
    this.live++
  }

  private void(index: number | undefined): void {
    if (index === undefined || !this.entries[index]) return
    this.entries[index] = null
    this.live--
  }

  /** Goes on with these entries alone; nothing merges into what was here before. */
  private keep(entries: (Entry | null)[]): void {
    this.entries = entries
    this.live = 0
    this.openEnds.clear()
    this.states.clear()
    entries.forEach((entry, index) => {
      if (entry === null) return
      this.live++
      if (entry.kind !== 'delta') return
      const state = stateOf(entry.delta)
      if (state !== null) this.states.set(state, index)
    })
  }
}

/** The place an append goes to, in its agent. */
function placeOf(event: Exclude<LiveEvent, { type: 'live-clear' }>): string {
  return event.type === 'live-block'
    ? `block:${event.index}:${event.kind}:${event.name}`
    : `output:${event.toolUseId}`
}

/** What a delta replaces as a whole, or null where each one counts. */
function stateOf(delta: WindowDelta): string | null {
  switch (delta.type) {
    case 'queue':
      return `queue:${delta.conversationId}`
    // A conversation that goes and comes back: the last word about it counts.
    case 'conversation':
      return `conversation:${delta.summary.id}`
    case 'conversation-gone':
      return `conversation:${delta.conversationId}`
    // That the window shall go there is told, whatever is new about the folder later.
    case 'folder':
      return delta.opened ? null : `folder:${delta.folder.path}`
    case 'definitions':
      return `definitions:${delta.folder}`
    case 'review':
      return `review:${delta.snapshot.folder}`
    case 'settings':
    case 'access':
    case 'status-line':
    case 'log-trouble':
      return delta.type
    case 'event':
    case 'live':
    case 'menu':
    case 'trouble':
      return null
  }
}

function deltaOf(entry: Entry): WindowDelta {
  if (entry.kind === 'delta') return entry.delta
  const { conversationId, event } = entry.first
  return entry.kind === 'block'
    ? { type: 'live', conversationId, event: { ...entry.first.event, append: entry.pieces.join('') } }
    : { type: 'live', conversationId, event: { ...event, append: entry.tail.text() } as LiveEvent }
}

/** The end of a text that grows; what was cut off is counted and said. */
class BoundedTail {
  private kept: string
  private skipped = 0

  constructor(text: string) {
    this.kept = text
    this.bound()
  }

  append(text: string): void {
    this.kept += text
    this.bound()
  }

  text(): string {
    return this.skipped === 0
      ? this.kept
      : `… ${this.skipped.toLocaleString('en')} characters left out here …\n${this.kept}`
  }

  /** Cuts rarely, and then well below the limit: a cut copies what is kept. */
  private bound(): void {
    if (this.kept.length <= OUTPUT_LIMIT) return
    const roughly = this.kept.length - OUTPUT_LIMIT / 2
    const lineEnd = this.kept.indexOf('\n', roughly)
    const isNear = lineEnd !== -1 && lineEnd < roughly + OUTPUT_LIMIT / 4
    // Where no line ends near it, a line is cut, but never inside a surrogate pair.
    const at = isNear ? lineEnd + 1 : roughly + (isLowSurrogate(this.kept.charCodeAt(roughly)) ? 1 : 0)
    this.kept = this.kept.slice(at)
    this.skipped += at
  }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
