/** The attempts of a comparison side by side, with the report and the check of the selected one. */
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { Comparison } from '../../../shared/comparison.ts'
import type { AttemptRow } from '../../../shared/comparison-rows.ts'
import type { ReviewWorktree } from '../../../shared/review.ts'
import {
  selectAttempt,
  showComparison,
  stopComparison,
  unmergedOf,
  useAttempts,
  useComparisonStore,
  useComparisons,
} from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useStatusText } from '../../stores/view-status.ts'
import { Button } from '../../ui/button.tsx'
import { SelectMenu } from '../../ui/select-menu.tsx'
import { attemptActions } from './attempt-actions.ts'
import { AttemptDetails } from './attempt-details.tsx'
import { AttemptTable } from './attempt-table.tsx'
import { DiscardDialog } from './discard-dialog.tsx'

const KEY_HINTS = '↑ ↓ attempts · Enter Review · M merge · C check again'

interface ComparisonViewProps {
  /** Shown first in the bar. */
  readonly lead?: ReactNode
  readonly onShowAgent: (agentId: string) => void
}

export function ComparisonView({ lead, onShowAgent }: ComparisonViewProps) {
  const all = useComparisons()
  const wanted = useComparisonStore((state) => state.wanted)
  const comparison = all.find(({ id }) => id === wanted) ?? all.at(-1)
  useStatusText({ start: null, end: KEY_HINTS })
  if (comparison === undefined) return null
  return <Shown key={comparison.id} comparison={comparison} lead={lead} onShowAgent={onShowAgent} />
}

function Shown({ comparison, lead, onShowAgent }: ComparisonViewProps & { readonly comparison: Comparison }) {
  const { rows, isRunning } = useAttempts(comparison)
  const chosen = useComparisonStore((state) => state.selected)
  const selected = rows.find(({ agentId }) => agentId === chosen) ?? rows[0]
  const section = useRef<HTMLElement>(null)
  const onKeyDown = useKeys(comparison, { rows, selected, section })
  return (
    <section
      ref={section}
      aria-label="Comparison"
      onKeyDown={onKeyDown}
      className="@container flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0"
    >
      <Bar comparison={comparison} rows={rows} isRunning={isRunning} lead={lead} />
      <p
        className="line-clamp-2 shrink-0 border-line border-b px-3 py-2 text-fg-1 text-sm wrap-anywhere"
        title={comparison.task}
        data-selectable=""
      >
        {comparison.task}
      </p>
      <div className="max-h-[55%] shrink-0 overflow-auto border-line border-b">
        <AttemptTable rows={rows} selected={selected?.agentId ?? null} command={comparison.command} />
      </div>
      {selected !== undefined && (
        <AttemptDetails comparison={comparison} row={selected} onShowAgent={onShowAgent} />
      )}
    </section>
  )
}

interface BarProps {
  readonly comparison: Comparison
  readonly rows: readonly AttemptRow[]
  readonly isRunning: boolean
  readonly lead: ReactNode
}

function Bar({ comparison, rows, isRunning, lead }: BarProps) {
  const all = useComparisons()
  const readOnly = useConversation((state) => state.readOnly)
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
      <span className="flex-1" />
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
      {asked !== null && <DiscardDialog worktrees={asked} onClose={() => setAsked(null)} />}
    </header>
  )
}

/** The keys of the whole view, as far as no field or dialog has the focus. */
function useKeys(
  comparison: Comparison,
  {
    rows,
    selected,
    section,
  }: {
    readonly rows: readonly AttemptRow[]
    readonly selected: AttemptRow | undefined
    readonly section: React.RefObject<HTMLElement | null>
  },
) {
  const agents = useConversation((state) => state.agents)
  const readOnly = useConversation((state) => state.readOnly)
  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || selected === undefined) return
    if (target.closest('input, textarea, [role="dialog"], [role="menu"], [role="radiogroup"]')) return
    const index = rows.indexOf(selected)
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    const agent = agents.get(selected.agentId)
    const can = attemptActions({ row: selected, agent, command: comparison.command, readOnly })
    const isOnButton = target.closest('button:not([aria-current])') !== null
    if (step !== undefined) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, index + step))]
      if (next === undefined) return
      selectAttempt(next.agentId)
      requestAnimationFrame(() =>
        section.current?.querySelector<HTMLElement>('[aria-current="true"]')?.focus(),
      )
    } else if (event.key === 'Enter' && !isOnButton) can.review?.()
    else if (event.key === 'm' && can.merge !== null) can.merge()
    else if (event.key === 'c' && can.check !== null) can.check()
    else return
    event.preventDefault()
  }
}
