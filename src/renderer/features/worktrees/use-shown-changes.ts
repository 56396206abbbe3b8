/** The shown part of a worktree's changes, with the comments that were sent about them. */
import { useEffect, useMemo } from 'react'
import type { ReviewSnapshot, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { showRange, useReview } from '../../stores/review-store.ts'
import { currentRange } from './range-bar.tsx'
import { sentComments } from './sent-comments.ts'
import { useChanges } from './use-changes.ts'

export function useShownChanges(snapshot: ReviewSnapshot, worktree: ReviewWorktree) {
  const { id } = worktree
  const chosen = useReview((state) => state.ranges[id] ?? null)
  const loaded = useChanges(snapshot, worktree, chosen)
  const { value: changes, range } = loaded
  const working = worktree.state === 'working'
  const sent = useMemo(
    () => (changes === null ? [] : sentComments(changes, { range, working })),
    [changes, range, working],
  )
  useEffect(() => {
    if (changes === null) return
    const current = currentRange(changes, chosen)
    if (current !== chosen) showRange(id, current)
  }, [id, changes, chosen])
  const toggleSince = () => {
    const last = changes?.asked[0]
    if (last === undefined) showNotice({ level: 'info', text: 'You sent no comments to this agent yet.' })
    else showRange(id, chosen === null ? { kind: 'since', commit: last.commit } : null)
  }
  /** `chosen`: the range that the user chose; `range`: that of the loaded changes. */
  return { ...loaded, chosen, working, sent, toggleSince }
}
