/** The worktrees in groups, then the discarded ones that can be restored. */
import { Undo2 } from 'lucide-react'
import { type KeyboardEvent, type Ref, useCallback, useEffect, useId, useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { ReviewSnapshot } from '../../../shared/worktrees/review.ts'
import { useDrafts } from '../../stores/draft-store.ts'
import {
  groupsOf,
  type ReviewGroup,
  selectWorktree,
  showReviewDialog,
  useReview,
} from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { undoDiscard } from './review-actions.ts'
import { draftKeyOf, reviewDraftOf } from './review-comments.ts'
import { WorktreeCard } from './worktree-card.tsx'
import { worktreeName } from './worktree-names.ts'

interface WorktreeListProps {
  readonly snapshot: ReviewSnapshot
  readonly selectedId: string | null
  /** Moves the focus to the files of the selected worktree. */
  readonly onEnter: () => void
  readonly listRef: Ref<HTMLDivElement>
}

export function WorktreeList({ snapshot, selectedId, onEnter, listRef }: WorktreeListProps) {
  const id = useId()
  const groups = useMemo(() => groupsOf(snapshot), [snapshot])
  const ids = useMemo(
    () => groups.flatMap((group) => group.worktrees.map((worktree) => worktree.id)),
    [groups],
  )
  const { worktrees } = snapshot
  const nameOf = useCallback((other: string) => worktreeName(worktrees, other), [worktrees])
  const busy = useReview((state) => state.busy)
  const comments = useDrafts(
    useShallow(() => ids.map((one) => reviewDraftOf(draftKeyOf(snapshot.folder, one)).comments.length)),
  )
  const selected = selectedId === null ? -1 : ids.indexOf(selectedId)
  const optionOf = (worktreeId: string) => `${id}-${worktreeId}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the selection changes
  useEffect(() => {
    if (selectedId !== null)
      document.getElementById(optionOf(selectedId))?.scrollIntoView?.({ block: 'nearest' })
  }, [selectedId])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const select = (to: number) => {
      const next = ids[Math.max(0, Math.min(ids.length - 1, to))]
      if (next !== undefined) selectWorktree(next)
    }
    if (event.key === 'ArrowDown' || event.key === 'j') select(selected + 1)
    else if (event.key === 'ArrowUp' || event.key === 'k') select(selected - 1)
    else if (event.key === 'Home') select(0)
    else if (event.key === 'End') select(ids.length - 1)
    else if (event.key === 'Enter' || event.key === 'ArrowRight') onEnter()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-2.5">
        {ids.length > 0 && (
          <div
            ref={listRef}
            role="listbox"
            aria-label="Worktrees"
            aria-activedescendant={selectedId === null ? undefined : optionOf(selectedId)}
            aria-keyshortcuts="J K Enter"
            tabIndex={0}
            data-focus-home=""
            onKeyDown={onKeyDown}
            className="group/list flex flex-col gap-4 rounded-md outline-none"
          >
            {groups.map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: a <fieldset> is for forms
              <div
                key={group.name}
                role="group"
                aria-label={headingOf(group)}
                className="flex flex-col gap-2"
              >
                <span aria-hidden="true" className="side-heading px-1 pt-0.5">
                  {headingOf(group)}
                </span>
                {group.worktrees.map((worktree) => (
                  <WorktreeCard
                    key={worktree.id}
                    id={optionOf(worktree.id)}
                    worktree={worktree}
                    selected={worktree.id === selectedId}
                    busy={busy.get(worktree.id) ?? null}
                    comments={comments[ids.indexOf(worktree.id)] ?? 0}
                    isFirst={group.name === 'ready'}
                    nameOf={nameOf}
                    onSelect={selectWorktree}
                  />
                ))}
              </div>
            ))}
          </div>
        )}
        <Discarded snapshot={snapshot} />
      </div>
      <BulkActions groups={groups} snapshot={snapshot} />
    </div>
  )
}

const headingOf = ({ title, worktrees }: ReviewGroup) => `${title} · ${worktrees.length}`

interface BulkActionsProps {
  readonly groups: readonly ReviewGroup[]
  readonly snapshot: ReviewSnapshot
}

function BulkActions({ groups, snapshot }: BulkActionsProps) {
  const merged = groups.some(({ name }) => name === 'merged')
  const several = snapshot.order.length > 1
  if (!several && !merged) return null
  return (
    <div className="flex shrink-0 flex-wrap gap-2 border-line border-t p-2.5">
      {several && (
        <Button onClick={() => showReviewDialog({ kind: 'merge-all' })}>
          Merge {snapshot.order.length} in order…
        </Button>
      )}
      {merged && (
        <Button variant="quiet" onClick={() => showReviewDialog({ kind: 'remove-merged' })}>
          Remove merged…
        </Button>
      )}
    </div>
  )
}

function Discarded({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const busy = useReview((state) => state.busy)
  if (snapshot.discarded.length === 0) return null
  return (
    <section aria-label="Discarded" className="flex flex-col gap-1.5">
      <h2 className="side-heading px-1">Discarded · {snapshot.discarded.length}</h2>
      <ul className="flex flex-col gap-1.5">
        {snapshot.discarded.map(({ id, agentName, branch }) => (
          <li
            key={id}
            className="flex items-center gap-2 rounded-md border border-line border-dashed py-1.5 pr-1.5 pl-3 text-sm"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate text-fg-1">{agentName}</span>
              <code className="block truncate font-mono text-fg-2 text-xs" title={branch}>
                <bdi>{branch}</bdi>
              </code>
            </span>
            <Button
              variant="quiet"
              disabled={busy.has(id)}
              focusableWhenDisabled
              aria-label={`Undo: restore ${branch}`}
              onClick={() => void undoDiscard(snapshot.folder, id)}
            >
              <Undo2 size={13} aria-hidden="true" />
              Undo
            </Button>
          </li>
        ))}
      </ul>
      <p className="px-1 text-fg-2 text-xs">You can undo this until Troupe restarts.</p>
    </section>
  )
}
