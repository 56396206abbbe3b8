/** The rows that a diff is drawn as: lines, gaps between them, comments. */
import type { DraftComment, HalfComment } from '../../../stores/review-comments.ts'
import type { DiffBlock } from './diff-lines.ts'

export type DiffSide = 'before' | 'after'

export interface LineRow {
  readonly kind: 'line'
  readonly key: string
  /** Indexes of lines, from 0; null where the row has none on that side. */
  readonly before: number | null
  readonly after: number | null
  readonly changed: boolean
  /** Index of the line of the other side that it is compared with, word by word; null: none. */
  readonly partner: number | null
}

export interface GapRow {
  readonly kind: 'gap'
  readonly key: string
  /** Index of its block. */
  readonly block: number
  readonly hidden: number
  /** The line of the new side with which the shown part goes on below. */
  readonly upTo: number
}

export type DiffRow =
  | LineRow
  | GapRow
  | {
      readonly kind: 'comment'
      readonly key: string
      readonly comment: DraftComment
      readonly stale: boolean
    }
  | { readonly kind: 'editor'; readonly key: string; readonly half: HalfComment }
  | { readonly kind: 'note'; readonly key: string; readonly text: string }

/** Lines that are shown of a block that is the same on both sides, beyond the usual ones. */
export type Expansions = ReadonlyMap<number, { readonly top: number; readonly bottom: number }>

export interface RowChoices {
  readonly layout: 'split' | 'unified'
  readonly expansions: Expansions
  /** Nothing is left out. */
  readonly whole: boolean
  readonly comments: readonly DraftComment[]
  readonly editing: HalfComment | null
  /** Whether a comment's lines are no longer what they were. */
  readonly isStale: (comment: DraftComment | HalfComment) => boolean
  readonly notes: readonly string[]
}

/** Lines around a change that are shown. */
const CONTEXT = 3
/** A gap of fewer lines is not worth its row. */
const SMALLEST_GAP = 4

export function rowsOfDiff(blocks: readonly DiffBlock[], choices: RowChoices): readonly DiffRow[] {
  const rows: DiffRow[] = choices.notes.map((text) => ({ kind: 'note', key: `note:${text}`, text }))
  const remarks = new Remarks(choices)
  rows.push(...remarks.stale())
  blocks.forEach((block, index) => {
    if (block.kind === 'change') addChange(rows, block, choices.layout, remarks)
    else addSame(rows, block, { index, last: index === blocks.length - 1, choices, remarks })
  })
  return rows
}

interface SameOptions {
  readonly index: number
  readonly last: boolean
  readonly choices: RowChoices
  readonly remarks: Remarks
}

function addSame(rows: DiffRow[], block: DiffBlock, { index, last, choices, remarks }: SameOptions): void {
  const more = choices.expansions.get(index) ?? { top: 0, bottom: 0 }
  const count = block.afterCount
  const top = index === 0 ? more.top : CONTEXT + more.top
  const bottom = last ? more.bottom : CONTEXT + more.bottom
  const all = choices.whole || top + bottom + SMALLEST_GAP > count
  const shown = (offset: number) => all || offset < top || offset >= count - bottom
  let hidden = 0
  for (let offset = 0; offset < count; offset++) {
    const before = block.before + offset
    const after = block.after + offset
    if (shown(offset) || remarks.isAt(before, after)) {
      if (hidden > 0) rows.push(gapRow(index, hidden, after))
      hidden = 0
      rows.push({ kind: 'line', key: `=${before}:${after}`, before, after, changed: false, partner: null })
      rows.push(...remarks.at('before', before), ...remarks.at('after', after))
    } else hidden++
  }
  if (hidden > 0) rows.push(gapRow(index, hidden, block.after + count))
}

const gapRow = (block: number, hidden: number, upTo: number): GapRow => ({
  kind: 'gap',
  key: `gap:${block}:${upTo}`,
  block,
  hidden,
  upTo,
})

function addChange(rows: DiffRow[], block: DiffBlock, layout: RowChoices['layout'], remarks: Remarks): void {
  const { before, beforeCount, after, afterCount } = block
  const paired = Math.min(beforeCount, afterCount)
  if (layout === 'split') {
    for (let offset = 0; offset < Math.max(beforeCount, afterCount); offset++) {
      const old = offset < beforeCount ? before + offset : null
      const now = offset < afterCount ? after + offset : null
      rows.push({ kind: 'line', key: `${old}:${now}`, before: old, after: now, changed: true, partner: null })
      if (old !== null) rows.push(...remarks.at('before', old))
      if (now !== null) rows.push(...remarks.at('after', now))
    }
    return
  }
  for (let offset = 0; offset < beforeCount; offset++) {
    const partner = offset < paired ? after + offset : null
    const old = before + offset
    rows.push({ kind: 'line', key: `-${old}`, before: old, after: null, changed: true, partner })
    rows.push(...remarks.at('before', old))
  }
  for (let offset = 0; offset < afterCount; offset++) {
    const partner = offset < paired ? before + offset : null
    const now = after + offset
    rows.push({ kind: 'line', key: `+${now}`, before: null, after: now, changed: true, partner })
    rows.push(...remarks.at('after', now))
  }
}

/** Comments, and the one that is being written, by the line below which they stand. */
class Remarks {
  private readonly byLine = new Map<string, DiffRow[]>()
  private readonly staleRows: DiffRow[] = []

  constructor({ comments, editing, isStale }: RowChoices) {
    for (const comment of comments)
      if (comment.key !== editing?.key)
        this.add(comment, isStale(comment), {
          kind: 'comment',
          key: `comment:${comment.key}`,
          comment,
          stale: isStale(comment),
        })
    if (editing !== null)
      this.add(editing, isStale(editing), { kind: 'editor', key: 'editor', half: editing })
  }

  private add(place: DraftComment | HalfComment, stale: boolean, row: DiffRow): void {
    if (stale) {
      this.staleRows.push(row)
      return
    }
    const key = `${place.side}:${(place.lastLine ?? place.line) - 1}`
    this.byLine.set(key, [...(this.byLine.get(key) ?? []), row])
  }

  stale(): readonly DiffRow[] {
    return this.staleRows
  }

  isAt(before: number, after: number): boolean {
    return this.byLine.has(`before:${before}`) || this.byLine.has(`after:${after}`)
  }

  at(side: DiffSide, line: number): readonly DiffRow[] {
    return this.byLine.get(`${side}:${line}`) ?? []
  }
}

/** The rows with which each change begins. */
export function changeStarts(rows: readonly DiffRow[]): readonly number[] {
  const starts: number[] = []
  let inside = false
  rows.forEach((row, index) => {
    if (row.kind === 'comment' || row.kind === 'editor') return
    const changed = row.kind === 'line' && row.changed
    if (changed && !inside) starts.push(index)
    inside = changed
  })
  return starts
}
