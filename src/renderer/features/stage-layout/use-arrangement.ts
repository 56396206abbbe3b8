/** The current arrangement. The object stays the same until the arrangement changes. */
import { useLayoutEffect, useMemo, useRef } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useConversation } from '../../stores/conversation-store.ts'
import { type Arrangement, arrange, type Candidate, needOf, sameArrangement } from './arrange.ts'

export interface ArrangementOptions {
  readonly agentIds: readonly string[]
  readonly capacity: number
  readonly pinned: readonly string[]
  readonly opened: string | null
  /** The panels that the pointer or the focus is in, read at the time of the decision. */
  readonly inUse: () => ReadonlySet<string>
  /** A new value repeats the decision: the user has left a panel. */
  readonly moment: number
}

const NONE: Arrangement = { panels: [], tiles: [], finished: [] }

export function useArrangement(options: ArrangementOptions): Arrangement {
  const { agentIds, capacity, pinned, opened, inUse, moment } = options
  const needs = useConversation(
    useShallow((state) =>
      agentIds.map((id) => {
        const agent = state.agents.get(id)
        return agent === undefined ? 'done' : needOf(agent)
      }),
    ),
  )
  const last = useRef(NONE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: see `moment`
  const arrangement = useMemo(() => {
    const agents = agentIds.map((id, index): Candidate => ({ id, need: needs[index] ?? 'done' }))
    const next = arrange({
      agents,
      panels: last.current.panels,
      capacity,
      pinned: new Set(pinned),
      opened,
      inUse: inUse(),
    })
    return sameArrangement(next, last.current) ? last.current : next
  }, [agentIds, needs, capacity, pinned, opened, inUse, moment])
  useLayoutEffect(() => {
    last.current = arrangement
  }, [arrangement])
  return arrangement
}
