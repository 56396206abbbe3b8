/** Merges all ready worktrees in the order with the fewest conflicts. Stops at the first failure. */
import { Check, CircleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { formatChanges } from '../../../../shared/format-work.ts'
import type { MergeMethod, ReviewSnapshot, ReviewWorktree } from '../../../../shared/review.ts'
import { selectWorktree, showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { count } from '../../../ui/format.ts'
import { Segmented } from '../../../ui/segmented.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { mergeWorktree } from '../review-actions.ts'
import { DialogError } from './dialog-error.tsx'
import { useDialogCommand } from './use-dialog-command.ts'

type Progress = 'pending' | 'merging' | 'merged' | 'failed'

const METHODS = [
  { value: 'merge', label: 'Merge' },
  { value: 'squash', label: 'Squash' },
  { value: 'rebase', label: 'Rebase' },
] as const

export function MergeAllDialog({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  // A fixed list: each merge changes the snapshot.
  const [list] = useState(() => orderOf(snapshot))
  const [method, setMethod] = useState<Exclude<MergeMethod, 'cherry-pick'>>('merge')
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map())
  const { failure, run } = useDialogCommand()
  const [phase, setPhase] = useState<'before' | 'running' | 'after'>('before')
  const stopped = useRef(false)
  const close = () => {
    stopped.current = true
    showReviewDialog(null)
  }
  const mark = (id: string, next: Progress) => setProgress((known) => new Map(known).set(id, next))
  const start = async () => {
    setPhase('running')
    stopped.current = false
    for (const { id, version } of list) {
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
  const done = list.filter(({ id }) => progress.get(id) === 'merged').length
  const remaining = list.filter(({ id }) => !progress.has(id)).length
  return (
    <Dialog
      open
      onClose={close}
      width={520}
      title="Merge in order"
      description={
        phase === 'before'
          ? 'This order has the fewest conflicts. Merging stops at the first failure.'
          : `${done} of ${list.length} merged.`
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
            {remaining > 0 && (
              <Button size="md" variant="primary" onClick={() => void start()}>
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
            <li
              key={worktree.id}
              className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-baseline gap-x-1 text-sm"
            >
              <Mark progress={progress.get(worktree.id) ?? 'pending'} index={index} />
              <span className="min-w-0 truncate">
                <b className="font-semibold text-fg-0">{worktree.agentName}</b>{' '}
                <code className="font-mono text-fg-2 text-xs">
                  <bdi>{worktree.branch}</bdi>
                </code>
              </span>
              <span className="text-fg-2">
                {formatChanges(worktree)}
                {worktree.target !== null && ` → ${worktree.target}`}
              </span>
            </li>
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

function Mark({ progress, index }: { readonly progress: Progress; readonly index: number }) {
  switch (progress) {
    case 'pending':
      return <span className="font-mono text-fg-2 text-xs">{index + 1}</span>
    case 'merging':
      return (
        <span role="img" aria-label="merging">
          <Spinner size={11} />
        </span>
      )
    case 'merged':
      return <Check size={13} role="img" aria-label="merged" className="translate-y-0.5 text-ok" />
    case 'failed':
      return <CircleAlert size={13} role="img" aria-label="failed" className="translate-y-0.5 text-bad" />
  }
}

function orderOf({ order, worktrees }: ReviewSnapshot): readonly ReviewWorktree[] {
  return order.flatMap((id) => worktrees.filter((worktree) => worktree.id === id))
}
