/** Merges ready worktrees one after the other, in an order that the user may change. Stops at the first failure. */
import { useRef, useState } from 'react'
import type { MergeMethod, ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { selectWorktree, showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogError } from '../../../ui/form-dialog.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { count } from '../../../ui/text/format.ts'
import { mergeWorktree } from '../review-actions.ts'
import { type MergeProgress, MergeRow } from './merge-row.tsx'

const METHODS = [
  { value: 'merge', label: 'Merge' },
  { value: 'squash', label: 'Squash' },
  { value: 'rebase', label: 'Rebase' },
] as const

export function MergeAllDialog({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const [order, setOrder] = useState(snapshot.order)
  // Merge checks may arrive until the merging starts. Then the list is fixed: each merge changes the snapshot.
  const [started, setStarted] = useState<ReviewSnapshot | null>(null)
  const { worktrees } = started ?? snapshot
  const list = order.flatMap((id) => worktrees.filter((worktree) => worktree.id === id))
  const [ticks, setTicks] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [method, setMethod] = useState<Exclude<MergeMethod, 'cherry-pick'>>('merge')
  const [progress, setProgress] = useState<ReadonlyMap<string, MergeProgress>>(new Map())
  const { failure, run } = useDialogCommand()
  const [phase, setPhase] = useState<'before' | 'running' | 'after'>('before')
  const stopped = useRef(false)
  const close = () => {
    stopped.current = true
    showReviewDialog(null)
  }
  const mark = (id: string, next: MergeProgress) => setProgress((known) => new Map(known).set(id, next))
  const conflicting = knownConflicts(list)
  const isIncluded = ({ id }: ReviewWorktree) => ticks.get(id) ?? !conflicting.has(id)
  const chosen = list.filter(isIncluded)
  const leftOut = list.length - chosen.length
  const start = async () => {
    setPhase('running')
    setStarted(started ?? snapshot)
    stopped.current = false
    for (const { id, version } of chosen) {
      if (stopped.current) break
      if (progress.has(id)) continue
      mark(id, 'merging')
      const answer = await run(() =>
        mergeWorktree(snapshot.folder, { id, method, into: null, commits: [], message: null, seen: version }),
      )
      if (answer === null) return
      mark(id, answer.ok ? 'merged' : 'failed')
      if (!answer.ok) {
        selectWorktree(id)
        break
      }
    }
    setPhase('after')
  }
  const done = chosen.filter(({ id }) => progress.get(id) === 'merged').length
  const remaining = chosen.filter(({ id }) => !progress.has(id)).length
  return (
    <Dialog
      open
      onClose={close}
      width={560}
      title="Merge in order"
      description={
        phase === 'before'
          ? 'The suggested order has the fewest conflicts. Merging stops at the first failure.'
          : `${done} of ${chosen.length} merged.${leftOut === 0 ? '' : ` ${leftOut} left out.`}`
      }
      actions={
        phase === 'running' ? (
          <Button
            size="md"
            onClick={() => {
              stopped.current = true
            }}
          >
            Stop after this
          </Button>
        ) : (
          <>
            <Button size="md" onClick={close}>
              {phase === 'before' ? 'Cancel' : 'Close'}
            </Button>
            {(phase === 'before' || remaining > 0) && (
              <Button
                size="md"
                variant="primary"
                disabled={remaining === 0}
                focusableWhenDisabled
                onClick={() => void start()}
              >
                {phase === 'before' ? `Merge ${count(remaining, 'worktree')}` : 'Merge remaining'}
              </Button>
            )}
          </>
        )
      }
    >
      <div className="grid gap-3">
        <ol aria-label="Order" className="grid gap-1">
          {list.map((worktree, index) => (
            <MergeRow
              key={worktree.id}
              worktree={worktree}
              worktrees={worktrees}
              place={{ index, count: list.length }}
              progress={progress.get(worktree.id) ?? null}
              included={isIncluded(worktree)}
              clash={clashOf(worktree, list.slice(0, index).filter(isIncluded))}
              editable={phase === 'before'}
              onToggle={() => setTicks(new Map(ticks).set(worktree.id, !isIncluded(worktree)))}
              onMove={(by) => setOrder(moved(order, order.indexOf(worktree.id), by))}
            />
          ))}
        </ol>
        {phase === 'before' && (
          <Segmented
            label="Method"
            value={method}
            options={METHODS}
            onChange={setMethod}
            className="justify-self-start"
          />
        )}
        <DialogError message={failure?.message ?? null} />
      </div>
    </Dialog>
  )
}

/** The first of these worktrees that conflicts with a worktree; null: none. */
function clashOf({ conflictsWith }: ReviewWorktree, earlier: readonly ReviewWorktree[]): string | null {
  return earlier.find(({ id }) => conflictsWith.some((other) => other.id === id))?.id ?? null
}

/** The worktrees that conflict with their target or with one merged before them: they would end the merging. */
function knownConflicts(list: readonly ReviewWorktree[]): ReadonlySet<string> {
  const included: ReviewWorktree[] = []
  for (const worktree of list)
    if (worktree.check?.kind !== 'conflicts' && clashOf(worktree, included) === null) included.push(worktree)
  return new Set(list.filter((worktree) => !included.includes(worktree)).map(({ id }) => id))
}

/** The list with one element moved by one position; unchanged at an end. */
function moved<T>(list: readonly T[], index: number, by: 1 | -1): readonly T[] {
  const element = list[index]
  const to = index + by
  if (element === undefined || to < 0 || to >= list.length) return list
  return list.toSpliced(index, 1).toSpliced(to, 0, element)
}
