/** The rows of a report as a table that is sorted by any column. Up and down move between rows, Enter opens one. */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { cachedShare } from '../../../shared/events/model-requests.ts'
import {
  failuresIn,
  type InsightGroup,
  type InsightRow,
  retriesIn,
  WORK_TEXT,
  workShares,
} from '../../../shared/insight/insight.ts'
import { modelLabel } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { count, formatDuration, formatTokens, moneyText } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { moveFocusInList } from '../../ui/use-focus.ts'

interface Column {
  readonly id: string
  readonly title: string
  readonly width: string
  readonly value: (row: InsightRow) => number
  readonly text: (row: InsightRow) => string
  /** What the value consists of. */
  readonly hint?: (row: InsightRow) => string
  /** Whether its cells have a bar of their share of the highest value. */
  readonly hasBar?: true
}

const COLUMNS: readonly Column[] = [
  {
    id: 'cost',
    title: 'Cost',
    width: 'w-[5rem]',
    value: ({ figures }) => figures.costUsd,
    text: ({ figures }) => moneyText(figures.costUsd, figures.unpriced === 0).replace('at least ', '≥ '),
    hint: ({ figures: { unpriced } }) =>
      unpriced === 0 ? '' : `${count(unpriced, 'answer')} without a known price`,
    hasBar: true,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 'w-[3.75rem]',
    value: ({ figures }) => figures.countedTokens,
    text: ({ figures }) => formatTokens(figures.countedTokens),
    hint: ({ figures }) =>
      `${formatTokens(figures.input)} in, ${formatTokens(figures.output)} out, ${formatTokens(figures.cacheRead)} read from the cache, ${formatTokens(figures.cacheWrite)} written to it`,
    hasBar: true,
  },
  {
    id: 'cached',
    title: 'Cached',
    width: 'w-[3.5rem]',
    value: ({ figures }) => cachedShare(figures) ?? -1,
    text: ({ figures }) => {
      const share = cachedShare(figures)
      return share === null ? '—' : `${Math.round(share * 100)}%`
    },
    hint: () => 'Share of the input that was read from the cache',
  },
  {
    id: 'worked',
    title: 'Worked',
    width: 'w-[4.25rem]',
    value: ({ figures }) => figures.workedMs,
    text: ({ figures }) => formatDuration(figures.workedMs),
    hasBar: true,
  },
  {
    id: 'waited',
    title: 'Waited',
    width: 'w-[4rem]',
    value: ({ figures }) => figures.waitedMs,
    text: ({ figures }) => formatDuration(figures.waitedMs),
    hint: () => 'Waiting for you',
  },
  {
    id: 'turns',
    title: 'Turns',
    width: 'w-[3rem]',
    value: ({ figures }) => figures.turns,
    text: ({ figures }) => String(figures.turns),
  },
  {
    id: 'asked',
    title: 'Asked',
    width: 'w-[3rem]',
    value: ({ figures }) => figures.asked,
    text: ({ figures }) => String(figures.asked),
    hint: ({ figures }) =>
      `${figures.allowedOnce} allowed once, ${figures.allowedAlways} always, ${figures.decidedByRules} by rules, ${figures.denied} denied, ${figures.answered} forms filled in, ${figures.withdrawn} withdrawn`,
  },
  {
    id: 'failed',
    title: 'Failed',
    width: 'w-[3rem]',
    value: ({ figures }) => failuresIn(figures),
    text: ({ figures }) => String(failuresIn(figures)),
    hint: ({ figures: { calls, failedCalls, runs, failedRuns } }) =>
      `${failedCalls} of ${count(calls, 'call')}, ${failedRuns} of ${count(runs, 'run')}`,
  },
  {
    id: 'retries',
    title: 'Retries',
    width: 'w-[3.75rem]',
    value: ({ figures }) => retriesIn(figures),
    text: ({ figures }) => String(retriesIn(figures)),
    hint: ({ figures: { rateLimited, overloaded, otherRetries } }) =>
      `${rateLimited} rate limited (429), ${overloaded} overloaded (529), ${otherRetries} others`,
  },
  {
    id: 'agents',
    title: 'Agents',
    width: 'w-[3.75rem]',
    value: ({ agents }) => agents,
    text: ({ agents }) => String(agents),
    hint: ({ conversations }) => `in ${count(conversations, 'conversation')}`,
  },
]

/** Where there is room. */
const MOST_FOR: Column = {
  id: 'most-for',
  title: 'Most for',
  width: 'hidden w-[7.5rem] min-[1280px]:table-cell',
  value: ({ work }) => workShares(work)[0]?.share ?? 0,
  text: ({ work }) => shareTexts(work)[0] ?? '',
  hint: ({ work }) => shareTexts(work).join(', '),
}

/** "Commands 53%", the largest share first. */
const shareTexts = (work: InsightRow['work']): readonly string[] =>
  workShares(work).map(({ kind, share }) => `${WORK_TEXT[kind]} ${Math.round(share * 100)}%`)

const GROUP_TITLES: Readonly<Record<InsightGroup, string>> = {
  definition: 'Definition',
  folder: 'Folder',
  model: 'Model',
  month: 'Month',
  conversation: 'Conversation',
  agent: 'Task',
}

