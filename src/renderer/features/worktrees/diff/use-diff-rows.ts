/** The rows of a diff with its comments, and the gaps that the user has expanded. */
import { useMemo, useState } from 'react'
import { type CommentAnchor, useReviewDraft } from '../review-comments.ts'
import type { SentComment } from '../sent-comments.ts'
import { type DiffRow, type Expansions, type GapRow, rowsOfDiff } from './diff-rows.ts'
import type { FileDiff } from './use-diff.ts'
import { quoteOf } from './use-line-comments.ts'

/** Lines that a gap expands by at each end. */
const STEP = 20

interface DiffRowsOptions {
  readonly path: string
  readonly diff: FileDiff
  readonly layout: 'split' | 'unified'
  readonly whole: boolean
  readonly draftKey: string
  readonly sent: readonly SentComment[]
}

interface DiffRows {
  readonly rows: readonly DiffRow[]
  readonly expand: (gap: GapRow) => void
  /** Shows all lines of an unchanged block. */
  readonly reveal: (block: number) => void
}

export function useDiffRows({ path, diff, layout, whole, draftKey, sent }: DiffRowsOptions): DiffRows {
  const [expansions, setExpansions] = useState<Expansions>(new Map())
  const { comments, editing } = useReviewDraft(draftKey)
  const rows = useMemo(() => {
    const isStale = ({ side, line, lastLine, quote }: CommentAnchor) =>
      quoteOf(diff[side], [line - 1, (lastLine ?? line) - 1]) !== quote
    return rowsOfDiff(diff.blocks, {
      layout,
      expansions,
      whole,
      comments: comments.filter((comment) => comment.path === path),
      sent: sent.filter(({ comment }) => comment.path === path),
      editing: editing?.path === path ? editing : null,
      isStale,
      notes: diff.notes,
    })
  }, [path, diff, layout, whole, expansions, comments, sent, editing])
  const expand = (gap: GapRow) =>
    setExpansions((known) => {
      const { top, bottom } = known.get(gap.block) ?? { top: 0, bottom: 0 }
      // A gap not much larger than two steps expands fully.
      const step = gap.hidden <= STEP * 2 + 10 ? gap.hidden : STEP
      return new Map(known).set(gap.block, { top: top + step, bottom: bottom + step })
    })
  const reveal = (block: number) =>
    setExpansions((known) => new Map(known).set(block, { top: Number.MAX_SAFE_INTEGER, bottom: 0 }))
  return { rows, expand, reveal }
}
