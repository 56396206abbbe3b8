// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not laid out, which table rows can't do
// biome-ignore-all lint/a11y/useFocusableInteractive: the cells have the focus
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the keys
/** The results: a row for each case, a column for each version. Cells are reached with the arrow keys. */
import { Check, Ellipsis, FilePen, Play, Plus, Trash2, X } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import type { AgentCase, AgentVersion } from '../../../shared/agent-tests/agent-tests.ts'
import type { GridRow, GridTotal } from '../../../shared/agent-tests/grid.ts'
import { withCommas } from '../../../shared/kernel/amounts.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatMoney } from '../../ui/text/format.ts'
import {
  type CellPlace,
  chooseVersion,
  closeCell,
  goToCell,
  openCell,
  removeVersion,
  useBench,
} from './bench-store.ts'
import { aboutVersion, allChecksText, figuresText, rateText, someChecksText } from './bench-text.ts'
import { firstToShow, JudgmentTag, ResultsCell } from './results-cell.tsx'
import type { BenchView } from './use-bench.ts'

interface ResultsGridProps {
  readonly bench: BenchView
  readonly onAddVersion: () => void
  readonly onEdit: (file: string) => void
  readonly onDelete: (one: AgentCase) => void
  /** Runs one case with the chosen versions; null: nothing can run now. */
  readonly onRunCase: ((file: string) => void) | null
  /** Makes a version the definition in use; null: it can't be. */
  readonly onUse: (version: AgentVersion) => (() => void) | null
}

const NAMES = 'minmax(var(--names),1fr)'
/** Px of a version, and of the button that adds one. */
const WIDTH = 190
const LAST = 36

export function ResultsGrid(props: ResultsGridProps) {
  const { bench, onAddVersion, onUse } = props
  const { grid, versions, chosen } = bench
  const table = useRef<HTMLDivElement>(null)
  const onKeyDown = useGridKeys(bench, table)
  const columns = `${NAMES} repeat(${versions.length}, ${WIDTH}px) ${LAST}px`
  return (
    <div className="h-full min-h-0 overflow-auto bg-bg-1 [--names:260px] max-[1279px]:[--names:222px]">
      <div
        ref={table}
        role="grid"
        tabIndex={-1}
        aria-label={`Results of ${bench.agent}`}
        aria-rowcount={grid.rows.length + 2}
        aria-colcount={versions.length + 1}
        onKeyDown={onKeyDown}
        style={{ minWidth: `calc(var(--names) + ${versions.length * WIDTH + LAST}px)` }}
        className="outline-none"
      >
        <div
          role="row"
          aria-rowindex={1}
          style={{ gridTemplateColumns: columns }}
          className="sticky top-0 z-20 grid border-line border-b bg-bg-1"
        >
          <div role="columnheader" className={classNames(FIRST, 'bg-bg-1 px-4 py-2')}>
            <span className="block font-semibold text-fg-0 text-md leading-[17px]">
              {count(grid.rows.length, 'case')}
            </span>
            <span className="block truncate text-fg-2 text-xs leading-4">
              Each attempt has its own folder
            </span>
          </div>
          {versions.map((version) => (
            <VersionHead
              key={version.id}
              version={version}
              isInUse={version.id === grid.inUse?.id}
              isChosen={chosen.has(version.id)}
              onUse={onUse(version)}
            />
          ))}
          <div role="columnheader" className="grid place-items-center border-line border-l">
            <IconButton label="Add version" keys="V" icon={Plus} onClick={onAddVersion} />
          </div>
        </div>
        {grid.rows.map((row, index) => (
          <CaseRow key={row.case.file} {...props} row={row} index={index} columns={columns} />
        ))}
        <TotalRow bench={bench} columns={columns} />
      </div>
    </div>
  )
}

/** The column of names stays while the versions scroll. */
const FIRST = 'sticky left-0 z-10 min-w-0'

interface VersionHeadProps {
  readonly version: AgentVersion
  readonly isInUse: boolean
  readonly isChosen: boolean
  readonly onUse: (() => void) | null
}

