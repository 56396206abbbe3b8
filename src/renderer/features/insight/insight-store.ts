/** What the page Insight shows: the chosen time and grouping, and the answer, which comes in parts while logs are read. */
import { create } from 'zustand'
import type { InsightAnswer } from '../../../shared/insight/contract.ts'
import type { InsightGroup, InsightQuery, InsightRow } from '../../../shared/insight/insight.ts'
import { insightCsv } from '../../../shared/insight/insight-csv.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { dayOf, daysBefore } from '../../../shared/kernel/times.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { command, LatestAnswer, onDeltas } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { timeNow } from '../../ui/machine.ts'

export type Period = 'month' | 'days' | 'all' | 'dates'

/** A row that was opened, as the other rows of its grouping named it. */
export interface OpenedRow extends Pick<InsightRow, 'key' | 'name' | 'conversationId'> {
  readonly by: InsightGroup
}

interface InsightStore {
  readonly period: Period
  /** The days of the period `dates`; empty: no bound. */
  readonly from: string
  readonly to: string
  readonly by: InsightGroup
  readonly rehearsal: boolean
  /** The rows that were opened, one in the other. */
  readonly opened: readonly OpenedRow[]
  /** Null until the first answer. `by`, `opened`: what it answers. */
  readonly answer: (InsightAnswer & Pick<InsightStore, 'by' | 'opened'>) | null
  /** The row that gets the focus with the next answer; empty: the first one; null: none. */
  readonly focusRow: string | null
  readonly failure: string | null
  /** Whether the user stopped the reading of logs. */
  readonly isStopped: boolean
}

export const useInsight = create<InsightStore>()(() => ({
  ...{ period: 'days', from: '', to: '', by: 'definition', rehearsal: false, opened: [] },
  ...{ answer: null, focusRow: null, failure: null, isStopped: false },
}))

const { getState: get, setState: set } = useInsight

const requests = new LatestAnswer()

/** How many days the period `days` has. */
export const DAYS = 30

/** Why the dates make no period; null: they do. */
export const datesProblem = ({ period, from, to }: Pick<InsightStore, 'period' | 'from' | 'to'>) =>
  period === 'dates' && from !== '' && to !== '' && from > to ? 'The first day is after the last one.' : null

/** What the rows of an opened row are: its agents where it is one conversation or one definition, else conversations. */
const groupWithin = ({ by }: Pick<OpenedRow, 'by'>): InsightGroup =>
  by === 'definition' || by === 'conversation' ? 'agent' : 'conversation'

/** How the rows are grouped. */
export function shownGroup({ by, opened }: Pick<InsightStore, 'by' | 'opened'>): InsightGroup {
  const last = opened.at(-1)
  return last === undefined ? by : groupWithin(last)
}

/** Changes what is shown, and asks for it. */
export function changeInsight(change: Partial<Omit<InsightStore, 'answer' | 'failure'>>): void {
  set({ focusRow: null, ...change })
  void loadInsight()
}

/** Opens a row: its agents or conversations take the place of the rows. A second press before they came changes nothing. */
export function openRow({ key, name, conversationId }: InsightRow, by: InsightGroup): void {
  const { opened } = get()
  const last = opened.at(-1)
  if (last?.by === by && last.key === key) return
  changeInsight({ opened: [...opened, { by, key, name, conversationId }], focusRow: '' })
}

/** Leaves the row that was opened last. */
export function closeRow(): void {
  const { opened } = get()
  changeInsight({ opened: opened.slice(0, -1), focusRow: opened.at(-1)?.key ?? null })
}

/** Asks until all logs are read, or another question is asked, or the page is left. */
export async function loadInsight(): Promise<void> {
  if (datesProblem(get()) !== null) return
  const isLatest = requests.begin()
  set({ isStopped: false })
  for (;;) {
    const { by, opened } = get()
    const answer = await command('insight.read', { query: queryOf(get()) })
    if (!isLatest()) return
    if (!answer.ok) return set({ failure: answer.failure.message })
    set({ answer: { ...answer.value, by, opened }, failure: null })
    if (answer.value.reading === null) return
  }
}

/** ms between two answers while runs end. */
const FOLLOW_EVERY = 2000

/** Asks again after a run has ended, or a conversation came or went, until the returned function is called. */
export function followRuns(): () => void {
  const runs = new Map<string, string>()
  const runsOf = ({ running, outcome }: ConversationSummary) => `${running} ${outcome?.at}`
  for (const summary of useSession.getState().conversations) runs.set(summary.id, runsOf(summary))
  const hasChanged = (delta: WindowDelta): boolean => {
    if (delta.type === 'conversation-gone') {
      runs.delete(delta.conversationId)
      return true
    }
    if (delta.type !== 'conversation') return false
    const { summary } = delta
    const before = runs.get(summary.id)
    runs.set(summary.id, runsOf(summary))
    return before !== runsOf(summary)
  }
  let due: ReturnType<typeof setTimeout> | undefined
  const load = () => {
    due = undefined
    if (!get().isStopped) void loadInsight()
  }
  const end = onDeltas((deltas) => {
    // Each delta is looked at: what changed is known afterwards.
    if (deltas.filter(hasChanged).length > 0) due ??= setTimeout(load, FOLLOW_EVERY)
  })
  return () => {
    clearTimeout(due)
    end()
  }
}

/** Ends the reading. What was read stays known. */
export function stopReading(isStopped = true): void {
  requests.begin()
  set({ isStopped })
}

function queryOf({ period, from, to, rehearsal, opened, ...shown }: InsightStore): InsightQuery {
  const { since, until } = boundsOf(period, from, to)
  const within = opened.map(({ by, key }) => ({ by, key }))
  return { by: shownGroup({ opened, ...shown }), since, until, rehearsal, within, folder: null }
}

function boundsOf(period: Period, from: string, to: string): Pick<InsightQuery, 'since' | 'until'> {
  const today = dayOf(timeNow())
  switch (period) {
    case 'month':
      return { since: `${today.slice(0, 'yyyy-mm'.length)}-01`, until: null }
    case 'days':
      return { since: daysBefore(today, DAYS - 1), until: null }
    case 'all':
      return { since: null, until: null }
    case 'dates':
      return { since: from === '' ? null : from, until: to === '' ? null : to }
  }
}

/** Asks where to save the rows as CSV. */
export async function exportInsight(): Promise<void> {
  const { answer } = get()
  if (answer === null) return
  const by = shownGroup(answer)
  const saved = await command('system.saveText', {
    name: `troupe-insight-${by}-${dayOf(timeNow())}.csv`,
    text: insightCsv(answer.report, by),
  })
  if (!saved.ok) showFailure(saved.failure)
  else if (saved.value !== null) showNotice({ level: 'info', text: `Saved ${saved.value}.` })
}
