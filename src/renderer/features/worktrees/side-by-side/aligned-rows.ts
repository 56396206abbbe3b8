/**
 * The diffs of one file by several attempts, line by line beside each other. All attempts began with the same text, so
 * its lines align the columns: each change takes as many rows as the longest of its columns.
 */
import type { DiffBlock } from '../diff/diff-lines.ts'
import type { LineRow } from '../diff/diff-rows.ts'

/** One column: the diff of an attempt. */
export interface ColumnDiff {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly blocks: readonly DiffBlock[]
}

interface AlignedLine {
  readonly kind: 'line'
  readonly key: string
  /** The line of each column; null: the change of this column has fewer lines. */
  readonly cells: readonly (LineRow | null)[]
  /** Set on the first row of a change: whether all columns change these lines in the same way. */
  readonly change: 'same' | 'different' | null
}

interface AlignedGap {
  readonly kind: 'gap'
  readonly key: string
  /** The first hidden line of the common text. */
  readonly from: number
  readonly hidden: number
  /** The first line below the gap, of the common text. */
  readonly upTo: number
}

export type AlignedRow = AlignedLine | AlignedGap

interface AlignedChoices {
  /** Gaps that the user has expanded, by `from`. */
  readonly expanded: ReadonlySet<number>
  /** Shows all lines, without gaps. */
  readonly whole: boolean
}

/** Lines shown around each change. */
const CONTEXT = 3
/** Fewer hidden lines are shown instead of a gap. */
const SMALLEST_GAP = 4

/** A column without a diff stays empty. */
type Columns = readonly (ColumnDiff | null)[]

const isFilled = (column: ColumnDiff | null): column is ColumnDiff => column !== null

/** Whether the columns began with the same text, which aligns them. */
export function haveSameStart(columns: Columns): boolean {
  const [first, ...others] = columns.filter(isFilled)
  return others.every(
    ({ before }) =>
      before === first?.before ||
      (before.length === first?.before.length && before.every((line, at) => line === first.before[at])),
  )
}

/** The rows of all columns. Without a common start the columns are not aligned, and all lines are shown. */
export function alignedRows(columns: Columns, choices: AlignedChoices): readonly AlignedRow[] {
  const rows: AlignedRow[] = []
  const cursors = columns.map((column) => (column === null ? null : new ColumnCursor(column)))
  const lines = columns.find(isFilled)?.before.length ?? 0
  if (!haveSameStart(columns)) {
    addRegion(rows, cursors, null)
    return rows
  }
  const regions = changedRegions(columns.filter(isFilled))
  let at = 0
  regions.forEach((region, index) => {
    addSame(rows, cursors, { from: at, to: region.from, isFirst: index === 0, isLast: false, choices })
    addRegion(rows, cursors, region.to)
    at = region.to
  })
  addSame(rows, cursors, { from: at, to: lines, isFirst: regions.length === 0, isLast: true, choices })
  return rows
}

interface Region {
  readonly from: number
  readonly to: number
}

/** The parts of the common text that a column changes. Parts that overlap are one, also lines inserted at an edge. */
function changedRegions(columns: readonly ColumnDiff[]): readonly Region[] {
  const changes = columns
    .flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'change'))
    .map(({ before, beforeCount }) => ({ from: before, to: before + beforeCount }))
    .sort((one, other) => one.from - other.from || one.to - other.to)
  const regions: Region[] = []
  for (const change of changes) {
    const last = regions.at(-1)
    const touches = change.from === last?.to && (isInsertion(change) || isInsertion(last))
    if (last !== undefined && (change.from < last.to || touches))
      regions[regions.length - 1] = { from: last.from, to: Math.max(last.to, change.to) }
    else regions.push(change)
  }
  return regions
}

const isInsertion = ({ from, to }: Region): boolean => from === to

/** Walks through the lines of one column. */
class ColumnCursor {
  private readonly column: ColumnDiff
  private block = 0
  /** Lines of the current block that were taken. */
  private taken = 0

  constructor(column: ColumnDiff) {
    this.column = column
  }

