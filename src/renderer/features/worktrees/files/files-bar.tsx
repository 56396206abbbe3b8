/** The choices above the list of files: changes or conflicts, and a part of the changes (all, since the comments, one commit). */
import { ChevronDown } from 'lucide-react'
import type { ReviewChanges, ReviewRange } from '../../../../shared/worktrees/review.ts'
import { showView } from '../../../stores/review-store.ts'
import { ChipButton } from '../../../ui/chip.tsx'
import { Menu, MenuChoice } from '../../../ui/menu.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { count } from '../../../ui/text/format.ts'

interface FilesBarProps {
  /** Null: there are no conflicts to show. */
  readonly conflicts: { readonly shown: boolean; readonly label: string } | null
}

/** Always there and of one height: conflicts come and go while the agent works, and no file moves. */
export function FilesBar({ conflicts }: FilesBarProps) {
  return (
    <div className="flex h-9 shrink-0 items-center border-line border-b px-3">
      {conflicts === null ? (
        <span className="shrink-0 font-medium text-fg-1 text-sm">Changes</span>
      ) : (
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
    </div>
  )
}

interface RangeMenuProps {
  readonly changes: ReviewChanges
  readonly range: ReviewRange | null
  readonly onRange: (range: ReviewRange | null) => void
}

const SINCE = 'since'

/** Chooses the shown part of the changes. Nothing where there is only one part. */
export function RangeMenu({ changes: { asked, commits }, range, onRange }: RangeMenuProps) {
  const [last] = asked
  const commit = range?.kind === 'commit' ? commits.find(({ sha }) => sha === range.commit) : undefined
  if (last === undefined && commits.length <= 1 && range === null) return null
  const label =
    range?.kind === 'since'
      ? 'Since your comments'
      : range === null
        ? `All changes, ${count(commits.length, 'commit')}`
        : `Commit: ${commit?.subject ?? ''}`
  return (
    <Menu
      align="end"
      trigger={
        <ChipButton aria-label={`Shown changes: ${label}`} title={label} className="min-w-0">
          <span className="truncate">
            {range?.kind === 'since' ? 'Since your comments' : (commit?.subject ?? 'All')}
          </span>
          <ChevronDown size={11} aria-hidden="true" className="shrink-0" />
        </ChipButton>
      }
    >
      <MenuChoice
        value={range === null ? 'all' : range.kind === 'commit' ? range.commit : SINCE}
        options={[
          { value: 'all', label: 'All changes' },
          ...(last === undefined
            ? []
            : [{ value: SINCE, label: 'Since your comments', hint: 'S switches between both.' }]),
          ...commits.map(({ sha, subject, author }) => ({
            value: sha,
            label: subject,
            hint: `${sha.slice(0, 8)} · ${author}`,
          })),
        ]}
        onChange={(value) =>
          onRange(
            value === 'all'
              ? null
              : value === SINCE
                ? { kind: 'since', commit: last?.commit ?? '' }
                : { kind: 'commit', commit: value },
          )
        }
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
