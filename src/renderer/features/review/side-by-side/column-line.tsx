/** A line in one column: its number and its text. */
import { memo } from 'react'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { Code, LINE_STYLES, useWordChanges } from '../diff/diff-line.tsx'
import type { LineRow } from '../diff/diff-rows.ts'
import type { FileDiff } from '../diff/use-diff.ts'

interface ColumnLineProps {
  readonly row: LineRow
  readonly diff: FileDiff
  /** Undefined until the line is highlighted. */
  readonly tokens: HighlightedLine | undefined
}

export const ColumnLine = memo(function ColumnLine({ row, diff, tokens }: ColumnLineProps) {
  const words = useWordChanges(row, diff)
  const side = row.after === null ? 'before' : 'after'
  const index = row[side]
  const style = row.changed
    ? side === 'before'
      ? LINE_STYLES.removed
      : LINE_STYLES.added
    : LINE_STYLES.context
  return (
    <div role="presentation" className="grid h-full grid-cols-[calc(var(--digits)*1ch+1.6ch)_minmax(0,1fr)]">
      <span className="select-none pr-[1ch] text-right text-fg-2">{(index ?? 0) + 1}</span>
      <Code
        which={side}
        index={index}
        text={index === null ? '' : (diff[side][index] ?? '')}
        tokens={tokens ?? null}
        marked={words?.[side] ?? null}
        style={style}
        markClass={style.mark}
        isCursor={false}
        isSelected={false}
      />
    </div>
  )
})
