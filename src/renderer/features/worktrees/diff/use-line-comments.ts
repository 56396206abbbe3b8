/** Starts comments on lines of a diff. */
import { beginComment, editComment, extendComment } from '../review-comments.ts'
import type { DiffRow, DiffSide } from './diff-rows.ts'
import type { DiffCursor } from './use-cursor.ts'
import type { FileDiff } from './use-diff.ts'

/** First and last line of one side, from 0. */
type Lines = readonly [number, number]

const LONGEST_QUOTE = 4000

/** The text that a comment on these lines quotes. */
export function quoteOf(lines: readonly string[], [first, last]: Lines): string {
  return lines
    .slice(first, last + 1)
    .join('\n')
    .slice(0, LONGEST_QUOTE)
}

/** `keepText`: an unfinished comment on some of the lines moves to them with its text. */
export type CommentOn = (side: DiffSide, lines: Lines, options?: { readonly keepText: boolean }) => void

interface LineCommentOptions {
  readonly path: string
  readonly diff: FileDiff
  readonly draftKey: string
  readonly rows: readonly DiffRow[]
  readonly cursor: DiffCursor
}

export function useLineComments({ path, diff, draftKey, rows, cursor }: LineCommentOptions) {
  const commentOn: CommentOn = (side, lines, { keepText } = { keepText: false }) => {
    const anchor = {
      path,
      side,
      line: lines[0] + 1,
      lastLine: lines[1] === lines[0] ? null : lines[1] + 1,
      quote: quoteOf(diff[side], lines),
    }
    if (keepText) extendComment(draftKey, anchor)
    else beginComment(draftKey, anchor)
  }
  /** Edits the comment at the cursor, or starts one on the selected lines. */
  const commentAtCursor = () => {
    const row = rows[cursor.index]
    if (row?.kind === 'comment') return editComment(draftKey, row.comment.key)
    if (row?.kind !== 'line') return
    const line = row[cursor.side]
    if (line !== null) commentOn(cursor.side, cursor.range ?? [line, line])
  }
  return { commentOn, commentAtCursor }
}
