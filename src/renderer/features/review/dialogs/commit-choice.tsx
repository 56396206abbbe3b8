/** The commits of a worktree, to choose which ones a cherry-pick copies. */
import type { ReviewCommit } from '../../../../shared/review.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { VisibleText } from '../../../ui/visible-text.tsx'

interface CommitChoiceProps {
  /** Newest first; null while loading. */
  readonly commits: readonly ReviewCommit[] | null
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

export function CommitChoice({ commits, chosen, onChange }: CommitChoiceProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="pb-1 text-fg-1 text-sm">Commits, newest first</legend>
      {commits === null && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Loading…
        </p>
      )}
      {commits?.length === 0 && (
        <p className="text-fg-1 text-sm">No commits yet. Merge and Squash commit the changes first.</p>
      )}
      <div className="grid max-h-40 gap-1 overflow-y-auto">
        {commits?.map(({ sha, subject, author }) => (
          <label key={sha} className="grid grid-cols-[auto_auto_minmax(0,1fr)] items-baseline gap-2 text-sm">
            <input
              type="checkbox"
              checked={chosen.has(sha)}
              onChange={(event) => {
                const next = new Set(chosen)
                if (event.target.checked) next.add(sha)
                else next.delete(sha)
                onChange(next)
              }}
              className="accent-(--accent)"
            />
            <code className="font-mono text-fg-2 text-xs">{sha.slice(0, 8)}</code>
            <span className="truncate text-fg-0" title={`${subject} (${author})`} dir="auto">
              <VisibleText>{subject}</VisibleText>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
