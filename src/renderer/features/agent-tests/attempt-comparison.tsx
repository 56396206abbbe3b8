/** The attempts of a cell beside those of the version in use: both transcripts, the checks, the changed lines. */

import { diffArrays } from 'diff'
import { Check, X } from 'lucide-react'
import { type ComponentType, Fragment, type ReactNode, useMemo } from 'react'
import type { AgentVersion, CaseAttempt, CheckResult } from '../../../shared/agent-tests/agent-tests.ts'
import { type AlignedSteps, alignSteps, transcriptSteps } from '../../../shared/agent-tests/aligned-steps.ts'
import { becauseText, caseCheckText } from '../../../shared/agent-tests/attempt-text.ts'
import type { GridCell, GridRow } from '../../../shared/agent-tests/grid.ts'
import type { TranscriptRow } from '../../../shared/events/transcript-row.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { NO_ROWS, type ShownSide, SideHead, useSide } from './attempt-side.tsx'
import { closeCell, showAttempt, showOnlyDifferences, useBench } from './bench-store.ts'
import { HAS_ENDED, isOpinion, rateText } from './bench-text.ts'
import { DefinitionDifference } from './definition-difference.tsx'
import type { BenchView } from './use-bench.ts'

/** Draws one row of an attempt's transcript. */
export interface AttemptRowProps {
  readonly agentId: string
  readonly row: TranscriptRow
}

interface AttemptComparisonProps {
  readonly bench: BenchView
  readonly row: ComponentType<AttemptRowProps>
  /** Shows the conversation of an attempt on the stage. */
  readonly onShowTranscript: (conversationId: string) => void
  /** Adds a version with this text, and offers to run it. */
  readonly onTryWithout: (of: AgentVersion, text: string, title: string) => void
  /** There is little height: the changed lines show when asked for. */
  readonly isShort: boolean
}

export function AttemptComparison(props: AttemptComparisonProps) {
  const { bench, row: Row, onShowTranscript, onTryWithout, isShort } = props
  const place = useBench((state) => state.place)
  const number = useBench((state) => state.attempt)
  const shown = bench.grid.rows.find(({ case: one }) => one.file === place?.caseFile)
  const sides = shown === undefined ? null : sidesOf(shown, place?.versionId ?? null, bench.grid.inUse)
  const left = useSide(sides?.left ?? null, number)
  const right = useSide(sides?.right ?? null, number)
  const aligned = useMemo(
    () =>
      alignSteps(transcriptSteps(left?.rows ?? NO_ROWS), transcriptSteps(right?.rows ?? NO_ROWS), diffArrays),
    [left?.rows, right?.rows],
  )
  if (shown === undefined || sides === null || right === null) return null
  return (
    <section aria-label={`Attempts at ${shown.case.name}`} className="flex h-full min-h-0 flex-col bg-bg-1">
      <Bar row={shown} left={sides.left} right={sides.right} />
      <div className="grid shrink-0 grid-cols-[repeat(auto-fit,minmax(0,1fr))] [grid-auto-flow:column]">
        {left !== null && <SideHead side={left} color={COLORS.left} onShowTranscript={onShowTranscript} />}
        <SideHead side={right} color={COLORS.right} onShowTranscript={onShowTranscript} />
      </div>
      <Steps left={left} right={right} aligned={aligned} row={Row} />
      <div className="grid max-h-[35%] shrink-0 auto-cols-fr grid-flow-col overflow-y-auto border-line border-t">
        {left !== null && <Checks attempt={left.attempt} />}
        <Checks attempt={right.attempt} />
      </div>
      {left !== null && (
        <DefinitionDifference
          before={left.cell.version}
          after={right.cell.version}
          isShort={isShort}
          onTryWithout={onTryWithout}
        />
      )}
    </section>
  )
}

/** The hues of both sides. */
const COLORS = { left: 'blue', right: 'pink' }

interface Sides {
  /** Null: there is no other version. */
  readonly left: GridCell | null
  readonly right: GridCell
}

/** The version in use at the left; where that one is chosen, the next with attempts at the right. */
function sidesOf({ cells }: GridRow, versionId: string | null, inUse: AgentVersion | null): Sides | null {
  const chosen = cells.find(({ version }) => version.id === versionId)
  if (chosen === undefined) return null
  if (chosen.version.id !== inUse?.id)
    return {
      left:
        cells.find(({ version }) => version.id === inUse?.id) ??
        cells.find((cell) => cell !== chosen) ??
        null,
      right: chosen,
    }
  const other = cells.find((cell) => cell !== chosen && cell.attempts.length > 0)
  return other === undefined ? { left: null, right: chosen } : { left: chosen, right: other }
}

