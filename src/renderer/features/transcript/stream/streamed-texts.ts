/**
 * Keeps the element of a streamed text when its message is finished and becomes a row. Nothing is parsed or highlighted
 * again, nothing flashes, and a selection stays. Each text has its own element. Only the last few elements are kept;
 * older rows render normally.
 */
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'

export interface StreamedEntry {
  readonly id: number
  /** The index of the content block in its message. */
  readonly index: number
  /** The element that contains the text. */
  readonly host: HTMLElement
  /** Null while the text streams. */
  readonly row: { readonly key: string; readonly text: string } | null
}

const KEPT = 6
/** A longer text is not kept: its row shows the start, and draws the rest in pieces. In characters. */
const LONGEST_KEPT = 32_000

export class StreamedTexts {
  private list: readonly StreamedEntry[] = []
  private readonly listeners = new Set<() => void>()
  private made = 0
  private lastSeq = -1
  private readonly finished = new Set<string>()
  /** Elements for reuse, because preparing an element for React costs more than rendering a text. */
  private readonly spare: HTMLElement[] = []

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly entries = (): readonly StreamedEntry[] => this.list

  /** The entry of a streaming content block, created on first use. */
  entryOfLive(index: number): StreamedEntry {
    const found = this.list.find((entry) => entry.row === null && entry.index === index)
    if (found) return found
    this.made += 1
    const host = this.spare.pop() ?? document.createElement('div')
    const entry: StreamedEntry = { id: this.made, index, host, row: null }
    this.change([...this.list, entry])
    return entry
  }

  /** Whether the row's text streamed into this transcript, and was short enough to stay open. */
  hasStreamed(key: string): boolean {
    return this.finished.has(key)
  }

  /** The entry of a row that streamed recently, or null. */
  entryOfRow(key: string): StreamedEntry | null {
    return this.list.find((entry) => entry.row?.key === key) ?? null
  }

  /**
   * Assigns streamed texts to rows added since the last call. When nothing streams, texts without a row are discarded.
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
      if (row?.kind === 'text' && row.text.length > LONGEST_KEPT) return []
      if (row?.kind === 'text') {
        this.finished.add(row.key)
        return [{ ...entry, row: { key: row.key, text: row.text } }]
      }
      return streams ? [entry] : []
    })
    const kept = settled.slice(-KEPT)
    for (const entry of this.list)
      if (!kept.some((other) => other.id === entry.id)) this.spare.push(entry.host)
    this.change(kept)
  }

  private change(list: readonly StreamedEntry[]): void {
    this.list = list
    // The caller is rendering: notify listeners right after, before the browser paints.
    queueMicrotask(() => {
      for (const listener of this.listeners) listener()
    })
  }
}