/** The name of a row for the user. */
export function rowName(by: InsightGroup, name: string): string {
  if (by === 'month') return MONTH.format(Date.parse(`${name}-01T00:00:00Z`))
  if (by === 'model') return name === '' ? 'unknown model' : modelLabel(name)
  if (by === 'folder') return name.split(/[/\\]/).findLast((part) => part !== '') ?? name
  return name === '' ? 'Untitled' : name
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Rows that are drawn at first, and with each press of the button below them. */
const STEP = 100

interface TableProps {
  readonly by: InsightGroup
  /** The most expensive first. */
  readonly rows: readonly InsightRow[]
  readonly onOpen: (row: InsightRow) => void
  /** The key of the row that gets the focus when the table appears; empty: the first row; null: none. */
  readonly focusRow: string | null
}

export function InsightTable({ by, rows, onOpen, focusRow }: TableProps) {
  const [sort, setSort] = useState({ column: 'cost', isDown: true })
  const [most, setMost] = useState(STEP)
  const body = useRef<HTMLTableSectionElement>(null)
  const columns = [MOST_FOR, ...(by === 'agent' ? COLUMNS.filter(({ id }) => id !== 'agents') : COLUMNS)]
  const sorted = useMemo(() => sortedBy(rows, sort, by), [rows, sort, by])
  const highest = useMemo(
    () => new Map(COLUMNS.map(({ id, value }) => [id, Math.max(...rows.map(value), Number.MIN_VALUE)])),
    [rows],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the table appears
  useEffect(() => {
    if (focusRow === null) return
    const buttons = [...(body.current?.querySelectorAll('button') ?? [])]
    const wanted = buttons.find((button) => button.dataset['row'] === focusRow) ?? buttons[0]
    wanted?.focus()
  }, [])
  const choose = (column: string, isName: boolean) =>
    setSort((now) => ({ column, isDown: now.column === column ? !now.isDown : !isName }))
  const heading = (id: string, title: string, className: string) => {
    const isSorted = sort.column === id
    const Arrow = sort.isDown ? ArrowDown : ArrowUp
    return (
      <th
        key={id}
        scope="col"
        aria-sort={isSorted ? (sort.isDown ? 'descending' : 'ascending') : undefined}
        className={`font-normal ${className}`}
      >
        <button
          type="button"
          onClick={() => choose(id, id === 'name')}
          className={`inline-flex h-7 max-w-full items-center gap-0.5 whitespace-nowrap hover:text-fg-0 ${isSorted ? 'text-fg-0' : ''}`}
        >
          {title}
          {isSorted && <Arrow size={11} strokeWidth={1.75} aria-hidden="true" />}
        </button>
      </th>
    )
  }
  return (
    <div className="min-w-0">
      <div className="overflow-x-auto rounded-lg border border-line bg-bg-1">
        <table aria-label="Work" className="w-full min-w-[45rem] table-fixed border-collapse text-sm">
          <thead className="bg-bg-2 text-fg-2 text-xs">
            <tr>
              {heading('name', GROUP_TITLES[by], 'sticky left-0 z-10 bg-bg-2 px-3.5 text-left')}
              {columns.map(({ id, title, width }) => heading(id, title, `${width} pr-2.5 text-right`))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={(event) => moveFocusInList(event, 'button')}>
            {sorted.slice(0, most).map((row) => (
              <tr
                key={row.key}
                onClick={() => onOpen(row)}
                className="group relative border-line border-t hover:bg-bg-2"
              >
                <th
                  scope="row"
                  className="sticky left-0 z-10 bg-bg-1 px-3.5 py-1.5 text-left font-normal group-hover:bg-bg-2"
                >
                  <button type="button" data-row={row.key} className="block w-full min-w-0 text-left">
                    <span className="block truncate font-medium text-fg-0">
                      <VisibleText>{rowName(by, row.name)}</VisibleText>
                    </span>
                    <span className="block truncate text-fg-2 text-xs empty:hidden" title={detailOf(by, row)}>
                      {detailOf(by, row)}
                    </span>
                  </button>
                </th>
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} highest={highest.get(column.id) ?? 1} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && (
        <p className="flex items-center gap-2 pt-2 text-fg-2 text-sm">
          {`${most} of ${count(rows.length, 'row')}`}
          <Button
            onClick={() => setMost(most + STEP)}
          >{`Show ${Math.min(STEP, rows.length - most)} more`}</Button>
        </p>
      )}
    </div>
  )
}

const detailOf = (by: InsightGroup, { name, detail, conversation }: InsightRow): string =>
  by === 'folder'
    ? name
    : by === 'model' && modelLabel(name) !== name
      ? name
      : [detail, conversation ?? ''].filter((part) => part !== '').join(' · ')

interface CellProps {
  readonly column: Column
  readonly row: InsightRow
  readonly highest: number
}

function Cell({ column: { value, text, hint, hasBar, width }, row, highest }: CellProps) {
  const amount = value(row)
  const title = hint?.(row) ?? ''
  return (
    <td
      {...(title !== '' && { title })}
      className={`${width} pr-2.5 text-right align-top font-mono text-xs ${amount > 0 ? 'text-fg-1' : 'text-fg-2'}`}
    >
      <span className="block truncate pt-[0.4375rem]">{text(row)}</span>
      {hasBar && (
        <span aria-hidden="true" className="mt-1 block h-[3px] overflow-hidden rounded-[2px] bg-bg-3">
          <span
            className="block h-full rounded-[2px] bg-accent"
            style={{ width: `${Math.min(100, (Math.max(0, amount) * 100) / highest)}%` }}
          />
        </span>
      )}
    </td>
  )
}

interface Sort {
  readonly column: string
  readonly isDown: boolean
}

function sortedBy(rows: readonly InsightRow[], sort: Sort, by: InsightGroup): readonly InsightRow[] {
  const column = [MOST_FOR, ...COLUMNS].find(({ id }) => id === sort.column)
  const order = (one: InsightRow, other: InsightRow) =>
    column === undefined
      ? // Months are in the order of time.
        (by === 'month' ? one.name : rowName(by, one.name)).localeCompare(
          by === 'month' ? other.name : rowName(by, other.name),
        )
      : column.value(one) - column.value(other)
  return [...rows].sort((one, other) => (sort.isDown ? order(other, one) : order(one, other)))
}
