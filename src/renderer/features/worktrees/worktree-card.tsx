/** A worktree in the list: its agent, its changes, and whether it merges cleanly. */
import { memo } from 'react'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Chip } from '../../ui/chip.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatSize } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { mergeStates } from './worktree-text.ts'

interface WorktreeCardProps {
  readonly id: string
  readonly worktree: ReviewWorktree
  readonly selected: boolean
  /** The action that is running, such as "Merging…"; null when there is none. */
  readonly busy: string | null
  readonly comments: number
  /** Whether this worktree is merged first among those that conflict with each other. */
  readonly isFirst: boolean
  readonly nameOf: (id: string) => string
  readonly onSelect: (id: string) => void
}

export const WorktreeCard = memo(function WorktreeCard(props: WorktreeCardProps) {
  const { id, worktree, selected, busy, comments, isFirst, nameOf, onSelect } = props
  const { state, agentName, branch, commits, task, color, ended, folderGone, problem, bytes } = worktree
  const facts = [
    ...(commits > 0 ? [count(commits, 'commit')] : []),
    ...(state === 'orphaned' && bytes !== null ? [formatSize(bytes)] : []),
  ]
  const states = mergeStates(worktree, { nameOf, isFirst })
  const [firstLine = ''] = task.split('\n')
  const [title, more] =
    nameOf(worktree.id) === agentName ? [agentName, task] : [firstLine || branch, agentName]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active option
    <div
      id={id}
      role="option"
      aria-selected={selected}
      aria-busy={busy !== null}
      onClick={() => onSelect(worktree.id)}
      style={agentStyle(color)}
      className={classNames(
        'grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md border border-line border-l-[3px] border-l-agent px-[11px] py-[9px] text-sm',
        selected
          ? 'bg-bg-3 group-focus-visible/list:border-y-accent group-focus-visible/list:border-r-accent'
          : 'bg-bg-1 hover:bg-bg-2',
      )}
    >
      <div className="flex items-baseline justify-between gap-3">
        <b className="min-w-0 truncate font-semibold text-fg-0 text-md" title={title}>
          <VisibleText>{title}</VisibleText>
        </b>
        <span className="shrink-0 text-fg-2">
          <Figures worktree={worktree} />
        </span>
      </div>
      <code className="flex font-mono text-fg-2 text-xs" title={branch}>
        <bdi className="min-w-0 truncate">{branch}</bdi>
        {facts.map((fact) => (
          <span key={fact} className="shrink-0 whitespace-pre">
            {` · ${fact}`}
          </span>
        ))}
      </code>
      {more !== '' && (
        <span dir="auto" className="line-clamp-2 text-fg-2 wrap-anywhere">
          <VisibleText>{more}</VisibleText>
        </span>
      )}
      <span className="flex flex-wrap gap-1.5 empty:hidden">
        {busy !== null && (
          <Chip>
            <Spinner size={10} /> {busy}
          </Chip>
        )}
        {ended === 'failed' && <Chip tone="bad">agent failed</Chip>}
        {ended === 'stopped' && <Chip>agent stopped</Chip>}
        {problem !== null && <Chip tone="bad">not readable</Chip>}
        {folderGone && <Chip>folder deleted</Chip>}
        {states.map(({ text, tone }) => (
          // The background of an unselected card gives the text enough contrast.
          <span key={text} title={text} className="flex max-w-full rounded-sm bg-bg-1">
            <Chip tone={tone}>
              <span className="truncate">{text}</span>
            </Chip>
          </span>
        ))}
        {comments > 0 && <Chip>{count(comments, 'comment')} not sent</Chip>}
      </span>
    </div>
  )
})

function Figures({ worktree }: { readonly worktree: ReviewWorktree }) {
  const { files, insertions, deletions, uncommitted, state } = worktree
  if (files === 0) return state === 'working' ? 'no changes yet' : 'no changes'
  if (state === 'working' && uncommitted === files && insertions + deletions === 0)
    return `${count(files, 'file')}, not committed`
  return (
    <>
      {count(files, 'file')}
      {state === 'working' && uncommitted > 0 && ', not committed'}
      {insertions > 0 && <span className="text-ok"> +{insertions.toLocaleString('en')}</span>}
      {deletions > 0 && <span className="text-bad"> −{deletions.toLocaleString('en')}</span>}
    </>
  )
}
