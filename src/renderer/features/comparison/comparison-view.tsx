/** The attempts of a comparison as columns, or their diffs beside each other. */
import {
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Comparison } from '../../../shared/comparison/comparison.ts'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import {
  type AttemptDiffProps,
  type ColumnAttempt,
  keepHadFocus,
  type SideBySideProps,
  selectAttempt,
  showComparison,
  showSideBySide,
  stopComparison,
  unmergedOf,
  useAttemptLetters,
  useAttempts,
  useComparisonStore,
  useComparisons,
  useSideBySide,
} from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useStatusText } from '../../stores/overlay-store.ts'
import { watchReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { attemptActions } from './attempt-actions.ts'
import { AttemptColumns } from './attempt-columns.tsx'
import { attemptName, attemptNameText, summaryText } from './attempt-text.ts'
import { DiscardAttemptsDialog } from './discard-dialog.tsx'

const KEY_HINTS = '← → attempts · 1–8 pick · D diffs · Enter Review · M merge · C check again'

interface ComparisonViewProps {
  /** Shown first in the bar. */
  readonly lead?: ReactNode
  readonly onShowAgent: (agentId: string) => void
  /** Shows the changes of one attempt. */
  readonly diff: ComponentType<AttemptDiffProps>
  /** Shows the diffs of attempts beside each other. */
  readonly diffs: ComponentType<SideBySideProps>
}

export function ComparisonView(props: ComparisonViewProps) {
  const all = useComparisons()
  const wanted = useComparisonStore((state) => state.wanted)
  const comparison = all.find(({ id }) => id === wanted) ?? all.at(-1)
  if (comparison === undefined) return null
  return <Shown key={comparison.id} comparison={comparison} {...props} />
}

type ShownProps = ComparisonViewProps & { readonly comparison: Comparison }

function Shown({ comparison, lead, onShowAgent, diff, diffs: Diffs }: ShownProps) {
  const { rows, isRunning } = useAttempts(comparison)
  const showsDiffs = useSideBySide((state) => state.isShown)
  const id = `${useConversation((state) => state.conversationId)} ${comparison.id}`
  const letters = useAttemptLetters(rows)
  const attempts = useColumnAttempts(rows, letters)
  const chosen = useComparisonStore((state) => state.selected)
  const selected = rows.find(({ agentId }) => agentId === chosen) ?? rows[0]
  const section = useRef<HTMLElement>(null)
  const onResultKey = useKeys(comparison, { rows, selected, section })
  useFocusAfterSwitch(section, showsDiffs)
  useFocusOnReturn(section)
  return (
    <section
      ref={section}
      aria-label="Comparison"
      tabIndex={-1}
      onKeyDown={showsDiffs ? onDiffKey : onResultKey}
      className="@container flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0 outline-none"
    >
      <Bar comparison={comparison} rows={rows} isRunning={isRunning} lead={lead} />
      {/* One boundary for both would hide the results while the diffs load, with the focus in them. */}
      {showsDiffs ? (
        <Suspense key="diffs" fallback={null}>
          <Diffs id={id} attempts={attempts} />
        </Suspense>
      ) : (
        <Suspense key="results" fallback={null}>
          <Results {...{ id, comparison, rows, letters, selected, onShowAgent, diff }} />
        </Suspense>
      )}
    </section>
  )
}

/** Keys that also work while the diffs load. */
function onDiffKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return
  if (event.key !== 'Escape' && event.key !== 'd') return
  event.preventDefault()
  event.stopPropagation()
  showSideBySide(false)
}

/** The focused part disappears with a switch by key, and its focus with it. */
function useFocusAfterSwitch(section: RefObject<HTMLElement | null>, showsDiffs: boolean): void {
  const before = useRef(showsDiffs)
  useLayoutEffect(() => {
    if (before.current === showsDiffs) return
    before.current = showsDiffs
    takeFreeFocus(section.current)
  }, [section, showsDiffs])
}

/** Back from another view, such as Review, the keys work at once if the focus was here before. */
function useFocusOnReturn(section: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = section.current
    if (useComparisonStore.getState().hadFocus) takeFreeFocus(element)
    return () => keepHadFocus(element?.contains(document.activeElement) ?? false)
  }, [section])
}

/** Focuses the selected attempt, or the whole comparison while it shows diffs, unless something else has the focus. */
function takeFreeFocus(section: HTMLElement | null): void {
  // Around it: while it loaded, the focus passed to the part of the window that it is in.
  if (document.activeElement?.contains(section) === false) return
  const row = section?.querySelector<HTMLElement>('button[aria-current="true"]')
  ;(row ?? section)?.focus()
}