interface BarProps {
  readonly row: GridRow
  readonly left: GridCell | null
  readonly right: GridCell
}

function Bar({ row, left, right }: BarProps) {
  const number = useBench((state) => state.attempt)
  const onlyDifferences = useBench((state) => state.onlyDifferences)
  const most = Math.max(left?.attempts.at(-1)?.number ?? 0, right.attempts.at(-1)?.number ?? 0)
  const failed = new Set(right.attempts.flatMap((each) => (each.state === 'failed' ? [each.number] : [])))
  const titles = left === null ? right.version.title : `${left.version.title} and ${right.version.title}`
  return (
    <header className="flex h-9 shrink-0 items-center gap-2.5 border-line border-b pr-2 pl-3 text-sm">
      <h3 title={row.case.name} className="min-w-0 truncate font-semibold text-fg-0">
        {row.case.name}
      </h3>
      <span title={rateText(right)} className="min-w-0 shrink-[2] truncate text-fg-2">
        {titles}
      </span>
      {most > 0 && (
        <span className="min-w-0 overflow-x-auto [scrollbar-width:none]">
          <Segmented
            label="Attempt"
            value={String(Math.min(number, most))}
            options={Array.from({ length: most }, (_, at) => {
              const label = String(at + 1)
              return failed.has(at + 1)
                ? { value: label, label, mark: { icon: FAILED_MARK, name: `${label}, failed` } }
                : { value: label, label }
            })}
            onChange={(value) => showAttempt(Number(value))}
          />
        </span>
      )}
      <span className="flex-1" />
      <Button
        variant="quiet"
        aria-pressed={onlyDifferences}
        className={onlyDifferences ? 'bg-bg-3 text-fg-0' : undefined}
        onClick={() => showOnlyDifferences(!onlyDifferences)}
      >
        Differences only
      </Button>
      <IconButton label="Close" keys="Esc" icon={X} onClick={closeCell} />
    </header>
  )
}

const FAILED_MARK = <X size={11} aria-hidden="true" className="ml-1.5 inline text-bad" />

interface StepsProps {
  readonly left: ShownSide | null
  readonly right: ShownSide
  readonly aligned: AlignedSteps
  readonly row: ComponentType<AttemptRowProps>
}

function Steps({ left, right, aligned, row: Row }: StepsProps) {
  const onlyDifferences = useBench((state) => state.onlyDifferences)
  const { pairs, firstDifference } = aligned
  const rowsOf = (side: ShownSide | null) => new Map(side?.rows?.map((row) => [row.key, row]))
  const [leftRows, rightRows] = [rowsOf(left), rowsOf(right)]
  const draw = (side: ShownSide | null, key: string | undefined) => {
    const row = (side === left ? leftRows : rightRows).get(key ?? '')
    return row === undefined ? null : <Row agentId={side?.attempt?.agentId ?? ''} row={row} />
  }
  const hidden = onlyDifferences ? pairs.filter(({ same }) => same).length : 0
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Steps of both attempts"
      data-selectable=""
      className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
    >
      <div
        className={classNames(
          'relative grid min-h-full content-start',
          left !== null &&
            'grid-cols-2 before:absolute before:inset-y-0 before:left-1/2 before:w-px before:bg-line',
        )}
      >
        {hidden > 0 && (
          <p className="col-span-full px-3.5 pt-2 text-fg-2 text-xs">
            {hidden === 1 ? '1 equal step is hidden.' : `${hidden} equal steps are hidden.`}
          </p>
        )}
        {pairs.map((pair, at) => (
          <Fragment key={`${pair.left?.key} ${pair.right?.key}`}>
            {at === firstDifference && left !== null && at > 0 && !isSideEmpty(left, right) && (
              <>
                <Rule />
                <Rule />
              </>
            )}
            {!(onlyDifferences && pair.same) && (
              <>
                {left !== null && (
                  <StepCell isSame={pair.same} color={COLORS.left}>
                    {draw(left, pair.left?.key)}
                  </StepCell>
                )}
                <StepCell isSame={pair.same && left !== null} color={COLORS.right}>
                  {draw(right, pair.right?.key)}
                </StepCell>
              </>
            )}
          </Fragment>
        ))}
        {left !== null && <SideState side={left} />}
        <SideState side={right} />
      </div>
    </section>
  )
}

