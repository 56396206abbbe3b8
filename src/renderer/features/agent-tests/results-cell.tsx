// biome-ignore-all lint/a11y/useSemanticElements: as in the grid
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the keys
/** The result of a version at a case: a mark for each attempt, how many passed, what they cost, and how they compare. */
import { memo } from 'react'
import type { GridCell } from '../../../shared/agent-tests/grid.ts'
import { Tooltip } from '../../ui/popover.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { AttemptTicks } from './attempt-ticks.tsx'
import { goToCell, openCell, useBench } from './bench-store.ts'
import { figuresText, rateText } from './bench-text.ts'

interface ResultsCellProps {
  readonly cell: GridCell
  readonly caseFile: string
  readonly caseName: string
  /** The tab stop while no cell is chosen. */
  readonly isFirst: boolean
}

/** Drawn again only where its attempts or its judgment change. */
export const ResultsCell = memo(
  function Cell({ cell, caseFile, caseName, isFirst }: ResultsCellProps) {
    const { version, attempts, counted, judgment } = cell
    const isSelected = useBench(({ place }) => place?.versionId === version.id && place.caseFile === caseFile)
    const hasNoPlace = useBench(({ place }) => place === null)
    const usual = useBench(({ options }) => options.attempts)
    const hasEnded = counted > 0
    const about = figuresText(cell)
    const broken = attempts.filter(({ state }) => state === 'broken').length
    const brokenText = broken > 0 && judgment === null ? `${broken} broken` : ''
    const said = [cellText(cell), brokenText, judgment ?? '', about].filter((part) => part !== '')
    return (
      <div
        role="gridcell"
        tabIndex={isSelected || (isFirst && hasNoPlace) ? 0 : -1}
        aria-selected={isSelected}
        aria-label={`${caseName}, ${version.title}: ${said.join(', ')}`}
        data-cell={`${version.id} ${caseFile}`}
        onClick={() => openCell({ caseFile, versionId: version.id }, firstToShow(cell))}
        onFocus={() => goToCell({ caseFile, versionId: version.id })}
        className={classNames(
          'relative grid scroll-mt-[52px] scroll-mb-[48px] scroll-ml-(--names) content-center gap-[3px] border-line border-l px-3 text-left outline-none',
          judgment === 'worse' ? 'bg-[color-mix(in_oklab,var(--bad)_9%,var(--bg-1))]' : 'hover:bg-bg-2',
          isSelected && 'shadow-[inset_0_0_0_1.5px_var(--accent)]',
        )}
      >
        <span className="flex items-center gap-2 text-md leading-[17px]">
          <AttemptTicks attempts={attempts} more={attempts.length === 0 ? usual : 0} />
          <span className={hasEnded ? 'font-medium text-fg-0' : 'text-fg-2'}>{cellText(cell)}</span>{' '}
          {brokenText !== '' && <span className="text-bad text-xs">{brokenText}</span>}
          {judgment !== null && <JudgmentTag judgment={judgment} reason={rateText(cell)} />}
        </span>{' '}
        {attempts.length > 0 && (
          <span
            title={hasEnded ? rateText(cell) : undefined}
            className="truncate font-mono text-[10.5px] text-fg-2 leading-[14px]"
          >
            {about === '' ? ' ' : about}
          </span>
        )}
      </div>
    )
  },
  (before, after) =>
    before.caseName === after.caseName &&
    before.isFirst === after.isFirst &&
    before.cell.judgment === after.cell.judgment &&
    before.cell.chance === after.cell.chance &&
    before.cell.version.id === after.cell.version.id &&
    before.cell.version.title === after.cell.version.title &&
    before.cell.attempts.length === after.cell.attempts.length &&
    before.cell.attempts.every((attempt, at) => attempt === after.cell.attempts[at]),
)

function cellText({ attempts, passed, counted }: GridCell): string {
  if (counted > 0) return `${passed} of ${counted}`
  if (attempts.some(({ state }) => state === 'running' || state === 'checking')) return 'running'
  if (attempts.some(({ state }) => state === 'waiting')) return 'waiting'
  return attempts.length === 0 ? 'not run' : 'no result'
}

/** The number of the attempt that is shown first: one that failed says most. */
export function firstToShow({ attempts }: Pick<GridCell, 'attempts'>): number {
  return (attempts.find(({ state }) => state === 'failed') ?? attempts[0])?.number ?? 1
}

interface JudgmentTagProps {
  readonly judgment: 'better' | 'worse'
  readonly reason: string
  readonly children?: string
}

export function JudgmentTag({ judgment, reason, children }: JudgmentTagProps) {
  return (
    <Tooltip text={reason}>
      <span
        className={classNames(
          'ml-auto shrink-0 rounded-[4px] border px-[5px] font-medium text-[10.5px] leading-[15px]',
          judgment === 'worse'
            ? 'border-[color-mix(in_oklab,var(--bad)_50%,var(--line))] text-bad'
            : 'border-[color-mix(in_oklab,var(--ok)_45%,var(--line))] text-ok',
        )}
      >
        {children ?? judgment}
      </span>
    </Tooltip>
  )
}
