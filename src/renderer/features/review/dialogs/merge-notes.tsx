/** Consequences of a merge that the user should know beforehand. */
import type { ReviewWorktree } from '../../../../shared/review.ts'
import { count } from '../../../ui/format.ts'

interface MergeNotesProps {
  readonly worktree: ReviewWorktree
  readonly into: string
  /** The branch checked out in the user's folder. */
  readonly current: string | null
}

export function MergeNotes({ worktree, into, current }: MergeNotesProps) {
  const { uncommitted, check, target } = worktree
  const notes = [
    ...(uncommitted > 0
      ? [`${count(uncommitted, 'uncommitted file')} ${uncommitted === 1 ? 'is' : 'are'} committed first.`]
      : []),
    ...(into !== '' && into === current
      ? [
          `${into} is checked out here, so your files change too. If your uncommitted changes are in the way, nothing changes.`,
        ]
      : []),
    ...(check?.kind === 'conflicts' && into === target
      ? [
          `The branch conflicts with ${into}. The merge fails until the conflicts are resolved, and changes nothing.`,
        ]
      : []),
    'The worktree stays until you remove it.',
  ]
  return (
    <ul className="grid gap-1 text-fg-2 text-sm">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}
