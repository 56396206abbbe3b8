/** The right part of the stage: the panels of agents, or what the agents changed. */
import { lazy, Suspense, useEffect } from 'react'
import { hasChanges, totalsOf } from '../../../shared/changes-amounts.ts'
import { openChanges, showChanges, useChanges } from '../../stores/changes-store.ts'
import { useStage } from '../../stores/stage-store.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { StagePanelsArea } from './stage-panels-area.tsx'

const ChangesView = lazy(async () => ({
  default: (await import('../../features/changes/changes-view.tsx')).ChangesView,
}))

export function StageOrChanges() {
  const isShown = useChanges((state) => state.isShown)
  const hasControl = useChanges((state) => state.isShown || hasChanges(state.list))
  const reveal = useStage((state) => state.reveal)
  // An agent to be shown is in the panels.
  useEffect(() => {
    if (reveal !== null) showChanges(false)
  }, [reveal])
  const lead = hasControl ? <Switch /> : undefined
  if (!isShown) return <StagePanelsArea lead={lead} />
  return (
    <Suspense fallback={<div className="flex-1 bg-bg-0" />}>
      <ChangesView lead={lead} />
    </Suspense>
  )
}

const LABEL = 'Panels or changes'

/** In the bar of both parts, so that nothing moves when agents change something. */
function Switch() {
  const isShown = useChanges((state) => state.isShown)
  const amount = useChanges(({ list }) => (list === null ? 0 : totalsOf(list).files))
  return (
    <Segmented
      label={LABEL}
      value={isShown ? 'changes' : 'panels'}
      options={[
        { value: 'panels', label: 'Panels' },
        { value: 'changes', label: amount === 0 ? 'Changes' : `Changes ${amount}` },
      ]}
      onChange={(value) => {
        if (value === 'changes') return openChanges()
        showChanges(false)
        // The switch of the other part takes over the focus.
        requestAnimationFrame(() =>
          document.querySelector<HTMLElement>(`[aria-label="${LABEL}"] [aria-checked="true"]`)?.focus(),
        )
      }}
    />
  )
}
