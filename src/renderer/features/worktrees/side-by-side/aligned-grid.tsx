/** The diffs of one file beside each other. One list of rows, so that all columns scroll together. */

import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  memo,
  type Ref,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import codeStyles from '../../../ui/code/code-colors.module.css'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { Gap } from '../diff/diff-grid-row.tsx'
import { Code, LINE_STYLES, useWordChanges } from '../diff/diff-line.tsx'
import type { LineRow } from '../diff/diff-rows.ts'
import type { FileDiff } from '../diff/diff-worker-client.ts'
import { type FileColors, useColors } from '../diff/use-colors.ts'
import { type AlignedRow, alignedRows } from './aligned-rows.ts'

export interface AlignedGridHandle {
  /** Scrolls to the next or previous change. @returns whether there is one */
  goToChange(direction: 1 | -1): boolean
  /** Scrolls to the change at a line of the common text, counted from 1, or to the last one before it. */
  goToLine(line: number): void
  focus(): void
  scrollPage(direction: 1 | -1): void
}

interface AlignedGridProps {
  readonly path: string
  /** Null: the column stays empty. */
  readonly diffs: readonly (FileDiff | null)[]
  /** Shows unchanged lines too. */
  readonly whole: boolean
  readonly handle: Ref<AlignedGridHandle>
}

/** Estimated heights in px, at a text size of 100 %. */
const HEIGHTS = { line: 20, gap: 27 } as const
/** Rows above a change that is scrolled to. */
const ABOVE = 3

/** By the number of columns, after the marks of the changes. */
export const GRID_COLUMNS = [
  '',
  '',
  'grid-cols-[18px_repeat(2,minmax(0,1fr))]',
  'grid-cols-[18px_repeat(3,minmax(0,1fr))]',
]