  /** The rows up to a line of the old text, with lines inserted there; null: all that are left. */
  take(to: number | null): readonly LineRow[] {
    const rows: LineRow[] = []
    for (;;) {
      const block = this.column.blocks[this.block]
      if (block === undefined) return rows
      if (block.kind === 'change') {
        if (to !== null && block.before + block.beforeCount > to) return rows
        rows.push(...rowsOfChange(block))
      } else {
        for (; this.taken < block.beforeCount; this.taken++) {
          const before = block.before + this.taken
          if (to !== null && before >= to) return rows
          rows.push(sameRow(before, block.after + this.taken))
        }
      }
      this.next()
    }
  }

  /** The rows of unchanged lines. Lines inserted after them are left. */
  takeSame(count: number): readonly LineRow[] {
    const block = this.column.blocks[this.block]
    if (block === undefined) return []
    const { before, after, beforeCount } = block
    const rows = Array.from({ length: count }, (_, offset) =>
      sameRow(before + this.taken + offset, after + this.taken + offset),
    )
    this.taken += count
    if (this.taken >= beforeCount) this.next()
    return rows
  }

  private next(): void {
    this.block++
    this.taken = 0
  }

  /** The texts of the changed lines, to compare columns. */
  textOf(rows: readonly LineRow[]): string {
    const { before, after } = this.column
    return JSON.stringify(
      rows.map((row) => [
        row.after === null ? '-' : row.before === null ? '+' : ' ',
        row.after === null ? before[row.before ?? 0] : after[row.after],
      ]),
    )
  }
}

const sameRow = (before: number, after: number): LineRow => ({
  kind: 'line',
  key: `=${before}:${after}`,
  before,
  after,
  changed: false,
  partner: null,
})

function rowsOfChange({ before, beforeCount, after, afterCount }: DiffBlock): readonly LineRow[] {
  const paired = Math.min(beforeCount, afterCount)
  const removed = Array.from({ length: beforeCount }, (_, offset): LineRow => {
    const partner = offset < paired ? after + offset : null
    const old = before + offset
    return { kind: 'line', key: `-${old}`, before: old, after: null, changed: true, partner }
  })
  const added = Array.from({ length: afterCount }, (_, offset): LineRow => {
    const partner = offset < paired ? before + offset : null
    const now = after + offset
    return { kind: 'line', key: `+${now}`, before: null, after: now, changed: true, partner }
  })
  return [...removed, ...added]
}

interface SameLines extends Region {
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly choices: AlignedChoices
}

type Cursors = readonly (ColumnCursor | null)[]

/** Lines that no column changes. Those far from a change are a gap. */
function addSame(rows: AlignedRow[], cursors: Cursors, same: SameLines): void {
  const { from, to, isFirst, isLast, choices } = same
  if (to <= from) return
  const columns = cursors.map((cursor) => cursor?.takeSame(to - from) ?? [])
  const count = to - from
  const top = isFirst ? 0 : CONTEXT
  const bottom = isLast ? 0 : CONTEXT
  const hidden = count - top - bottom
  const isOpen = choices.whole || hidden < SMALLEST_GAP || choices.expanded.has(from + top)
  for (let offset = 0; offset < count; offset++) {
    if (!isOpen && offset === top) {
      rows.push({ kind: 'gap', key: `gap:${from + top}`, from: from + top, hidden, upTo: to - bottom })
      offset += hidden - 1
      continue
    }
    const cells = columns.map((column) => column[offset] ?? null)
    rows.push({ kind: 'line', key: `=${from + offset}`, cells, change: null })
  }
}

/** A changed part; `to` null: all that is left. */
function addRegion(rows: AlignedRow[], cursors: Cursors, to: number | null): void {
  const columns = cursors.map((cursor) => cursor?.take(to) ?? [])
  const texts = cursors.flatMap((cursor, index) => cursor?.textOf(columns[index] ?? []) ?? [])
  const change = texts.every((text) => text === texts[0]) ? 'same' : 'different'
  const length = Math.max(0, ...columns.map((column) => column.length))
  for (let offset = 0; offset < length; offset++)
    rows.push({
      kind: 'line',
      key: `~${to}:${offset}`,
      cells: columns.map((column) => column[offset] ?? null),
      change: offset === 0 ? change : null,
    })
}
