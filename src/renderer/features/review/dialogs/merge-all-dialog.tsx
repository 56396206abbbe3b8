/** Merges those that wait, one after the other, in the order that conflicts least. Stops at the first refusal. */
import { Check, CircleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import type { MergeMethod, ReviewSnapshot, ReviewWorktree } from '../../../../shared/review.ts'
import { changeWords } from '../../../../shared/work-words.ts'
import { selectWorktree, showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { count } from '../../../ui/format.ts'
import { Segmented } from '../../../ui/segmented.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { mergeWorktree } from '../review-actions.ts'
import { RefusalBox } from './refusal-box.tsx'
import { useRequest } from './use-request.ts'

type Progress = 'waiting' | 'merging' | 'merged' | 'refused'

const METHODS = [
  { value: 'merge', label: 'Merge' },
  { value: 'squash', label: 'Squash' },
  { value: 'rebase', label: 'Rebase' },
] as const

export function MergeAllDialog({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  // The list stays as it was while the snapshots change with each merge.
  const [list] = useState(() => orderOf(snapshot))
  const [method, setMethod] = useState<Exclude<MergeMethod, 'cherry-pick'>>('merge')
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map())
  const { refusal, ask } = useRequest()
  const [phase, setPhase] = useState<'before' | 'running' | 'after'>('before')
  const stopped = useRef(false)
  const close = () => {
    stopped.current = true
    showReviewDialog(null)
  }
  const mark = (id: string, what: Progress) => setProgress((known) => new Map(known).set(id, what))
  const start = async () => {
    setPhase('running')
    stopped.current = false
    for (const { id } of list) {
      if (stopped.current) break
      if (progress.has(id)) continue
      mark(id, 'merging')
      const answer = await ask(() =>
        mergeWorktree(snapshot.folder, { id, method, into: null, commits: [], message: null }),
      )
      if (answer === null) return
      mark(id, answer.ok ? 'merged' : 'refused')
      if (!answer.ok) {
        selectWorktree(id)
        break
      }
    }
    setPhase('after')
  }
  const done = list.filter(({ id }) => progress.get(id) === 'merged').length
  const rest = list.filter(({ id }) => !progress.has(id)).length
  return (
    <Dialog
      open
      onClose={close}
      width={520}
      title="Merge in this order"
      description={
        phase === 'before'
          ? 'So that they are least in each other’s way. One after the other; at the first that is refused it stops, and the rest stays as it is.'
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
            Stop after this one
          </Button>
        ) : (
          <>
            <Button size="md" onClick={close}>
              {phase === 'before' ? 'Cancel' : 'Close'}
            </Button>
            {rest > 0 && (
              <Button size="md" variant="primary" onClick={() => void start()}>
                {phase === 'before' ? `Merge ${count(rest, 'worktree')}` : 'Go on with the rest'}
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
              <Mark progress={progress.get(worktree.id) ?? 'waiting'} index={index} />
              <span className="min-w-0 truncate">
                <b className="font-semibold text-fg-0">{worktree.agentName}</b>{' '}
                <code className="font-mono text-fg-2 text-xs">
                  <bdi>{worktree.branch}</bdi>
                </code>
              </span>
              <span className="text-fg-2">
                {changeWords(worktree)}
                {worktree.target !== null && ` → ${worktree.target}`}
              </span>
            </li>
          ))}
        </ol>
        {phase === 'before' && (
          <Segmented
            label="How"
            value={method}
            options={METHODS}
            onChange={setMethod}
            className="justify-self-start"
          />
        )}
        <RefusalBox words={refusal?.message ?? null} />
      </div>
    </Dialog>
  )
}

function Mark({ progress, index }: { readonly progress: Progress; readonly index: number }) {
  switch (progress) {
    case 'waiting':
      return <span className="font-mono text-fg-2 text-xs">{index + 1}</span>
    case 'merging':
      return (
        <span role="img" aria-label="being merged">
          <Spinner size={11} />
        </span>
      )
    case 'merged':
      return <Check size={13} role="img" aria-label="merged" className="translate-y-0.5 text-ok" />
    case 'refused':
      return <CircleAlert size={13} role="img" aria-label="refused" className="translate-y-0.5 text-bad" />
  }
}

function orderOf({ order, worktrees }: ReviewSnapshot): readonly ReviewWorktree[] {
  return order.flatMap((id) => worktrees.filter((worktree) => worktree.id === id))
}