/** The same list until something in it changes: its rows change each second while an agent works. */
function useColumnAttempts(
  rows: readonly AttemptRow[],
  letters: readonly string[],
): readonly ColumnAttempt[] {
  const agents = useConversation((state) => state.agents)
  const attempts = rows.map((row, index): ColumnAttempt => {
    const { agentId, isLive, isMerged } = row
    const agent = agents.get(agentId)
    return {
      agentId,
      label: attemptNameText(attemptName(row, letters[index] ?? '')),
      color: agent?.definition.color ?? 'neutral',
      worktreeId: agent?.worktree?.id ?? null,
      isLive,
      isMerged,
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by content
  return useMemo(() => attempts, [JSON.stringify(attempts)])
}

interface ResultsProps extends Omit<ShownProps, 'lead' | 'diffs'> {
  readonly id: string
  readonly rows: readonly AttemptRow[]
  readonly letters: readonly string[]
  readonly selected: AttemptRow | undefined
}

function Results({ id, comparison, rows, letters, selected, onShowAgent, diff }: ResultsProps) {
  useStatusText({ start: null, end: KEY_HINTS })
  const folder = useSession((state) => state.folder?.path ?? null)
  useEffect(() => (folder === null ? undefined : watchReview(folder)), [folder])
  return (
    <>
      <div className="shrink-0 border-line border-b px-4 py-2.5">
        <h2
          className="line-clamp-2 font-semibold text-fg-0 text-lg wrap-anywhere"
          dir="auto"
          title={comparison.task}
          data-selectable=""
        >
          {comparison.task}
        </h2>
        <p className="text-fg-2 text-sm">
          The same task for {listOf(letters)}, each in its own worktree from{' '}
          <code className="font-mono text-xs">{comparison.base.slice(0, 7)}</code>. Picking one merges it
          after a preview; the others stay in Review.
        </p>
      </div>
      <AttemptColumns
        {...{ id, rows, letters, onShowAgent, diff }}
        selected={selected?.agentId ?? null}
        command={comparison.command}
      />
    </>
  )
}

/** "A, B, and C" */
const listOf = (letters: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(letters)

interface BarProps {
  readonly comparison: Comparison
  readonly rows: readonly AttemptRow[]
  readonly isRunning: boolean
  readonly lead: ReactNode
}

function Bar({ comparison, rows, isRunning, lead }: BarProps) {
  const all = useComparisons()
  const readOnly = useConversation((state) => state.readOnly)
  const showsDiffs = useSideBySide((state) => state.isShown)
  const [asked, setAsked] = useState<readonly ReviewWorktree[] | null>(null)
  const hasWork = rows.some(({ work, isMerged }) => work !== null && work.files > 0 && !isMerged)
  const losers = rows.filter(({ isMerged }) => !isMerged).map(({ agentId }) => agentId)
  return (
    <header className="flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-2.5 text-sm">
      {lead}
      {all.length > 1 && (
        <SelectMenu
          label="Comparison"
          value={comparison.id}
          options={all.map(({ id, task }, index) => ({
            value: id,
            label: `${index + 1} of ${all.length}`,
            hint: task.slice(0, 80),
          }))}
          onChange={showComparison}
        />
      )}
      <Segmented
        label="Results or diffs"
        value={showsDiffs ? 'diffs' : 'results'}
        options={[
          { value: 'results', label: 'Results' },
          { value: 'diffs', label: 'Diffs' },
        ]}
        onChange={(value) => showSideBySide(value === 'diffs')}
      />
      <span className="min-w-0 flex-1 truncate text-right text-fg-2">
        {summaryText(rows, comparison.command)}
      </span>
      {isRunning && !readOnly && (
        <Button variant="quiet" onClick={() => void stopComparison(comparison.id)}>
          Stop all
        </Button>
      )}
      {!isRunning && hasWork && !readOnly && (
        <Button variant="quiet" onClick={() => void unmergedOf(losers).then(setAsked)}>
          {comparison.merged === null ? 'Discard all…' : 'Discard the others…'}
        </Button>
      )}
      {asked !== null && <DiscardAttemptsDialog worktrees={asked} onClose={() => setAsked(null)} />}
    </header>
  )
}

/** Whether a field, dialog or menu takes the key. */
const isElsewhere = ({ target }: KeyboardEvent<HTMLElement>): boolean =>
  (target as HTMLElement).closest('input, textarea, [role="dialog"], [role="menu"], [role="radiogroup"]') !==
  null

/** The keys of the results, as far as no field or dialog has the focus. */
function useKeys(
  comparison: Comparison,
  {
    rows,
    selected,
    section,
  }: {
    readonly rows: readonly AttemptRow[]
    readonly selected: AttemptRow | undefined
    readonly section: RefObject<HTMLElement | null>
  },
) {
  const agents = useConversation((state) => state.agents)
  const readOnly = useConversation((state) => state.readOnly)
  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || selected === undefined) return
    if (isElsewhere(event)) return
    const index = rows.indexOf(selected)
    const step = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1 }[event.key]
    const agent = agents.get(selected.agentId)
    const can = attemptActions({ row: selected, agent, command: comparison.command, readOnly })
    const isOnButton = target.closest('button:not([aria-current])') !== null
    const picked = /^[1-8]$/.test(event.key) ? rows[Number(event.key) - 1] : undefined
    if (picked !== undefined) {
      selectAttempt(picked.agentId)
      const { merge } = attemptActions({
        row: picked,
        agent: agents.get(picked.agentId),
        command: comparison.command,
        readOnly,
      })
      merge?.()
    } else if (step !== undefined) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, index + step))]
      if (next === undefined) return
      selectAttempt(next.agentId)
      requestAnimationFrame(() =>
        section.current?.querySelector<HTMLElement>('[aria-current="true"]')?.focus(),
      )
    } else if (event.key === 'd') showSideBySide(true)
    else if (event.key === 'Enter' && !isOnButton) can.review?.()
    else if (event.key === 'm' && can.merge !== null) can.merge()
    else if (event.key === 'c' && can.check !== null) can.check()
    else return
    event.preventDefault()
  }
}
