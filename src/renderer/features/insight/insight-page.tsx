/** Settings › Insight: what the work of all conversations cost, by time and in six groupings. */
import { ArrowLeft, ChartColumn, Download } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { cachedShare } from '../../../shared/events/model-requests.ts'
import { type InsightGroup, type InsightReport, trashedText } from '../../../shared/insight/insight.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SettingsFrame } from '../../ui/setting-page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count, formatDuration, formatSize, formatTokens, moneyText } from '../../ui/text/format.ts'
import { DayChart, VersionTable, WorkShares } from './insight-charts.tsx'
import {
  changeInsight,
  closeRow,
  DAYS,
  datesProblem,
  exportInsight,
  followRuns,
  loadInsight,
  type OpenedRow,
  openRow,
  type Period,
  shownGroup,
  stopReading,
  useInsight,
} from './insight-store.ts'
import { InsightTable, rowName } from './insight-table.tsx'

const PERIODS: readonly { readonly value: Period; readonly label: string }[] = [
  { value: 'month', label: 'This month' },
  { value: 'days', label: `${DAYS} days` },
  { value: 'all', label: 'All time' },
  { value: 'dates', label: 'From–to' },
]

const GROUPS: readonly { readonly value: InsightGroup; readonly label: string }[] = [
  { value: 'definition', label: 'Definition' },
  { value: 'folder', label: 'Folder' },
  { value: 'model', label: 'Model' },
  { value: 'month', label: 'Month' },
  { value: 'conversation', label: 'Conversation' },
  { value: 'agent', label: 'Agent' },
]

export function InsightPage() {
  const { answer, failure, opened, ...shown } = useInsight()
  useEffect(() => {
    void loadInsight()
    const load = () => void loadInsight()
    window.addEventListener('focus', load)
    const unfollow = followRuns()
    return () => {
      window.removeEventListener('focus', load)
      unfollow()
      stopReading(false)
    }
  }, [])
  const report = answer?.report ?? null
  return (
    <SettingsFrame
      title="Insight"
      sentence="What the work of all conversations cost, from the transcripts on this computer. Nothing leaves it."
      actions={
        <Button
          disabled={report === null || report.rows.length === 0}
          onClick={() => void exportInsight()}
          title={answer?.reading ? 'Transcripts are still being read: the file has what is shown' : undefined}
        >
          <Download size={13} strokeWidth={1.75} aria-hidden="true" />
          Export CSV…
        </Button>
      }
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2">
        <Segmented
          label="Time"
          value={shown.period}
          onChange={(period) => changeInsight({ period })}
          options={PERIODS}
        />
        {shown.period === 'dates' && <Dates />}
        {opened.length === 0 && (
          <div className="max-w-full overflow-x-auto">
            <Segmented
              label="Group by"
              value={shown.by}
              onChange={(by) => changeInsight({ by })}
              options={GROUPS}
            />
          </div>
        )}
      </div>
      {opened.length > 0 && <Opened opened={opened} />}
      <Reading />
      {failure !== null && (
        <p role="alert" className="text-bad text-sm">
          {failure}
        </p>
      )}
      {report === null ? (
        failure === null && (
          <EmptyState title="Reading the transcripts">
            <Spinner />
          </EmptyState>
        )
      ) : report.rows.length === 0 ? (
        <Nothing report={report} />
      ) : (
        <Report report={report} />
      )}
      {answer !== null && answer.trashed > 0 && (
        <p className="text-fg-2 text-sm">{trashedText(answer.trashed)}</p>
      )}
    </SettingsFrame>
  )
}

