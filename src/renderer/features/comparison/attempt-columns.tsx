/** The attempts of a comparison as columns with aligned rows: checks, size, cost and time, approach, diff; below, what to do. */
import { Ellipsis } from 'lucide-react'
import { type ComponentType, type ReactNode, useCallback, useState } from 'react'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import type { ReviewFile } from '../../../shared/worktrees/review.ts'
import { type AttemptDiffProps, selectAttempt, showPair } from '../../stores/comparison-store.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { writeTo } from '../../stores/draft-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatDuration } from '../../ui/text/format.ts'
import { attemptActions } from './attempt-actions.ts'
import { Approach, Checks, CostAndTime, Size, StateText } from './attempt-cells.tsx'
import { type AttemptName, attemptName, bestAmounts } from './attempt-text.ts'

interface AttemptColumnsProps {
  /** Names the comparison in its store. */
  readonly id: string
  readonly rows: readonly AttemptRow[]
  /** The letters of the attempts, in their order. */
  readonly letters: readonly string[]
  /** The id of the selected attempt’s agent. */
  readonly selected: string | null
  /** Null: nothing is checked. */
  readonly command: string | null
  readonly onShowAgent: (agentId: string) => void
  readonly diff: ComponentType<AttemptDiffProps>
}

/** Widths in px. */
const HEADS = 112
const NARROWEST = 205

