/** Above the list of files: changes or conflicts, and the shown part of the changes (all, since the comments, one commit). */
import { ChevronDown } from 'lucide-react'
import type { ReviewChanges, ReviewRange } from '../../../../shared/worktrees/review.ts'
import { showView } from '../../../stores/review-store.ts'
import { ChipButton } from '../../../ui/chip.tsx'
import { Menu, MenuChoice } from '../../../ui/menu.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { sentSummary } from '../review-comments.ts'

interface FilesBarProps {
  /** Null: not loaded. */
  readonly changes: ReviewChanges | null
  readonly range: ReviewRange | null
  readonly working: boolean
  readonly onRange: (range: ReviewRange | null) => void
  /** Null: there are no conflicts to show. */
  readonly conflicts: { readonly shown: boolean; readonly label: string } | null
}

export function FilesBar({ changes, range, working, onRange, conflicts }: FilesBarProps) {
  const [last] = changes?.asked ?? []
  const hasCommits = (changes?.commits.length ?? 0) > 1 || range?.kind === 'commit'
  if (conflicts === null && last === undefined && !hasCommits) return null
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-line border-b px-3 py-[5px]">
      {conflicts !== null && (
        <Segmented
          label="View"
          value={conflicts.shown ? 'conflicts' : 'changes'}
          options={[
            { value: 'changes', label: 'Changes' },
            { value: 'conflicts', label: conflicts.label },
          ]}
          onChange={showView}
          className="max-w-full"
        />
      )}
      {last !== undefined && (
        <Segmented
          label="Shown changes"
          value={range?.kind ?? 'all'}
          options={[
            { value: 'all', label: 'All' },
            { value: 'since', label: 'Since your comments' },
          ]}
          onChange={(kind) => onRange(kind === 'since' ? { kind, commit: last.commit } : null)}
          className="max-w-full"
        />
      )}
      {changes !== null && hasCommits && (
        <CommitMenu commits={changes.commits} range={range} onRange={onRange} />
      )}
      {last !== undefined && (
        <span className="w-full text-fg-2 text-xs" title={last.message}>
          {sentSummary(last, working)}
        </span>
      )}
    </div>
  )
}

interface CommitMenuProps extends Pick<FilesBarProps, 'range' | 'onRange'> {
  readonly commits: ReviewChanges['commits']
}

function CommitMenu({ commits, range, onRange }: CommitMenuProps) {
  const commit = range?.kind === 'commit' ? commits.find(({ sha }) => sha === range.commit) : undefined
  return (
    <Menu
      trigger={
        <ChipButton
          aria-label={
            commit === undefined ? `Show one of ${commits.length} commits` : `Commit: ${commit.subject}`
          }
          className="max-w-full"
        >
          <span className="truncate">{commit?.subject ?? `${commits.length} commits`}</span>
          <ChevronDown size={11} aria-hidden="true" className="shrink-0" />
        </ChipButton>
      }
    >
      <MenuChoice
        value={range?.kind === 'commit' ? range.commit : range === null ? 'all' : ''}
        options={[
          { value: 'all', label: 'All changes' },
          ...commits.map(({ sha, subject, author }) => ({
            value: sha,
            label: subject,
            hint: `${sha.slice(0, 8)} · ${author}`,
          })),
        ]}
        onChange={(value) => onRange(value === 'all' ? null : { kind: 'commit', commit: value })}
      />
    </Menu>
  )
}

/** The range that still exists: newer comments move the start; a commit may be gone. Equal to `range` if it exists. */
export function currentRange(changes: ReviewChanges, range: ReviewRange | null): ReviewRange | null {
  if (range === null) return null
  if (range.kind === 'commit') return changes.commits.some(({ sha }) => sha === range.commit) ? range : null
  const [last] = changes.asked
  if (last === undefined) return null
  return last.commit === range.commit ? range : { kind: 'since', commit: last.commit }
}
