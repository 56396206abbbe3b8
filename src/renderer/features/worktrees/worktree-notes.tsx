/** Notes about the selected worktree, below its diff, which keeps its place when a note appears. */
import { ArrowLeftRight, CircleAlert, GitMerge, Info, type LucideIcon, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Overlap, overlapText } from '../../../shared/environments/overlaps.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { overlapsOf, useEnvironments } from '../../stores/environments-store.ts'
import { useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/text/format.ts'
import { carryOver, undoMerge, undoTakeBack } from './review-actions.ts'
import { OverlapComparison } from './side-by-side/overlap-comparison.tsx'

interface WorktreeNotesProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
}

export function WorktreeNotes({ folder, worktree }: WorktreeNotesProps) {
  const { problem, folderGone, notes, branch, id, state, merged, takenBack } = worktree
  const dirty = useSession((session) => session.folder?.dirtyFiles ?? 0)
  const busy = useReview((review) => review.busy.has(id))
  const mayCarry = dirty > 0 && state === 'working' && !folderGone && problem === null
  return (
    <ul className="grid shrink-0 empty:hidden">
      {problem !== null && (
        <Note icon={CircleAlert} bad>
          {problem}
        </Note>
      )}
      {folderGone && (
        <Note icon={Info}>
          <span>
            The folder was deleted. Committed work is on the branch{' '}
            <code className="font-mono text-xs">{branch}</code> and can still be merged.
          </span>
        </Note>
      )}
      {notes.map((note) => (
        <Note key={note} icon={Info}>
          {note}
        </Note>
      ))}
      {merged?.undoable === true && (
        <Note icon={GitMerge}>
          <span>
            Merged into {merged.into} as{' '}
            <code className="font-mono text-xs">{merged.commit.slice(0, 8)}</code>.
          </span>
          <Button disabled={busy} focusableWhenDisabled onClick={() => void undoMerge(folder, id)}>
            Undo merge
          </Button>
        </Note>
      )}
      {takenBack !== null && (
        <Note icon={Undo2}>
          <span role="status">Took back {takenBack.what}.</span>
          <Button
            disabled={busy || state === 'working'}
            focusableWhenDisabled
            onClick={() => void undoTakeBack(folder, id)}
          >
            Restore
          </Button>
        </Note>
      )}
      <OverlapNotes folder={folder} id={id} />
      {mayCarry && (
        <Note icon={Info}>
          <span>
            Your {count(dirty, 'uncommitted file')} {dirty === 1 ? 'is' : 'are'} not in this worktree.
          </span>
          <Button disabled={busy} focusableWhenDisabled onClick={() => void carryOver(folder, id)}>
            Carry over
          </Button>
        </Note>
      )}
    </ul>
  )
}

/** The lines that other agents change too, while they work. */
function OverlapNotes({ folder, id }: { readonly folder: string; readonly id: string }) {
  const snapshot = useEnvironments((state) => state.snapshot)
  const [compared, setCompared] = useState<Overlap | null>(null)
  return (
    <>
      {overlapsOf(snapshot, id).map(({ overlap, otherTask }) => (
        <Note key={`${overlap.path} ${overlap.ids.join()}`} icon={ArrowLeftRight}>
          <span>
            “{otherTask}” changes <code className="font-mono text-xs">{overlapText(overlap)}</code> too.
          </span>
          <Button onClick={() => setCompared(overlap)}>Compare</Button>
        </Note>
      ))}
      <OverlapComparison
        folder={folder}
        overlap={compared}
        worktrees={snapshot?.worktrees ?? []}
        onClose={() => setCompared(null)}
      />
    </>
  )
}

interface NoteProps {
  readonly icon: LucideIcon
  readonly bad?: boolean
  readonly children: ReactNode
}

function Note({ icon: Icon, bad = false, children }: NoteProps) {
  return (
    <li className="flex min-h-8 items-center gap-2 border-line border-t bg-bg-1 px-3 py-1 text-fg-1 text-sm">
      <Icon
        size={13}
        strokeWidth={1.75}
        aria-hidden="true"
        className={bad ? 'shrink-0 text-bad' : 'shrink-0'}
      />
      <span
        className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 wrap-anywhere"
        data-selectable=""
      >
        {children}
      </span>
    </li>
  )
}