export function AttemptColumns(props: AttemptColumnsProps) {
  const { id, rows, letters, selected, command, onShowAgent, diff: Diff } = props
  const [files, setFiles] = useState<ReadonlyMap<string, readonly ReviewFile[]>>(new Map())
  const takeFiles = useCallback(
    (agentId: string, changed: readonly ReviewFile[]) =>
      setFiles((now) => new Map(now).set(agentId, changed)),
    [],
  )
  const columns = rows.map((row, index) => ({
    row,
    name: attemptName(row, letters[index] ?? ''),
    isSelected: row.agentId === selected,
  }))
  const best = bestAmounts(rows)
  const cells = (draw: (column: (typeof columns)[number]) => ReactNode) =>
    columns.map((column) => (
      <Cell key={column.row.agentId} row={column.row} isSelected={column.isSelected}>
        {draw(column)}
      </Cell>
    ))
  return (
    <div className="relative min-h-0 flex-1 overflow-auto">
      <table
        aria-label="Attempts"
        className="h-full w-full table-fixed border-separate border-spacing-0 text-sm"
        style={{ minWidth: HEADS + rows.length * NARROWEST }}
      >
        <colgroup>
          <col style={{ width: HEADS }} />
          {rows.map(({ agentId }) => (
            <col key={agentId} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10">
          <tr>
            <td className="sticky left-0 z-10 border-line border-b bg-bg-0" />
            {columns.map((column) => (
              <ColumnHead key={column.row.agentId} {...column} />
            ))}
          </tr>
        </thead>
        <tbody className="align-top">
          <Line head="Checks">
            {cells(({ row }) => (
              <Checks row={row} command={command} />
            ))}
          </Line>
          <Line head="Size">
            {cells(({ row }) => (
              <Size
                row={row}
                files={files.get(row.agentId) ?? NO_FILES}
                isSmallest={best.smallest === row.agentId}
              />
            ))}
          </Line>
          <Line head="Cost and time">
            {cells(({ row }) => (
              <CostAndTime row={row} isCheapest={best.cheapest === row.agentId} />
            ))}
          </Line>
          <Line head="Approach">
            {cells(({ row }) => (
              <Approach row={row} />
            ))}
          </Line>
          <Line
            head="Diff"
            more={pairsOf(columns).map(([one, other]) => (
              <p key={`${one.name.letter} ${other.name.letter}`} className="mt-1.5 whitespace-nowrap">
                <LinkButton onClick={() => showPair(id, [one.row.agentId, other.row.agentId])}>
                  <span className="sr-only">Compare </span>
                  {one.name.letter} with {other.name.letter}
                </LinkButton>
              </p>
            ))}
            isLast
          >
            {columns.map(({ row, isSelected }) => (
              <Cell key={row.agentId} row={row} isSelected={isSelected} isFlush isLast>
                <Diff agentId={row.agentId} isLive={row.isLive} onFiles={takeFiles} />
              </Cell>
            ))}
          </Line>
        </tbody>
        <tfoot className="sticky bottom-0 z-10">
          <tr>
            <td className="sticky left-0 z-10 border-line border-t bg-bg-0" />
            {columns.map((column, index) => (
              <Actions
                key={column.row.agentId}
                {...column}
                command={command}
                keyNumber={index + 1}
                onShowAgent={onShowAgent}
              />
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

const NO_FILES: readonly ReviewFile[] = []

/** All pairs of up to three columns; of more, the selected one with each other. */
function pairsOf<T extends { readonly isSelected: boolean }>(
  columns: readonly T[],
): readonly (readonly [T, T])[] {
  return columns.flatMap((one, index) =>
    columns
      .slice(index + 1)
      .filter((other) => columns.length <= 3 || one.isSelected || other.isSelected)
      .map((other) => [one, other] as const),
  )
}

interface LineProps {
  readonly head: string
  /** Below the head. */
  readonly more?: ReactNode
  readonly isLast?: boolean
  readonly children: ReactNode
}

function Line({ head, more, isLast = false, children }: LineProps) {
  return (
    // The last line takes the height that is left.
    <tr className={isLast ? 'h-full' : ''}>
      <th
        scope="row"
        className={classNames(
          'sticky left-0 z-[5] bg-bg-0 px-3 py-2.5 text-left align-top font-normal text-fg-2 text-xs',
          !isLast && 'border-line border-b',
        )}
      >
        {head}
        {more}
      </th>
      {children}
    </tr>
  )
}

interface CellProps {
  readonly row: AttemptRow
  readonly isSelected: boolean
  /** Without space around the content. */
  readonly isFlush?: boolean
  readonly isLast?: boolean
  readonly children: ReactNode
}

function Cell({ row, isSelected, isFlush = false, isLast = false, children }: CellProps) {
  return (
    <td
      onMouseDown={() => selectAttempt(row.agentId)}
      className={classNames(
        'border-line border-l',
        !isLast && 'border-b',
        !isFlush && 'px-3.5 py-2.5',
        isSelected ? 'bg-bg-1' : 'bg-bg-0',
      )}
    >
      {children}
    </td>
  )
}

interface ColumnProps {
  readonly row: AttemptRow
  readonly name: AttemptName
  readonly isSelected: boolean
}

function ColumnHead({ row, name, isSelected }: ColumnProps) {
  const agent = useAgent(row.agentId)
  const { ms, isMerged, isLive, status } = row
  return (
    <th
      scope="col"
      onMouseDown={() => selectAttempt(row.agentId)}
      style={agentStyle(agent?.definition.color ?? 'neutral')}
      className={classNames(
        'border-line border-b border-l border-t-2 border-t-agent px-3.5 py-2.5 text-left font-normal',
        isSelected ? 'bg-bg-2' : 'bg-bg-1',
      )}
    >
      <span className="flex min-w-0 items-center gap-2.5">
        <span
          aria-hidden="true"
          className="grid size-7 shrink-0 place-items-center rounded-[6px] border border-agent bg-agent/18 font-semibold text-fg-0 text-md"
        >
          {name.letter}
        </span>
        <span className="min-w-0 flex-1">
          <button
            type="button"
            aria-label={`${name.letter} ${name.title}`}
            aria-current={isSelected}
            tabIndex={isSelected ? 0 : -1}
            onFocus={() => selectAttempt(row.agentId)}
            className="block max-w-full truncate rounded-xs text-left font-semibold text-fg-0 text-md"
          >
            {name.title}
          </button>
          <span className="block truncate text-fg-2 text-xs" title={agent?.worktree?.branch}>
            {[name.agent, agent?.worktree?.id].filter(Boolean).join(' · ')}
          </span>
        </span>
        {isMerged && <span className="shrink-0 rounded-[4px] bg-ok/14 px-1.5 text-ok text-xs">merged</span>}
        <span className="shrink-0 font-mono text-fg-2 text-xs">{ms === 0 ? '' : formatDuration(ms)}</span>
      </span>
      {(isLive || status !== 'completed') && <StateText row={row} />}
    </th>
  )
}

interface ActionsProps extends ColumnProps {
  readonly command: string | null
  /** The key that picks the attempt. */
  readonly keyNumber: number
  readonly onShowAgent: (agentId: string) => void
}

/** All of one weight: which attempt is the best is the user's choice. What is not possible now is disabled. */
function Actions({ row, name, isSelected, command, keyNumber, onShowAgent }: ActionsProps) {
  const { agentId, work, check } = row
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const can = attemptActions({ row, agent, command, readOnly })
  const { merge, review, check: run } = can
  return (
    <td
      className={classNames('border-line border-t border-l px-3.5 py-2', isSelected ? 'bg-bg-2' : 'bg-bg-1')}
    >
      <span className="flex flex-wrap items-center gap-1.5">
        <Button disabled={merge === null} focusableWhenDisabled onClick={() => merge?.()}>
          Pick {name.letter} <Kbd keys={String(keyNumber)} />
        </Button>
        <Button disabled={review === null} focusableWhenDisabled onClick={() => review?.()}>
          {work === null || work.files === 0 ? 'Review' : `Review ${count(work.files, 'file')}`}
        </Button>
        <Button disabled={readOnly} focusableWhenDisabled onClick={() => writeTo(agentId)}>
          Message
        </Button>
        <Menu
          align="end"
          trigger={<IconButton icon={Ellipsis} label={`More for ${name.letter}`} size={26} />}
        >
          <MenuItem onSelect={() => onShowAgent(agentId)}>Show panel</MenuItem>
          {command !== null && (
            <MenuItem keys="C" disabled={run === null} onSelect={() => run?.()}>
              {check === null ? 'Run the check' : 'Check again'}
            </MenuItem>
          )}
        </Menu>
      </span>
    </td>
  )
}