function VersionHead({ version, isInUse, isChosen, onUse }: VersionHeadProps) {
  const { id, title, text } = version
  return (
    <div
      role="columnheader"
      className={classNames(
        'group relative border-line border-l px-3 py-2',
        isChosen && 'bg-[color-mix(in_oklab,var(--accent)_7%,var(--bg-1))]',
      )}
    >
      <span className="flex items-center gap-1.5 pr-11">
        <span title={title} className="min-w-0 truncate font-semibold text-fg-0 text-md leading-[17px]">
          {title}
        </span>
        {isInUse && !title.startsWith('In use') && (
          <span className="shrink-0 rounded-[4px] border border-line px-1.5 text-2xs text-fg-2">in use</span>
        )}
      </span>
      <span title={aboutVersion(version)} className="block truncate text-fg-2 text-xs leading-4">
        {aboutVersion(version)}
      </span>
      <span className="absolute top-1.5 right-2.5 flex h-[22px] items-center gap-1.5">
        {!isInUse && (
          <Menu
            align="end"
            trigger={
              <IconButton
                label={`More for ${title}`}
                icon={Ellipsis}
                className="opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-[popup-open]:opacity-100"
              />
            }
          >
            {text !== null && (
              <MenuItem disabled={onUse === null} onSelect={() => onUse?.()}>
                Use this version…
              </MenuItem>
            )}
            <MenuItem icon={X} onSelect={() => removeVersion(version)}>
              Remove column
            </MenuItem>
          </Menu>
        )}
        <Tooltip text={isChosen ? 'In the next run' : 'Not in the next run'}>
          {/* A button, since the keys of the view do not work in a field. */}
          <button
            type="button"
            role="checkbox"
            aria-checked={isChosen}
            aria-label={`Run ${title}`}
            onClick={() => chooseVersion(id, !isChosen)}
            className={classNames(
              'grid size-3.5 place-items-center rounded-[4px] border',
              isChosen ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
            )}
          >
            {isChosen && <Check size={10} strokeWidth={3} aria-hidden="true" />}
          </button>
        </Tooltip>
      </span>
    </div>
  )
}

type CaseRowProps = ResultsGridProps & {
  readonly row: GridRow
  readonly index: number
  readonly columns: string
}

function CaseRow({ row, index, columns, onEdit, onDelete, onRunCase }: CaseRowProps) {
  const { name, checks, file } = row.case
  const shownChecks = allChecksText(checks)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ gridTemplateColumns: columns }}
      // A row out of view is neither styled nor laid out.
      className="grid h-[46px] border-line border-b [contain-intrinsic-size:auto_46px] [content-visibility:auto]"
    >
      <div role="rowheader" className={classNames(FIRST, 'group flex items-center bg-bg-1 pr-1.5 pl-4')}>
        <span className="min-w-0 flex-1">
          <span title={name} className="block truncate font-medium text-fg-0 text-md leading-[18px]">
            {name}
          </span>
          <span title={shownChecks} className="block truncate text-fg-2 text-xs leading-[15px]">
            {someChecksText(checks)}
          </span>
        </span>
        <Menu
          align="end"
          trigger={
            <IconButton
              label={`More for ${name}`}
              icon={Ellipsis}
              className="opacity-0 focus-visible:opacity-100 group-hover:opacity-100 data-[popup-open]:opacity-100"
            />
          }
        >
          <MenuItem icon={FilePen} onSelect={() => onEdit(file)}>
            Edit case…
          </MenuItem>
          <MenuItem icon={Play} disabled={onRunCase === null} onSelect={() => onRunCase?.(file)}>
            Run this case
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={() => onDelete(row.case)}>
            Delete case
          </MenuItem>
        </Menu>
      </div>
      {row.cells.map((cell, at) => (
        <ResultsCell
          key={cell.version.id}
          cell={cell}
          caseFile={file}
          caseName={name}
          isFirst={index === 0 && at === 0}
        />
      ))}
    </div>
  )
}

