/**
 * Deltas waiting for the window. Waiting deltas merge, so that a slow or hidden window catches up cheaply:
 * appends are joined, void text is dropped, and only the last value of a state is kept. Durable events never
 * merge and never overtake another event of their agent.
 */
import type { LiveEvent } from '../../../shared/events/agent-event.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'

type LiveDelta<T extends LiveEvent['type']> = {
  readonly conversationId: string
  readonly event: Extract<LiveEvent, { type: T }>
}

/** Growing text in pieces: joining at every append would copy the whole text each time. */
type Entry =
  | { readonly kind: 'delta'; readonly delta: WindowDelta }
  | { readonly kind: 'block'; readonly first: LiveDelta<'live-block'>; readonly pieces: string[] }
  | { readonly kind: 'output'; readonly first: LiveDelta<'live-output'>; readonly tail: BoundedTail }

/** Maximum waiting characters of a running tool's output. `tool-ended` brings the whole output. */
export const OUTPUT_LIMIT = 64 * 1024

export class DeltaQueue {
  /** In order; null for an entry that was voided or replaced. */
  private entries: (Entry | null)[] = []
  private live = 0
  /** The entry that an append joins, by key. Removed when another event of the same agent follows the entry. */
  private readonly openEnds = new Map<string, Map<string, number>>()
  /** The last delta of each replaceable state. */
  private readonly states = new Map<string, number>()

  /** The number of waiting deltas. */
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

  /** Removes and returns the oldest deltas, at most `limit`. */
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

  /** Drops the waiting deltas that `voids` selects. */
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
    const location = locationOf(event)
    const at = open.get(location)
    const waiting = at === undefined ? null : this.entries[at]
    if (waiting?.kind === 'block') {
      waiting.pieces.push(event.append)
    } else if (waiting?.kind === 'output') {
      waiting.tail.append(event.append)
    } else {
      open.set(location, this.entries.length)
      this.add(
        event.type === 'live-block'
          ? { kind: 'block', first: { conversationId, event }, pieces: [event.append] }
          : { kind: 'output', first: { conversationId, event }, tail: new BoundedTail(event.append) },
      )
    }
  }

  /** Drops the waiting text of a message that ended or starts again. */
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

  /** Restarts with these entries. Later deltas do not merge into earlier ones. */
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

/** The key of the entry that an append joins. */
function locationOf(event: Exclude<LiveEvent, { type: 'live-clear' }>): string {
  return event.type === 'live-block'
    ? `block:${event.index}:${event.kind}:${event.name}`
    : `output:${event.toolUseId}`
}

/** The key of the state that a delta replaces, or null if every delta counts. */
function stateOf(delta: WindowDelta): string | null {
  switch (delta.type) {
    // A removed conversation may return: the last delta counts.
    case 'conversation':
      return `conversation:${delta.summary.id}`
    case 'conversation-gone':
      return `conversation:${delta.conversationId}`
    // A request to open a folder is never replaced.
    case 'folder':
      return delta.opened ? null : `folder:${delta.folder.path}`
    case 'definitions':
      return `definitions:${delta.folder}`
    case 'review':
      return `review:${delta.snapshot.folder}`
    case 'environments':
      return `environments:${delta.snapshot.folder}`
    case 'live-line':
      return `line:${delta.agentId}`
    case 'agent-tests':
    case 'workers':
    case 'agent-windows':
    case 'mcp':
    case 'programs':
    case 'preview':
    case 'tutorial':
    case 'update':
    case 'settings':
    case 'keys':
    case 'access':
    case 'status-line':
    case 'write-failure':
    case 'settings-problems':
      return delta.type
    case 'event':
    case 'conversation-event':
    case 'live':
    case 'agent-tests-progress':
    case 'menu':
    case 'problem':
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

/** The end of a growing text, with the number of characters cut off. */
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

  /** Cuts rarely, and well below the limit, because a cut copies the text. */
  private bound(): void {
    if (this.kept.length <= OUTPUT_LIMIT) return
    const roughly = this.kept.length - OUTPUT_LIMIT / 2
    const lineEnd = this.kept.indexOf('\n', roughly)
    const isNear = lineEnd !== -1 && lineEnd < roughly + OUTPUT_LIMIT / 4
    // Without a line end nearby the cut is inside a line, but never inside a surrogate pair.
    const at = isNear ? lineEnd + 1 : roughly + (isLowSurrogate(this.kept.charCodeAt(roughly)) ? 1 : 0)
    this.kept = this.kept.slice(at)
    this.skipped += at
  }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
