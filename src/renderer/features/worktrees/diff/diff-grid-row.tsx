/** The content of a grid row: a line, a gap, a note, a comment, or the comment editor. */
import { CommentEditor, CommentRow, SentRow } from './comment-row.tsx'
import { DiffLine } from './diff-line.tsx'
import type { DiffRow } from './diff-rows.ts'
import { Gap } from './gap.tsx'
import type { FileColors } from './use-colors.ts'
import type { DiffCursor } from './use-cursor.ts'
import type { FileDiff } from './use-diff.ts'

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
  readonly agentName: string
  /** Moves the focus from a comment back to the grid. */
  readonly onLeaveComment: () => void
}

export function DiffGridRow(props: DiffGridRowProps) {
  const { row, diff, colors, layout, cursor, isCursor, sought, draftKey, agentName, onLeaveComment } = props
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
        <CommentRow
          draftKey={draftKey}
          comment={row.comment}
          stale={row.stale}
          agentName={agentName}
          onLeave={onLeaveComment}
        />
      )}
      {row.kind === 'sent' && <SentRow sent={row.sent} stale={row.stale} />}
      {row.kind === 'editor' && (
        <CommentEditor draftKey={draftKey} half={row.half} onLeave={onLeaveComment} />
      )}
    </div>
  )
}

function isInRange(line: number | null, range: readonly [number, number] | null): boolean {
  return line !== null && range !== null && line >= range[0] && line <= range[1]
}
