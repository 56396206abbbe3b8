/** The part of the stage beside the conversation, and the switch between the answer, the panels, the changes and a comparison. */
import { lazy, Suspense } from 'react'
import { changesTotalsOf, hasChanges } from '../../../shared/changes/changes-amounts.ts'
import { openChanges, showChanges, useChanges } from '../../stores/changes-store.ts'
import { showComparison, useComparisons, useShowsComparison } from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { revealAgent, type StagePart, showStagePart, useStagePart } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/segmented.tsx'

const StagePanelsArea = lazy(async () => ({
  default: (await import('./stage-panels-area.tsx')).StagePanelsArea,
}))

const ChangesView = lazy(async () => ({
  default: (await import('../../features/changes/changes-view.tsx')).ChangesView,
}))

const ComparisonView = lazy(async () => ({
  default: (await import('../../features/comparison/comparison-view.tsx')).ComparisonView,
}))

const Reports = lazy(async () => ({
  default: (await import('../../features/reports/reports.tsx')).Reports,
}))

const SideBySide = lazy(async () => ({
  default: (await import('../../features/worktrees/side-by-side/side-by-side.tsx')).SideBySide,
}))

const AttemptDiff = lazy(async () => ({
  default: (await import('../../features/worktrees/side-by-side/attempt-diff.tsx')).AttemptDiff,
}))

interface ShownPartProps {
  /** Whether the answer is at the left; its header has the switch then. */
  readonly besideAnswer: boolean
  /** The conversation, if a comparison has its place; null: it is at the left. */
  readonly talk: { readonly isShown: boolean; readonly toggle: () => void } | null
}

export function ShownPart({ besideAnswer, talk }: ShownPartProps) {
  const part = useStagePart()
  const showsComparison = useShowsComparison()
  const lead = (
    <>
      <StageSwitch />
      {talk !== null && (
        <Button variant="quiet" onClick={talk.toggle}>
          {talk.isShown ? 'Hide conversation' : 'Show conversation'}
        </Button>
      )}
    </>
  )
  return (
    <Suspense fallback={<div className="flex-1 bg-bg-0" />}>
      {part === 'answer' ? (
        <Reports lead={besideAnswer ? undefined : lead} />
      ) : part === 'changes' ? (
        <ChangesView lead={lead} />
      ) : showsComparison ? (
        <ComparisonView lead={lead} onShowAgent={revealAgent} diff={AttemptDiff} diffs={SideBySide} />
      ) : (
        <StagePanelsArea lead={lead} />
      )}
    </Suspense>
  )
}

const LABEL = 'Shown on the stage'

/** In the bar of every part. Without subagents and changes there is nothing to choose. */
export function StageSwitch() {
  const part = useStagePart()
  const panels = useConversation((state) => Math.max(0, state.agentIds.length - 1))
  const hasComparison = useComparisons().length > 0
  const showsComparison = useShowsComparison()
  const list = useChanges((state) => state.list)
  const files = list === null ? 0 : changesTotalsOf(list).files
  if (panels === 0 && !hasChanges(list) && part !== 'changes') return null
  const options: { value: StagePart; label: string }[] = [
    ...(panels > 0 ? [{ value: 'answer' as const, label: 'Answer' }] : []),
    { value: 'panels', label: panels === 0 ? 'Conversation' : `Panels ${panels}` },
    { value: 'changes', label: files === 0 ? 'Changes' : `Changes ${files}` },
    ...(hasComparison ? [{ value: 'comparison' as const, label: 'Comparison' }] : []),
  ]
  return (
    <Segmented
      label={LABEL}
      value={part === 'comparison' && !showsComparison ? 'panels' : part}
      options={options}
      onChange={(next) => {
        if (next === 'changes') openChanges()
        else if (next === 'comparison') showComparison()
        else {
          showChanges(false)
          showStagePart(next)
        }
        // The switch of the other part takes over the focus.
        requestAnimationFrame(() =>
          document.querySelector<HTMLElement>(`[aria-label="${LABEL}"] [aria-checked="true"]`)?.focus(),
        )
      }}
    />
  )
}
