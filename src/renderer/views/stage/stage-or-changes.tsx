/** The right part of the stage: the panels of agents, or what the agents changed. */
import { lazy, Suspense, useEffect } from 'react'
import { amountOfChanges } from '../../features/changes/changes-rows.ts'
import { showChanges, useChanges } from '../../stores/changes-store.ts'
import { useStage } from '../../stores/stage-store.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { StagePanelsArea } from './stage-panels-area.tsx'

const ChangesView = lazy(async () => ({
  default: (await import('../../features/changes/changes-view.tsx')).ChangesView,
}))

export function StageOrChanges() {
  const isShown = useChanges((state) => state.isShown)
  const amount = useChanges((state) => amountOfChanges(state.list))
  const hasChanges = useChanges((state) => (state.list?.calls.length ?? 0) > 0)
  const reveal = useStage((state) => state.reveal)
  // An agent to be shown is in the panels.
  useEffect(() => {
    if (reveal !== null) showChanges(false)
  }, [reveal])
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {(hasChanges || isShown) && (
        <nav
          aria-label="Parts of the stage"
          className="flex h-9 shrink-0 items-center border-line border-b bg-bg-1 px-2.5"
        >
          <Segmented
            label="Panels or changes"
            value={isShown ? 'changes' : 'panels'}
            options={[
              { value: 'panels', label: 'Panels' },
              { value: 'changes', label: amount === 0 ? 'Changes' : `Changes ${amount}` },
            ]}
            onChange={(value) => showChanges(value === 'changes')}
          />
        </nav>
      )}
      {isShown ? (
        <Suspense fallback={<div className="flex-1 bg-bg-0" />}>
          <ChangesView />
        </Suspense>
      ) : (
        <StagePanelsArea />
      )}
    </div>
  )
}