/** The rows that were opened, with the way back. */
function Opened({ opened }: { readonly opened: readonly OpenedRow[] }) {
  const last = opened.at(-1)
  useEffect(() => {
    const onKeyDown = ({ key, target, defaultPrevented }: KeyboardEvent) => {
      const isElsewhere = target instanceof Element && target.closest('[role="dialog"], nav, input') !== null
      if (key === 'Escape' && !defaultPrevented && !isElsewhere) closeRow()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
  if (last === undefined) return null
  const { conversationId } = last
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <Button aria-keyshortcuts="Escape" onClick={closeRow}>
        <ArrowLeft size={13} strokeWidth={1.75} aria-hidden="true" />
        Back
      </Button>
      <h2 className="min-w-0 truncate font-semibold text-fg-0 text-md">
        {opened.map((row) => rowName(row.by, row.name)).join(' › ')}
      </h2>
      {conversationId !== null && (
        <Button onClick={() => void openConversation(conversationId)}>Open conversation</Button>
      )}
    </div>
  )
}

function Dates() {
  const { from, to, period } = useInsight()
  const problem = datesProblem({ period, from, to })
  const field = (label: string, value: string, onChange: (day: string) => void) => (
    <label className="flex items-center gap-1.5 text-fg-2 text-sm">
      {label}
      <input
        type="date"
        value={value}
        max="9999-12-31"
        aria-invalid={problem !== null || undefined}
        aria-describedby={problem === null ? undefined : 'insight-dates'}
        onChange={(event) => onChange(event.target.value)}
        className="h-6 rounded-[6px] border border-line bg-bg-0 px-1.5 font-mono text-fg-0 text-xs outline-none focus:border-accent aria-invalid:border-bad"
      />
    </label>
  )
  return (
    <div className="flex flex-wrap items-center gap-2">
      {field('From', from, (day) => changeInsight({ from: day }))}
      {field('To', to, (day) => changeInsight({ to: day }))}
      <span id="insight-dates" aria-live="polite" className="text-bad text-sm empty:hidden">
        {problem}
      </span>
    </div>
  )
}

/** How far the reading is, and which transcripts could not be read whole. */
function Reading() {
  const { answer, isStopped } = useInsight()
  if (answer === null) return null
  const { reading, damaged, newer } = answer
  return (
    <>
      {reading !== null && (
        <div className="flex flex-wrap items-center gap-3 text-fg-2 text-sm">
          <span
            role="progressbar"
            aria-label="Transcripts read"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.floor((reading.done * 100) / Math.max(1, reading.all))}
            className="h-1 w-40 overflow-hidden rounded-[2px] bg-bg-3"
          >
            <span
              className="block h-full bg-fg-2"
              style={{ width: `${(reading.done * 100) / Math.max(1, reading.all)}%` }}
            />
          </span>
          <span>
            {isStopped ? 'Stopped at' : 'Reading transcripts:'} {formatSize(reading.done)} of{' '}
            {formatSize(reading.all)}. The figures are not complete.
          </span>
          <Button onClick={() => (isStopped ? void loadInsight() : stopReading())}>
            {isStopped ? 'Continue' : 'Stop'}
          </Button>
        </div>
      )}
      {damaged > 0 && (
        <p className="text-fg-1 text-sm">
          {count(damaged, 'transcript')} could be read only in part, so the sums may be too low.
        </p>
      )}
      {newer > 0 && (
        <p className="text-fg-1 text-sm">
          {count(newer, 'transcript')} {newer === 1 ? 'has' : 'have'} events of a newer version of Troupe,
          which are not counted.
        </p>
      )}
    </>
  )
}

function Nothing({ report: { rehearsed } }: { readonly report: InsightReport }) {
  const { period, opened, answer, isStopped } = useInsight()
  if (answer?.reading && !isStopped) return null
  return (
    <EmptyState
      icon={ChartColumn}
      title={period === 'all' && opened.length === 0 ? 'No work yet' : 'No work in this time'}
      actions={
        <>
          {period !== 'all' && (
            <Button onClick={() => changeInsight({ period: 'all' })}>Show all time</Button>
          )}
          {rehearsed > 0 && (
            <Button onClick={() => changeInsight({ rehearsal: true })}>Count rehearsals</Button>
          )}
        </>
      }
    >
      Once agents have worked, this page says what each definition, folder and model cost, and for what.
      {rehearsed > 0 &&
        ` ${count(rehearsed, 'agent')} of rehearsals ${rehearsed === 1 ? 'is' : 'are'} not counted: a script made the figures.`}
    </EmptyState>
  )
}

function Report({ report }: { readonly report: InsightReport }) {
  const { answer, focusRow, rehearsal } = useInsight()
  const { total, rows, versions, rehearsed } = report
  const { figures } = total
  const { opened = [], by = 'definition' } = answer ?? {}
  const group = shownGroup({ opened, by })
  const share = cachedShare(figures)
  return (
    <>
      <dl className="flex flex-wrap gap-x-7 gap-y-2">
        <Sum title="Cost" more={unpricedText(figures.unpriced)}>
          {moneyText(figures.costUsd, figures.unpriced === 0)}
        </Sum>
        <Sum title="Tokens" more={share === null ? '' : `${Math.round(share * 100)}% from cache`}>
          {formatTokens(figures.countedTokens)}
        </Sum>
        <Sum title="Worked" more={`${formatDuration(figures.waitedMs)} waiting for you`}>
          {formatDuration(figures.workedMs)}
        </Sum>
        <Sum title="Requests asked" more={answersText(figures)}>
          {figures.asked}
        </Sum>
        <Sum title="Agents" more={`in ${count(total.conversations, 'conversation')}`}>
          {total.agents}
        </Sum>
      </dl>
      <div className="grid gap-3.5 min-[1100px]:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <DayChart days={report.days} />
        <WorkShares work={total.work} />
      </div>
      {versions.length > 1 && <VersionTable versions={versions} />}
      <InsightTable
        key={[group, ...opened.map(({ key }) => key)].join('\n')}
        by={group}
        rows={rows}
        onOpen={(row) => {
          const { conversationId, agentId } = row
          if (agentId === null || conversationId === null) openRow(row, group)
          else void showWork(conversationId, agentId)
        }}
        focusRow={focusRow}
      />
      {(rehearsed > 0 || rehearsal) && (
        <p className="flex flex-wrap items-center gap-2 text-fg-2 text-sm">
          {rehearsal
            ? 'Rehearsals are counted, at no cost.'
            : `${count(rehearsed, 'agent')} of rehearsals ${rehearsed === 1 ? 'is' : 'are'} not counted: a script made the figures.`}
          <Button onClick={() => changeInsight({ rehearsal: !rehearsal })}>
            {rehearsal ? 'Leave rehearsals out' : 'Count rehearsals'}
          </Button>
        </p>
      )}
    </>
  )
}

async function showWork(conversationId: string, agentId: string): Promise<void> {
  await openConversation(conversationId)
  // Another window may have its folder, and shows it instead.
  if (useSession.getState().conversationId === conversationId) revealAgent(agentId)
}

interface SumProps {
  readonly title: string
  readonly more: string
  readonly children: ReactNode
}

function Sum({ title, more, children }: SumProps) {
  return (
    <div className="min-w-0">
      <dt className="text-fg-2 text-xs">{title}</dt>
      <dd className="font-semibold text-fg-0 text-lg tabular-nums">{children}</dd>
      <dd className="text-fg-2 text-xs">{more}</dd>
    </div>
  )
}

const unpricedText = (unpriced: number): string =>
  unpriced === 0 ? 'list prices' : `${count(unpriced, 'answer')} without a known price`

type Figures = InsightReport['total']['figures']

/** "40 allowed, 3 denied, 2 answered". */
function answersText({ allowedOnce, allowedAlways, decidedByRules, denied, answered }: Figures): string {
  const parts = [
    [allowedOnce + allowedAlways, 'allowed'],
    [decidedByRules, 'by rules'],
    [denied, 'denied'],
    [answered, 'forms filled in'],
  ] as const
  const told = parts.flatMap(([amount, what]) => (amount === 0 ? [] : [`${amount} ${what}`]))
  return told.length === 0 ? 'none answered' : told.join(', ')
}
