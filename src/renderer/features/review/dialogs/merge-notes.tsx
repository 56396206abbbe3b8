/** Consequences of a merge that the user should know beforehand. */
import type { ReviewWorktree } from '../../../../shared/review.ts'
import { count } from '../../../ui/format.ts'

interface MergeNotesProps {
  readonly worktree: ReviewWorktree
  readonly into: string
  /** The branch checked out in the user's folder. */
  readonly current: string | null
  /** Whether the merge is known to conflict. */
  readonly conflicts: boolean
}

export function MergeNotes({ worktree, into, current, conflicts }: MergeNotesProps) {
  const { uncommitted } = worktree
  const notes = [
    ...(uncommitted > 0
      ? [`${count(uncommitted, 'uncommitted file')} ${uncommitted === 1 ? 'is' : 'are'} committed first.`]
      : []),
    ...(into !== '' && into === current
      ? [
          `${into} is checked out here, so your files change too. If your uncommitted changes are in the way, nothing changes.`,
        ]
      : []),
    ...(conflicts
      ? [`The branch conflicts with ${into}. Its agent can resolve that in its worktree, or you can here.`]
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
