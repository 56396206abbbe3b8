/** The queue of requests as its dialog shows it, while it is open. */
import { useMemo, useRef, useState } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type Need, useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { requestPlace } from '../../ui/text/agent-text.ts'
import type { ShapedNeed } from './arrange-queue.ts'
import {
  answering,
  EMPTY_QUEUE,
  followNeeds,
  isAnswered,
  type QueueState,
  select,
  toggle,
  toggleAll,
} from './queue-state.ts'
import { requestShape } from './request-shape.ts'
import { type AnsweredByAgent, useAnswered } from './use-answered.ts'

export interface Queue extends QueueState {
  /** Newest first; it does not change while the pointer is in the list. */
  readonly answered: readonly AnsweredByAgent[]
  /** The key of the next open place after the shown one; null: there is no other. */
  readonly next: string | null
  select(key: string): void
  /** To the next or previous row of the list. */
  move(by: 1 | -1 | 'first' | 'last'): void
  toggle(requestId: string): void
  toggleAll(): void
  /** The user's answers to these requests are sent, or `failed`. */
  answering(requestIds: readonly string[], failed?: boolean): void
  /** While the pointer is in the list, nothing in it moves. */
  hold(isHeld: boolean): void
}

export function useQueue(): Queue {
  const needs = useNeeds()
  const answeredNow = useAnswered()
  const [held, setHeld] = useState(false)
  const frozen = useRef(answeredNow)
  if (!held) frozen.current = answeredNow
  const answered = frozen.current
  const shaped = useMemo(() => shapesOf(needs), [needs])
  const [state, setState] = useState(EMPTY_QUEUE)
  const [followed, setFollowed] = useState<readonly unknown[]>([])
  // The state follows the requests before anything is drawn.
  let current = state
  if (followed[0] !== shaped || followed[1] !== held || followed[2] !== state) {
    current = followNeeds(state, { needs: shaped, hold: held })
    setState(current)
    setFollowed([shaped, held, current])
  }
  const { places, open, shown } = current
  const rows = [...places.map(({ key }) => key), ...answered.map(({ key }) => key)]
  const at = shown === null ? -1 : rows.indexOf(shown)
  const waiting = places.filter((place) => !isAnswered(place, open) && place.key !== shown)
  const following = waiting.find(({ key }) => rows.indexOf(key) > at) ?? waiting[0]
  return {
    ...current,
    answered,
    next: following?.key ?? null,
    select: (key) => setState((now) => select(now, key)),
    move(by) {
      const to = by === 'first' ? 0 : by === 'last' ? places.length - 1 : at + by
      const key = rows[Math.max(0, Math.min(rows.length - 1, to))]
      if (key !== undefined) setState((now) => select(now, key))
    },
    toggle: (id) => setState((now) => toggle(now, id)),
    toggleAll: () => setState(toggleAll),
    answering: (ids, failed) => setState((now) => answering(now, ids, failed)),
    hold: setHeld,
  }
}

function shapesOf(needs: readonly Need[]): readonly ShapedNeed[] {
  const { agents } = useConversation.getState()
  return needs.map((need) => ({ need, shape: shapeOf(need, agents.get(need.agentId)) }))
}

function shapeOf({ request }: Need, agent: AgentState | undefined): string | null {
  if (request === undefined || agent === undefined) return null
  return requestShape({ request, isInWorktree: agent.worktree !== null, place: requestPlace(agent) })
}
