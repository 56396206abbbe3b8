/**
 * Lets a text that streamed stay the very same element when its message is finished and becomes a row:
 * nothing is parsed or coloured anew, nothing flashes, what is selected stays so. Each text is drawn into an
 * element of its own. The last few are kept so; older rows are drawn like any other.
 */
import type { TranscriptRow } from '../../../../shared/transcript-rows.ts'

export interface StreamedEntry {
  readonly id: number
  /** The content block of the message that it is. */
  readonly index: number
  /** The element that it is drawn into. */
  readonly host: HTMLElement
  /** Null while it streams. */
  readonly row: { readonly key: string; readonly text: string } | null
}

const KEPT = 6

export class StreamedTexts {
  private list: readonly StreamedEntry[] = []
  private readonly listeners = new Set<() => void>()
  private made = 0
  private lastSeq = -1
  /** Elements of texts that are drawn otherwise now: making one ready for React costs more than a text. */
  private readonly spare: HTMLElement[] = []

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly entries = (): readonly StreamedEntry[] => this.list

  /** The entry of a content block that streams now; made when it is asked for first. */
  entryOfLive(index: number): StreamedEntry {
    const found = this.list.find((entry) => entry.row === null && entry.index === index)
    if (found) return found
    this.made += 1
    const host = this.spare.pop() ?? document.createElement('div')
    const entry: StreamedEntry = { id: this.made, index, host, row: null }
    this.change([...this.list, entry])
    return entry
  }

  /** The entry of a row that streamed not long ago, or null. */
  entryOfRow(key: string): StreamedEntry | null {
    return this.list.find((entry) => entry.row?.key === key) ?? null
  }

  /**
   * Call it with the rows as they are now: what streamed is one of those that are new since the last call.
   * Where nothing streams any more, what became no row was given up.
   */
  settle(rows: readonly TranscriptRow[], streams: boolean): void {
    const before = this.lastSeq
    this.lastSeq = rows.at(-1)?.seq ?? -1
    if (this.list.every((entry) => entry.row !== null)) return
    const start = rows.findLastIndex((row) => row.seq <= before) + 1
    const fresh = rows.slice(start)
    const settled = this.list.flatMap((entry) => {
      if (entry.row !== null) return [entry]
      const row = fresh.findLast((one) => one.kind === 'text' && one.key.endsWith(`:${entry.index}`))
      if (row?.kind === 'text') return [{ ...entry, row: { key: row.key, text: row.text } }]
      return streams ? [entry] : []
    })
    const kept = settled.slice(-KEPT)
    for (const entry of this.list)
      if (!kept.some((other) => other.id === entry.id)) this.spare.push(entry.host)
    this.change(kept)
  }

  private change(list: readonly StreamedEntry[]): void {
    this.list = list
    // Who asks is being drawn at this moment: who listens is drawn right after, before anything is painted.
    queueMicrotask(() => {
      for (const listener of this.listeners) listener()
    })
  }
}
