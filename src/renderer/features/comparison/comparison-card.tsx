/** The newest comparison at the end of the conversation: how far it is, and the way to its results. */
import { Columns4, X } from 'lucide-react'
import type { Comparison } from '../../../shared/comparison/comparison.ts'
import {
  dismissComparison,
  showComparison,
  stopComparison,
  useAttemptLetters,
  useAttempts,
  useComparisons,
  useIsPutAway,
  useShowsComparison,
} from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { summaryText } from './attempt-text.ts'

/** Renders nothing without a comparison, and after the user has put it away. */
export function ComparisonCard() {
  const newest = useComparisons().at(-1)
  return newest === undefined ? null : <Card comparison={newest} />
}

function Card({ comparison }: { readonly comparison: Comparison }) {
  const { id, command, merged } = comparison
  const { rows, isRunning } = useAttempts(comparison)
  const isPutAway = useIsPutAway(id)
  const isShown = useShowsComparison()
  const readOnly = useConversation((state) => state.readOnly)
  const letters = useAttemptLetters(rows)
  if (isPutAway && !isRunning) return null
  const winner = letters[rows.findIndex(({ isMerged }) => isMerged)]
  return (
    <div className="flex flex-col gap-2 px-2.5 pb-2.5">
      <div
        dir="auto"
        data-selectable=""
        title={comparison.task}
        className="line-clamp-3 max-w-[88%] self-end whitespace-pre-wrap rounded-[12px_12px_3px_12px] bg-bg-3 px-3 py-2 wrap-anywhere"
      >
        <span className="sr-only">Your task: </span>
        {comparison.task}
      </div>
      <section
        aria-label="Task for several agents"
        className="flex flex-wrap items-center gap-x-2 gap-y-1.5 rounded-md border border-line-strong bg-bg-2 px-2.5 py-2 text-sm"
      >
        {isRunning ? (
          <Spinner size={11} />
        ) : (
          <Columns4 size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
        )}
        <p className="min-w-40 flex-1 text-fg-1">
          {summaryText(rows, command)}
          {merged !== null && winner !== undefined && ` ${winner} was merged into ${merged.into}.`}
        </p>
        <span className="flex items-center gap-1.5">
          {isRunning && !readOnly && (
            <Button variant="quiet" onClick={() => void stopComparison(id)}>
              Stop all
            </Button>
          )}
          {!isShown && <Button onClick={() => showComparison()}>Compare</Button>}
          {!isRunning && <IconButton label="Put away" icon={X} onClick={() => dismissComparison(id)} />}
        </span>
      </section>
    </div>
  )
}
