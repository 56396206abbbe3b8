/** The right part of the stage: the panels of agents, what the agents changed, or a comparison. */
import { lazy, Suspense, useEffect } from 'react'
import { changesTotalsOf, hasChanges } from '../../../shared/changes/changes-amounts.ts'
import { openChanges, showChanges, useChanges } from '../../stores/changes-store.ts'
import {
  hideComparison,
  showComparison,
  useComparisons,
  useShowsComparison,
} from '../../stores/comparison-store.ts'
import { revealAgent, useStage } from '../../stores/shown-conversation.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { StagePanelsArea } from './stage-panels-area.tsx'

const ChangesView = lazy(async () => ({
  default: (await import('../../features/changes/changes-view.tsx')).ChangesView,
}))

const ComparisonView = lazy(async () => ({
  default: (await import('../../features/comparison/comparison-view.tsx')).ComparisonView,
}))

const SideBySide = lazy(async () => ({
  default: (await import('../../features/worktrees/side-by-side/side-by-side.tsx')).SideBySide,
}))

export function StageOrChanges() {
  const isShown = useChanges((state) => state.isShown)
  const hasComparison = useComparisons().length > 0
  const showsComparison = useShowsComparison() && !isShown
  const hasControl = useChanges((state) => state.isShown || hasChanges(state.list)) || hasComparison
  const reveal = useStage((state) => state.reveal)
  // An agent to be shown is in the panels.
  useEffect(() => {
    if (reveal === null) return
    showChanges(false)
    hideComparison()
  }, [reveal])
  const lead = hasControl ? <Switch /> : undefined
  if (!isShown && !showsComparison) return <StagePanelsArea lead={lead} />
  return (
    <Suspense fallback={<div className="flex-1 bg-bg-0" />}>
      {showsComparison ? (
        <ComparisonView lead={lead} onShowAgent={revealAgent} diffs={SideBySide} />
      ) : (
        <ChangesView lead={lead} />
      )}
    </Suspense>
  )
}

const LABEL = 'Panels or changes'

/** In the bar of all parts, so that nothing moves when agents change something. */
function Switch() {
  const showsChanges = useChanges((state) => state.isShown)
  const showsComparison = useShowsComparison()
  const hasComparison = useComparisons().length > 0
  const amount = useChanges(({ list }) => (list === null ? 0 : changesTotalsOf(list).files))
  return (
    <Segmented
      label={LABEL}
      value={showsChanges ? 'changes' : showsComparison ? 'comparison' : 'panels'}
      options={[
        { value: 'panels', label: 'Panels' },
        { value: 'changes', label: amount === 0 ? 'Changes' : `Changes ${amount}` },
        ...(hasComparison ? [{ value: 'comparison' as const, label: 'Comparison' }] : []),
      ]}
      onChange={(value) => {
        if (value === 'changes') return openChanges()
        if (value === 'comparison') showComparison()
        else {
          showChanges(false)
          hideComparison()
        }
        // The switch of the other part takes over the focus.
        requestAnimationFrame(() =>
          document.querySelector<HTMLElement>(`[aria-label="${LABEL}"] [aria-checked="true"]`)?.focus(),
        )
      }}
    />
  )
}
