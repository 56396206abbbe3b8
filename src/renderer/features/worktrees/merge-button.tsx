/** "Merge into main", or "Ask agent to resolve" if a conflict is known, with a menu of the other ways to merge. */
import { ChevronDown } from 'lucide-react'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { showConflicts, showReviewDialog, useReview, useSnapshot } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { startResolve } from './review-actions.ts'
import { MERGE_METHODS } from './worktree-text.ts'

/** Why the worktree can't be merged into any branch now; null when it can. */
function anyMergeObstacle({ state, resolving, problem }: ReviewWorktree): string | null {
  if (problem !== null) return problem
  if (state === 'working') return 'The agent is still working. Merge when it has finished.'
  if (resolving !== null && resolving.length > 0)
    return 'Conflicts are not resolved yet. Let the agent continue, or abort.'
  return null
}

/** Why the worktree can't be merged into its target now; null when it can. */
export function mergeObstacle(worktree: ReviewWorktree): string | null {
  const { state, check, commits, uncommitted } = worktree
  const obstacle = anyMergeObstacle(worktree)
  if (obstacle !== null) return obstacle
  if (state === 'merged') return check === null || check.kind === 'nothing' ? 'Already merged.' : null
  return commits === 0 && uncommitted === 0 ? 'Nothing to merge.' : null
}

/** Whether a merge into the target is known to conflict, and the worktree has an agent that could resolve it. */
const conflictsWithTarget = ({ check, state }: ReviewWorktree) =>
  check?.kind === 'conflicts' && state !== 'orphaned'

interface MergeButtonProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
}

export function MergeButton({ folder, worktree }: MergeButtonProps) {
  const busy = useReview((state) => state.busy.has(worktree.id))
  const target = useTarget(worktree)
  const obstacle = mergeObstacle(worktree)
  const disabled = obstacle !== null || busy
  const { id } = worktree
  const asks = obstacle === null && conflictsWithTarget(worktree)
  const hint = asks
    ? `Merges ${target ?? 'the target'} into the worktree, where the agent resolves the conflicts`
    : 'Opens a preview first'
  return (
    <span className="inline-flex min-w-0">
      <Tooltip text={obstacle ?? hint} keys={obstacle === null && !asks ? 'M' : undefined}>
        <Button
          variant="primary"
          disabled={disabled}
          focusableWhenDisabled
          // Of one width, whatever the label: the buttons beside it stay where they are when a conflict is found.
          className="w-[10.25rem] min-w-0 shrink! justify-center rounded-r-none"
          onClick={() =>
            asks
              ? void startResolve(folder, id, null)
              : showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: target === null })
          }
        >
          <span className="truncate">
            {asks ? 'Ask agent to resolve' : target === null ? 'Merge…' : 'Merge'}
            {!asks && target !== null && <span className="@max-[24rem]:sr-only"> into {target}</span>}
          </span>
        </Button>
      </Tooltip>
      <MergeMenu worktree={worktree} target={obstacle === null ? target : null} busy={busy} />
    </span>
  )
}

interface MergeMenuProps {
  readonly worktree: ReviewWorktree
  /** Null: the user chooses the branch. */
  readonly target: string | null
  readonly busy: boolean
}

function MergeMenu({ worktree, target, busy }: MergeMenuProps) {
  const { id, check, commits } = worktree
  return (
    <Menu
      align="end"
      trigger={
        <Button
          variant="primary"
          disabled={busy || anyMergeObstacle(worktree) !== null}
          focusableWhenDisabled
          aria-label="Merge options"
          className="rounded-l-none border-bg-1/40 border-l px-1.5"
        >
          <ChevronDown size={13} aria-hidden="true" />
        </Button>
      }
    >
      {target !== null && check?.kind === 'conflicts' && (
        <>
          <MenuItem onSelect={() => showConflicts(null)}>
            <MenuText name="Resolve by hand…" effect="You choose or edit each conflict, then merge." />
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      {MERGE_METHODS.map(({ method, label, effect }) => (
        <MenuItem
          key={method}
          onSelect={() => showReviewDialog({ kind: 'merge', id, method, elsewhere: target === null })}
        >
          <MenuText
            name={`${label}${method === 'cherry-pick' ? ' commits' : ''}…`}
            effect={effect(target ?? 'the branch', commits)}
          />
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: true })}>
        <MenuText name="Into another branch…" effect="Any local branch, checked out or not." />
      </MenuItem>
    </Menu>
  )
}

function MenuText({ name, effect }: { readonly name: string; readonly effect: string }) {
  return (
    <>
      <span className="block pt-1 text-fg-0">{name}</span>
      <span className="block whitespace-normal pb-1 text-fg-2 text-xs">{effect}</span>
    </>
  )
}

function useTarget({ target }: ReviewWorktree): string | null {
  const snapshot = useSnapshot()
  return target ?? snapshot?.current ?? null
}
