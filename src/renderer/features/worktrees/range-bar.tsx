/** Chooses the shown part of a worktree's changes: all, those since the comments, or one commit. */
import { ChevronDown } from 'lucide-react'
import type { ReviewChanges, ReviewRange } from '../../../shared/worktrees/review.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { sentSummary } from './sent-comments.ts'

interface RangeBarProps {
  readonly changes: ReviewChanges
  readonly range: ReviewRange | null
  readonly working: boolean
  readonly onChange: (range: ReviewRange | null) => void
}

export function RangeBar({ changes, range, working, onChange }: RangeBarProps) {
  const { asked, commits } = changes
  const [last] = asked
  if (last === undefined && commits.length < 2 && range === null) return null
  const commit = range?.kind === 'commit' ? commits.find(({ sha }) => sha === range.commit) : undefined
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b bg-bg-1 px-3 py-1.5">
      {last !== undefined && (
        <Segmented
          label="Shown changes"
          value={range?.kind ?? 'all'}
          options={[
            { value: 'all', label: 'All changes' },
            { value: 'since', label: 'Since your comments' },
          ]}
          onChange={(kind) => onChange(kind === 'since' ? { kind, commit: last.commit } : null)}
        />
      )}
      {(commits.length > 1 || range?.kind === 'commit') && (
        <Menu
          trigger={
            <ChipButton
              aria-label={
                commit === undefined ? `Show one of ${commits.length} commits` : `Commit: ${commit.subject}`
              }
            >
              <span className="max-w-64 truncate">{commit?.subject ?? `${commits.length} commits`}</span>
              <ChevronDown size={11} aria-hidden="true" />
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
            onChange={(value) => onChange(value === 'all' ? null : { kind: 'commit', commit: value })}
          />
        </Menu>
      )}
      {last !== undefined && (
        <span className="min-w-0 text-fg-2 text-sm" title={last.message}>
          {sentSummary(last, working)}
        </span>
      )}
    </div>
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
