/** "Merge into main", with a menu of the other merge methods. */
import { ChevronDown } from 'lucide-react'
import type { ReviewWorktree } from '../../../shared/review.ts'
import { showReviewDialog, useReview, useSnapshot } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { MERGE_METHODS } from './merge-methods.ts'

/** Why the worktree can't be merged now; null when it can. */
export function mergeObstacle({
  state,
  resolving,
  commits,
  uncommitted,
  problem,
}: ReviewWorktree): string | null {
  if (problem !== null) return problem
  if (state === 'working') return 'The agent is still working. Merge when it has finished.'
  if (resolving !== null && resolving.length > 0)
    return 'Conflicts are not resolved yet. Let the agent continue, or abort.'
  if (state === 'merged') return 'Already merged.'
  if (commits === 0 && uncommitted === 0) return 'Nothing to merge.'
  return null
}

export function MergeButton({ worktree }: { readonly worktree: ReviewWorktree }) {
  const snapshot = useSnapshot()
  const busy = useReview((state) => state.busy.has(worktree.id))
  const obstacle = mergeObstacle(worktree)
  const disabled = obstacle !== null || busy
  const target = worktree.target ?? snapshot?.current ?? null
  const { id } = worktree
  const label = target === null ? 'Merge…' : `Merge into ${target}`
  return (
    <span className="inline-flex">
      <Tooltip text={obstacle ?? 'Opens a preview first'} keys={obstacle === null ? 'M' : undefined}>
        <Button
          variant="primary"
          disabled={disabled}
          focusableWhenDisabled
          className="rounded-r-none"
          onClick={() => showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: target === null })}
        >
          <span className="max-w-44 truncate">{label}</span>
        </Button>
      </Tooltip>
      <Menu
        align="end"
        trigger={
          <Button
            variant="primary"
            disabled={disabled}
            focusableWhenDisabled
            aria-label="Merge options"
            className="rounded-l-none border-bg-1/40 border-l px-1.5"
          >
            <ChevronDown size={13} aria-hidden="true" />
          </Button>
        }
      >
        {MERGE_METHODS.map(({ method, label: name, effect }) => (
          <MenuItem
            key={method}
            onSelect={() => showReviewDialog({ kind: 'merge', id, method, elsewhere: target === null })}
          >
            <span className="block pt-1 text-fg-0">
              {name}
              {method === 'cherry-pick' && ' commits'}…
            </span>
            <span className="block whitespace-normal pb-1 text-fg-2 text-xs">
              {effect(target ?? 'the branch', worktree.commits)}
            </span>
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={() => showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: true })}>
          <span className="block pt-1 text-fg-0">Into another branch…</span>
          <span className="block whitespace-normal pb-1 text-fg-2 text-xs">
            Any local branch, checked out or not.
          </span>
        </MenuItem>
      </Menu>
    </span>
  )
}
