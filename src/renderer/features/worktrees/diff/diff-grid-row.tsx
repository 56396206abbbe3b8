/** The content of a grid row: a line, a gap, a note, a comment, or the comment editor. */

import { UnfoldVertical } from 'lucide-react'
import { useMemo } from 'react'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { CommentEditor, CommentRow, SentCommentRow } from './comment-row.tsx'
import { DiffLine } from './diff-line.tsx'
import type { DiffRow, GapRow } from './diff-rows.ts'
import type { FileDiff } from './diff-worker-client.ts'
import type { FileColors } from './use-colors.ts'
import type { DiffCursor } from './use-grid-navigation.ts'

interface DiffGridRowProps {
  readonly row: DiffRow
  readonly diff: FileDiff
  readonly colors: FileColors
  readonly layout: 'split' | 'unified'
  readonly cursor: DiffCursor
  /** Whether the cursor is on this row. */
  readonly isCursor: boolean
  /** The text that is searched for; empty without a search. */
  readonly sought: string
  readonly draftKey: string
  /** Moves the focus from a comment back to the grid. */
  readonly onLeaveComment: () => void
}

export function DiffGridRow(props: DiffGridRowProps) {
  const { row, diff, colors, layout, cursor, isCursor, sought, draftKey, onLeaveComment } = props
  if (row.kind === 'line')
    return (
      <DiffLine
        row={row}
        diff={diff}
        oldTokens={row.before === null ? undefined : colors.before[row.before]}
        newTokens={row.after === null ? undefined : colors.after[row.after]}
        layout={layout}
        sought={sought}
        cursor={isCursor ? cursor.side : null}
        selected={isInRange(row[cursor.side], cursor.range) ? cursor.side : null}
      />
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are rendered as needed, which <td> does not allow
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
    <div role="gridcell">
      {row.kind === 'gap' && <Gap row={row} after={diff.after} isCursor={isCursor} />}
      {row.kind === 'note' && <p className="bg-bg-2 px-3 py-1 font-sans text-fg-1 text-sm">{row.text}</p>}
      {row.kind === 'comment' && (
        <CommentRow draftKey={draftKey} comment={row.comment} stale={row.stale} onLeave={onLeaveComment} />
      )}
      {row.kind === 'sent' && <SentCommentRow sent={row.sent} stale={row.stale} />}
      {row.kind === 'editor' && (
        <CommentEditor draftKey={draftKey} half={row.half} onLeave={onLeaveComment} />
      )}
    </div>
  )
}

function isInRange(line: number | null, range: readonly [number, number] | null): boolean {
  return line !== null && range !== null && line >= range[0] && line <= range[1]
}

/** Hidden unchanged lines. A click or Enter shows them. */
interface GapProps {
  readonly row: GapRow
  readonly after: readonly string[]
  readonly isCursor: boolean
}

export function Gap({ row, after, isCursor }: GapProps) {
  const enclosing = useMemo(() => enclosingLine(after, row.upTo), [after, row.upTo])
  return (
    <div
      title="Show these lines"
      className={`flex cursor-pointer items-center gap-2 border-l-2 bg-bg-2 py-[3px] pr-2.5 pl-2 text-fg-2 hover:bg-bg-3 hover:text-fg-0 ${
        isCursor ? 'border-l-fg-3 text-fg-0 group-focus/grid:border-l-accent' : 'border-l-transparent'
      }`}
    >
      <UnfoldVertical size={12} aria-hidden="true" className="shrink-0" />
      <span className="shrink-0">{count(row.hidden, 'unchanged line')}</span>
      {enclosing !== null && (
        <span className="min-w-0 truncate pl-2 text-fg-1">
          <VisibleText>{enclosing}</VisibleText>
        </span>
      )}
    </div>
  )
}

/** How many lines above a gap are searched for its enclosing line. */
const LONGEST_SEARCH = 2000

/** The line that names the function, class or section around `upTo`. */
function enclosingLine(lines: readonly string[], upTo: number): string | null {
  for (let index = upTo - 1; index >= Math.max(0, upTo - LONGEST_SEARCH); index--) {
    const line = lines[index] ?? ''
    if (/^[\p{L}_$#@]/u.test(line) && !/^(import|from|use|#include)\b/.test(line)) return line.slice(0, 200)
  }
  return null
}