/** Whether one of them has nothing to compare yet. */
const isSideEmpty = (left: ShownSide, right: ShownSide): boolean =>
  (left.rows ?? NO_ROWS).length === 0 || (right.rows ?? NO_ROWS).length === 0

function Rule() {
  return (
    <span className="flex items-center gap-2 px-3.5 pt-1.5 text-fg-2 text-xs before:h-px before:flex-1 before:bg-line-strong after:h-px after:flex-1 after:bg-line-strong">
      first difference
    </span>
  )
}

interface StepCellProps {
  readonly isSame: boolean
  readonly color: string
  readonly children: ReactNode
}

function StepCell({ isSame, color, children }: StepCellProps) {
  return (
    <div
      style={agentStyle(color)}
      data-same={isSame ? '' : undefined}
      className={classNames(
        'min-w-0 px-3.5 pt-1 text-[12.5px]',
        // Dimmed, and still readable.
        isSame && '[--fg-0:var(--fg-2)] [--fg-1:var(--fg-2)] [&_svg]:opacity-60',
      )}
    >
      {children}
    </div>
  )
}

/** What is below the steps: why there are none, or that more will come. */
function SideState({ side }: { readonly side: ShownSide }) {
  const { attempt, rows, failure, cell } = side
  const text =
    failure ??
    (attempt === null
      ? `${cell.version.title} has not been run at this case.`
      : attempt.state === 'waiting'
        ? 'It waits for its turn.'
        : HAS_ENDED.has(attempt.state) && rows !== null && rows.length === 0
          ? 'It has no transcript.'
          : null)
  const isBusy = rows === null || attempt?.state === 'running' || attempt?.state === 'checking'
  return (
    <div className="px-3.5 py-2 text-fg-2 text-sm">
      {text ??
        (isBusy && (
          <span className="flex items-center gap-2">
            <Spinner /> {rows === null ? 'Loading' : attempt?.state === 'checking' ? 'Checking' : 'Running'}
          </span>
        ))}
    </div>
  )
}

function Checks({ attempt }: { readonly attempt: CaseAttempt | null }) {
  const because = attempt === null ? '' : becauseText(attempt)
  return (
    <ul
      aria-label="Checks"
      className="grid min-w-0 content-start gap-1 border-line px-3.5 py-2 text-sm not-first:border-l"
    >
      {attempt !== null && attempt.because !== null && (
        <li className="flex items-start gap-2">
          <X size={13} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
          <span className="min-w-0 text-fg-1 wrap-anywhere" data-selectable="">
            {because}
          </span>
        </li>
      )}
      {attempt?.checks.map((result, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: checks never move
        <CheckLine key={at} result={result} />
      ))}
      {(attempt === null || (attempt.checks.length === 0 && attempt.because === null)) && (
        <li className="text-fg-2">{attempt === null ? ' ' : 'No check was made yet.'}</li>
      )}
    </ul>
  )
}

/** Longer ones fold: the end of a command's output may be long. */
const SHORT = 120

function CheckLine({ result }: { readonly result: CheckResult }) {
  const { check, passed, found } = result
  const isLong = found.length > SHORT || found.includes('\n')
  const Icon = passed ? Check : X
  return (
    <li className="flex items-start gap-2">
      <Icon
        size={13}
        aria-hidden="true"
        className={classNames('mt-[3px] shrink-0', passed ? 'text-ok' : 'text-bad')}
      />
      <span className="min-w-0 flex-1">
        <span className="sr-only">{passed ? 'Passed: ' : 'Failed: '}</span>
        <span className="text-fg-0">{caseCheckText(check)}</span>
        {isOpinion(result) && (
          <span
            title="What a model thinks, by the majority of three votes"
            className="ml-2 rounded-[4px] border border-line px-1.5 text-2xs text-fg-2"
          >
            opinion
          </span>
        )}
        {found !== '' && !isLong && <span className="ml-2 text-fg-2 wrap-anywhere">{found}</span>}
        {isLong && (
          <details>
            <summary className="text-fg-2">{found.trim().split('\n', 1)[0]?.slice(0, SHORT)}</summary>
            <pre
              data-selectable=""
              className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap rounded-[6px] bg-bg-0 px-2.5 py-1.5 font-mono text-fg-1 text-xs wrap-anywhere"
            >
              {found}
            </pre>
          </details>
        )}
      </span>
    </li>
  )
}