export function AlignedGrid({ path, diffs, whole, handle }: AlignedGridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => alignedRows(diffs, { expanded, whole }), [diffs, expanded, whole])
  const starts = useMemo(
    () => rows.flatMap((row, index) => (row.kind === 'line' && row.change !== null ? [index] : [])),
    [rows],
  )
  const [current, setCurrent] = useState<number | null>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'line'],
    overscan: 20,
  })
  const colors = useColumnColors(path, diffs)
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when other lines become visible
  useEffect(() => colors.setVisible(rows.slice(startIndex, endIndex + 1)), [rows, startIndex, endIndex])
  const goToRow = (at: number) => {
    setCurrent(at)
    virtualizer.scrollToIndex(Math.max(0, at - ABOVE), { align: 'start' })
  }
  useImperativeHandle(handle, () => ({
    goToChange: (direction) => {
      const from = current ?? (direction === 1 ? -1 : rows.length)
      const next = direction === 1 ? starts.find((at) => at > from) : starts.findLast((at) => at < from)
      if (next === undefined) return false
      goToRow(next)
      return true
    },
    goToLine: (line) => {
      const isBefore = (row: AlignedRow) =>
        row.kind === 'line' && row.cells.some((cell) => cell !== null && (cell.before ?? line) < line)
      const last = rows.findLastIndex(isBefore)
      const at = starts.findLast((start) => start <= last) ?? starts[0]
      if (at !== undefined) goToRow(at)
    },
    focus: () => scroller.current?.focus(),
    scrollPage: (direction) =>
      scroller.current?.scrollBy({ top: direction * scroller.current.clientHeight * 0.9 }),
  }))
  const filled = diffs.find((diff) => diff !== null) ?? null
  const longest = Math.max(
    0,
    ...diffs.map((diff) => Math.max(diff?.before.length ?? 0, diff?.after.length ?? 0)),
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are rendered as needed, which <table> does not allow
    <div
      ref={scroller}
      role="grid"
      aria-label={`Changes of ${path}, side by side`}
      aria-rowcount={rows.length}
      tabIndex={0}
      data-wrap="on"
      style={{ '--digits': Math.max(2, String(longest).length) } as CSSProperties}
      className={classNames(
        codeStyles.colors,
        'group/grid min-h-0 flex-1 overflow-x-hidden overflow-y-scroll font-mono text-[0.78125rem] leading-[1.6] focus-visible:-outline-offset-2',
      )}
    >
      <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              role="row"
              aria-rowindex={item.index + 1}
              className="absolute left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {row.kind === 'gap' ? (
                // biome-ignore lint/a11y/useSemanticElements: as above
                // biome-ignore lint/a11y/useFocusableInteractive: as above
                // biome-ignore lint/a11y/useKeyWithClickEvents: a key shows all lines
                <div role="gridcell" onClick={() => setExpanded(new Set([...expanded, row.from]))}>
                  <Gap row={{ ...row, block: 0 }} after={filled?.before ?? []} isCursor={false} />
                </div>
              ) : (
                <Line row={row} diffs={diffs} colors={colors.all} isCurrent={item.index === current} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface LineProps {
  readonly row: AlignedRow & { readonly kind: 'line' }
  readonly diffs: readonly (FileDiff | null)[]
  readonly colors: readonly FileColors[]
  /** Whether the user went to this change. */
  readonly isCurrent: boolean
}

const MARKS = {
  same: { sign: '=', label: 'The same change in all columns', color: 'text-ok' },
  different: { sign: '≠', label: 'Different changes', color: 'text-fg-2' },
} as const

function Line({ row, diffs, colors, isCurrent }: LineProps) {
  const mark = row.change === null ? null : MARKS[row.change]
  return (
    <div role="presentation" className={classNames('grid', GRID_COLUMNS[row.cells.length])}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <span
        role="gridcell"
        title={mark?.label}
        className={classNames(
          'select-none border-l-2 text-center',
          mark?.color,
          isCurrent ? 'border-l-accent' : 'border-l-transparent',
        )}
      >
        {mark !== null && (
          <>
            <span aria-hidden="true">{mark.sign}</span>
            <span className="sr-only">{mark.label}</span>
          </>
        )}
      </span>
      {row.cells.map((cell, at) => {
        const diff = diffs[at]
        const divider = at > 0 && 'border-l border-l-line'
        if (cell === null || diff == null)
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
            <span key={at} role="gridcell" className={classNames('bg-bg-1', divider)} />
          )
        const side = cell.after === null ? 'before' : 'after'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
          <div key={at} role="presentation" className={classNames('min-w-0', divider)}>
            <ColumnLine row={cell} diff={diff} tokens={colors[at]?.[side][cell[side] ?? -1]} />
          </div>
        )
      })}
    </div>
  )
}

const NO_LINES = { before: [], after: [] }

/** The highlighting of up to three columns. */
function useColumnColors(path: string, diffs: readonly (FileDiff | null)[]) {
  const jobs = [
    useColors(path, diffs[0] ?? NO_LINES),
    useColors(path, diffs[1] ?? NO_LINES),
    useColors(path, diffs[2] ?? NO_LINES),
  ]
  return {
    all: jobs.map(({ colors }) => colors),
    setVisible: (rows: readonly AlignedRow[]) =>
      jobs.forEach((job, at) => {
        const cells = rows.flatMap((row) => (row.kind === 'line' ? (row.cells[at] ?? []) : []))
        job.setVisible({
          before: rangeOf(cells.map(({ before }) => before)),
          after: rangeOf(cells.map(({ after }) => after)),
        })
      }),
  }
}

function rangeOf(lines: readonly (number | null)[]): { readonly from: number; readonly to: number } {
  const known = lines.filter((line) => line !== null)
  return { from: known[0] ?? 0, to: (known.at(-1) ?? -1) + 1 }
}

interface ColumnLineProps {
  readonly row: LineRow
  readonly diff: FileDiff
  /** Undefined until the line is highlighted. */
  readonly tokens: HighlightedLine | undefined
}

/** A line in one column: its number and its text. */
const ColumnLine = memo(function ColumnLine({ row, diff, tokens }: ColumnLineProps) {
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
