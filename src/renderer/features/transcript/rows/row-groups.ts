/** Groups runs of read-only tool calls, so that a transcript shows "Read 8 files" instead of eight rows. */

import type { RowBase, ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import type { ToolKind } from '../../../../shared/tools/tool-call-row.ts'

/** Consecutive read-only calls. The key is the key of the first call. */
export interface CallGroupRow extends RowBase {
  readonly kind: 'group'
  readonly calls: readonly ToolRow[]
}

/** A row as the window draws it. */
export type DisplayRow = TranscriptRow | CallGroupRow

/** Fewer calls are as easy to read one by one. */
const SMALLEST = 3

const READ_ONLY: ReadonlySet<ToolKind> = new Set(['read', 'search', 'web'])

/** The display rows of one transcript. `update` regroups only from the first changed row on. */
export class RowGroups {
  /** Changes in place. */
  readonly items: DisplayRow[] = []
  /** The index of the first row of each item. */
  private readonly starts: number[] = []
  private readonly seen: TranscriptRow[] = []

  update(rows: readonly TranscriptRow[]): void {
    let changed = 0
    while (changed < rows.length && rows[changed] === this.seen[changed]) changed += 1
    if (changed === rows.length && changed === this.seen.length) return
    // A run that ends at the change can grow.
    let start = changed
    while (start > 0 && isReadOnly(rows[start - 1])) start -= 1
    const item = this.items.length === 0 ? 0 : this.itemOf(start - 1) + (start === 0 ? 0 : 1)
    const before = new Map(this.items.slice(item).map((one) => [one.key, one]))
    this.items.length = item
    this.starts.length = item
    this.seen.length = start
    for (let index = start; index < rows.length; ) {
      const run = runAt(rows, index)
      const row = rows[index]
      if (row === undefined) break
      const next = run.length < SMALLEST ? row : groupOf(run, row, before.get(row.key))
      this.items.push(next)
      this.starts.push(index)
      index += next.kind === 'group' ? run.length : 1
    }
    for (let index = start; index < rows.length; index++) {
      const row = rows[index]
      if (row) this.seen.push(row)
    }
  }

  /** The index of the item that shows a row. */
  itemOf(row: number): number {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.starts[middle] ?? 0) <= row) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** The consecutive read-only calls from an index on. */
function runAt(rows: readonly TranscriptRow[], start: number): readonly ToolRow[] {
  const run: ToolRow[] = []
  for (let index = start; ; index++) {
    const row = rows[index]
    if (!isReadOnly(row)) return run
    run.push(row)
  }
}

function isReadOnly(row: TranscriptRow | undefined): row is ToolRow {
  return row?.kind === 'tool' && READ_ONLY.has(row.call.kind)
}

function groupOf(
  calls: readonly ToolRow[],
  { key, at, seq }: TranscriptRow,
  before: DisplayRow | undefined,
): CallGroupRow {
  const same =
    before?.kind === 'group' &&
    before.calls.length === calls.length &&
    calls.every((call, index) => call === before.calls[index])
  return same ? before : { kind: 'group', key, at, seq, calls }
}