function TotalRow({ bench, columns }: { readonly bench: BenchView; readonly columns: string }) {
  const { grid, chosen } = bench
  const estimate = useBench((state) => state.estimate)
  return (
    <div
      role="row"
      aria-rowindex={grid.rows.length + 2}
      style={{ gridTemplateColumns: columns }}
      className="sticky bottom-0 z-20 grid h-[46px] bg-bg-2"
    >
      <div role="rowheader" className={classNames(FIRST, 'grid content-center bg-bg-2 px-4')}>
        <span className="font-semibold text-fg-0 text-md leading-[18px]">All cases</span>
        <span className="text-fg-2 text-xs leading-[15px]">median per attempt</span>
      </div>
      {grid.totals.map((total) => {
        const isNext = total.counted === 0 && chosen.has(total.version.id) && chosen.size === 1
        return (
          <div
            key={total.version.id}
            role="gridcell"
            className="grid content-center gap-[3px] border-line border-l px-3"
          >
            <span className="flex items-center gap-1.5 text-md leading-[17px]">
              <span
                title={total.counted > 0 ? rateText(total) : undefined}
                className={total.counted > 0 ? 'font-medium text-fg-0' : 'text-fg-2'}
              >
                {total.counted === 0
                  ? 'not run'
                  : `${withCommas(total.passed)} of ${withCommas(total.counted)}`}
              </span>
              <TotalTags total={total} />
            </span>
            <span className="truncate font-mono text-[10.5px] text-fg-2 leading-[14px]">
              {total.counted > 0
                ? figuresText(total)
                : isNext && estimate !== null && estimate.usd !== null
                  ? `about ${formatMoney(estimate.usd)} for ${estimate.attempts}`
                  : ' '}
            </span>
          </div>
        )
      })}
      <div role="gridcell" className="border-line border-l" />
    </div>
  )
}

function TotalTags({ total }: { readonly total: GridTotal }) {
  const { better, worse } = total
  const reason = rateText(total)
  return (
    <span className="ml-auto flex gap-1">
      {better > 0 && (
        <JudgmentTag judgment="better" reason={reason}>
          {`${better} better`}
        </JudgmentTag>
      )}
      {worse > 0 && (
        <JudgmentTag judgment="worse" reason={reason}>
          {`${worse} worse`}
        </JudgmentTag>
      )}
    </span>
  )
}

/** Arrows, Home and End go from cell to cell; Enter shows the attempts, Escape puts them away. */
function useGridKeys({ grid, versions }: BenchView, table: RefObject<HTMLDivElement | null>) {
  const place = useBench((state) => state.place)
  const isOpen = useBench((state) => state.isOpen)
  useEffect(() => {
    if (!isOpen || place === null) return
    cellElement(table.current, place)?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }, [isOpen, place, table])
  return (event: KeyboardEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('[role="gridcell"]') === null) return
    const row = Math.max(
      0,
      grid.rows.findIndex(({ case: one }) => one.file === place?.caseFile),
    )
    const column = Math.max(
      0,
      versions.findIndex(({ id }) => id === place?.versionId),
    )
    const cellAt = (toRow: number, toColumn: number) =>
      grid.rows[clamp(toRow, grid.rows.length)]?.cells[clamp(toColumn, versions.length)]
    const goTo = (toRow: number, toColumn: number) => {
      const at = grid.rows[clamp(toRow, grid.rows.length)]?.case.file
      const version = versions[clamp(toColumn, versions.length)]?.id
      const cell = cellAt(toRow, toColumn)
      if (at === undefined || version === undefined || cell === undefined) return
      const next = { caseFile: at, versionId: version }
      if (useBench.getState().isOpen) openCell(next, firstToShow(cell))
      else goToCell(next)
      cellElement(table.current, next)?.focus()
    }
    if (event.key === 'ArrowDown') goTo(row + 1, column)
    else if (event.key === 'ArrowUp') goTo(row - 1, column)
    else if (event.key === 'ArrowRight') goTo(row, column + 1)
    else if (event.key === 'ArrowLeft') goTo(row, column - 1)
    else if (event.key === 'Home') goTo(row, 0)
    else if (event.key === 'End') goTo(row, versions.length - 1)
    else if (event.key === 'Enter' || event.key === ' ') {
      const cell = cellAt(row, column)
      if (cell !== undefined && place !== null) openCell(place, firstToShow(cell))
    } else if (event.key === 'Escape' && isOpen) closeCell()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
}

const clamp = (at: number, length: number): number => Math.max(0, Math.min(length - 1, at))

function cellElement(table: HTMLElement | null, { versionId, caseFile }: CellPlace): HTMLElement | null {
  return table?.querySelector(`[data-cell="${CSS.escape(`${versionId} ${caseFile}`)}"]`) ?? null
}
