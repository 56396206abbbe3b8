/** The rows of a diff: lines, gaps, comments, notes. */
import type { DiffPart } from '../../../../shared/worktrees/review.ts'
import type { CommentAnchor, DraftComment, HalfComment } from '../review-comments.ts'
import type { SentComment } from '../sent-comments.ts'
import type { DiffBlock } from './diff-lines.ts'

export type DiffSide = 'before' | 'after'

export interface LineRow {
  readonly kind: 'line'
  readonly key: string
  /** Line indexes from 0; null when the row has no line on that side. */
  readonly before: number | null
  readonly after: number | null
  readonly changed: boolean
  /** Index of the line on the other side for the word comparison; null when there is none. */
  readonly partner: number | null
}

export interface GapRow {
  readonly kind: 'gap'
  readonly key: string
  /** Index of the block that the gap hides lines of. */
  readonly block: number
  readonly hidden: number
  /** The first line below the gap, on the new side. */
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
  | { readonly kind: 'sent'; readonly key: string; readonly sent: SentComment; readonly stale: boolean }
  | { readonly kind: 'editor'; readonly key: string; readonly half: HalfComment }
  | { readonly kind: 'note'; readonly key: string; readonly text: string }

/** Lines shown in addition to the context, by index of the unchanged block. */
export type Expansions = ReadonlyMap<number, { readonly top: number; readonly bottom: number }>

export interface RowChoices {
  readonly layout: 'split' | 'unified'
  readonly expansions: Expansions
  /** Shows all lines, without gaps. */
  readonly whole: boolean
  readonly comments: readonly DraftComment[]
  /** Comments that the agent has received. */
  readonly sent: readonly SentComment[]
  readonly editing: HalfComment | null
  /** Whether the commented lines have changed since. */
  readonly isStale: (comment: CommentAnchor) => boolean
  readonly notes: readonly string[]
}

/** Lines shown around each change. */
const CONTEXT = 3
/** Fewer hidden lines are shown instead of a gap. */
const SMALLEST_GAP = 4

export function rowsOfDiff(blocks: readonly DiffBlock[], choices: RowChoices): readonly DiffRow[] {
  const rows: DiffRow[] = choices.notes.map((text) => ({ kind: 'note', key: `note:${text}`, text }))
  const comments = new CommentRows(choices)
  rows.push(...comments.stale())
  blocks.forEach((block, index) => {
    const options = { index, last: index === blocks.length - 1, choices, comments }
    if (block.kind === 'change') addChange(rows, block, options)
    else addSame(rows, block, options)
  })
  return rows
}

interface BlockOptions {
  readonly index: number
  readonly last: boolean
  readonly choices: RowChoices
  readonly comments: CommentRows
}

function addSame(rows: DiffRow[], block: DiffBlock, { index, last, choices, comments }: BlockOptions): void {
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
    if (shown(offset) || comments.isAt(before, after)) {
      if (hidden > 0) rows.push(gapRow(index, hidden, after))
      hidden = 0
      rows.push({ kind: 'line', key: `=${before}:${after}`, before, after, changed: false, partner: null })
      rows.push(...comments.at('before', before), ...comments.at('after', after))
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

function addChange(rows: DiffRow[], block: DiffBlock, { choices, comments }: BlockOptions): void {
  const { before, beforeCount, after, afterCount } = block
  const paired = Math.min(beforeCount, afterCount)
  if (choices.layout === 'split') {
    for (let offset = 0; offset < Math.max(beforeCount, afterCount); offset++) {
      const old = offset < beforeCount ? before + offset : null
      const now = offset < afterCount ? after + offset : null
      rows.push({ kind: 'line', key: `${old}:${now}`, before: old, after: now, changed: true, partner: null })
      if (old !== null) rows.push(...comments.at('before', old))
      if (now !== null) rows.push(...comments.at('after', now))
    }
    return
  }
  for (let offset = 0; offset < beforeCount; offset++) {
    const partner = offset < paired ? after + offset : null
    const old = before + offset
    rows.push({ kind: 'line', key: `-${old}`, before: old, after: null, changed: true, partner })
    rows.push(...comments.at('before', old))
  }
  for (let offset = 0; offset < afterCount; offset++) {
    const partner = offset < paired ? before + offset : null
    const now = after + offset
    rows.push({ kind: 'line', key: `+${now}`, before: null, after: now, changed: true, partner })
    rows.push(...comments.at('after', now))
  }
}

/** Comments and the comment editor, by the line above them. */
class CommentRows {
  private readonly byLine = new Map<string, DiffRow[]>()
  private readonly staleRows: DiffRow[] = []

  constructor({ comments, sent, editing, isStale }: RowChoices) {
    for (const one of sent) {
      // A comment of a pull request quotes no lines.
      const stale = one.author === undefined && isStale(one.comment)
      const row: DiffRow = { kind: 'sent', key: `sent:${one.key}`, sent: one, stale }
      if (!stale) this.addBelow(one.comment, row)
      else if (one.isLast) this.staleRows.push(row)
    }
    for (const comment of comments) {
      if (comment.key === editing?.key) continue
      const stale = isStale(comment)
      const row: DiffRow = { kind: 'comment', key: `comment:${comment.key}`, comment, stale }
      if (stale) this.staleRows.push(row)
      else this.addBelow(comment, row)
    }
    if (editing !== null) {
      const row: DiffRow = { kind: 'editor', key: 'editor', half: editing }
      if (isStale(editing)) this.staleRows.push(row)
      else this.addBelow(editing, row)
    }
  }

  private addBelow({ side, line, lastLine }: CommentAnchor, row: DiffRow): void {
    const key = `${side}:${(lastLine ?? line) - 1}`
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

/** The change that a row belongs to; null for a row without a changed line. */
export function changedPart(blocks: readonly DiffBlock[], row: DiffRow): DiffPart | null {
  if (row.kind !== 'line' || !row.changed) return null
  const isIn = (line: number | null, from: number, length: number) =>
    line !== null && line >= from && line < from + length
  const block = blocks.find(
    ({ kind, before, beforeCount, after, afterCount }) =>
      kind === 'change' && (isIn(row.before, before, beforeCount) || isIn(row.after, after, afterCount)),
  )
  if (block === undefined) return null
  const { kind: _, ...part } = block
  return part
}

/** Indexes of the first row of each change. */
export function changeStarts(rows: readonly DiffRow[]): readonly number[] {
  const starts: number[] = []
  let inside = false
  rows.forEach((row, index) => {
    if (row.kind === 'comment' || row.kind === 'sent' || row.kind === 'editor') return
    const changed = row.kind === 'line' && row.changed
    if (changed && !inside) starts.push(index)
    inside = changed
  })
  return starts
}
