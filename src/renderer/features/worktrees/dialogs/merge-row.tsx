/** A worktree in the list of "Merge in order": whether it is merged, its position, and how far its merge is. */
import { ArrowDown, ArrowUp, Check, CircleAlert } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { nameText } from '../../../../shared/state/agent-names.ts'
import { formatChanges } from '../../../../shared/worktrees/format-work.ts'
import type { ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { worktreeName, worktreeTitle } from '../worktree-text.ts'

export type MergeProgress = 'merging' | 'merged' | 'failed'

interface MergeRowProps {
  readonly worktree: ReviewWorktree
  /** All worktrees: a title tells namesakes apart. */
  readonly worktrees: readonly ReviewWorktree[]
  readonly place: { readonly index: number; readonly count: number }
  /** Null: its merge has not begun. */
  readonly progress: MergeProgress | null
  readonly included: boolean
  /** The id of a worktree merged before it that conflicts with it; null: none. */
  readonly clash: string | null
  /** Whether the user may still change the list. */
  readonly editable: boolean
  readonly onToggle: () => void
  readonly onMove: (by: 1 | -1) => void
}

export function MergeRow(props: MergeRowProps) {
  const { worktree, worktrees, place, progress, included, clash, editable, onToggle, onMove } = props
  const name = worktreeTitle(worktrees, worktree)
  const { more } = name
  const title = nameText(name)
  const conflict =
    worktree.check?.kind === 'conflicts'
      ? `${count(worktree.check.files.length, 'conflict')} with ${worktree.target ?? 'the target'}`
      : clash === null
        ? null
        : `Conflicts with ${worktreeName(worktrees, clash)}`
  const tick = useRef<HTMLInputElement>(null)
  // React may move the row of the focused tick box in the document, which takes its focus away.
  const moves = useRef(false)
  useEffect(() => {
    if (moves.current) tick.current?.focus()
    moves.current = false
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    moves.current = true
    onMove(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto_auto] items-center gap-x-2 text-sm">
      {editable ? (
        <input
          ref={tick}
          type="checkbox"
          checked={included}
          onChange={onToggle}
          onKeyDown={onKeyDown}
          aria-label={more === '' ? title : `${title} (${more})`}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          className="justify-self-center accent-(--accent)"
        />
      ) : (
        <Mark progress={progress} label={included ? `${place.index + 1}` : '–'} />
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tick box handles the keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger area for the tick box */}
      <span className="min-w-0" onClick={() => editable && onToggle()}>
        <span className={included ? 'block truncate' : 'block truncate text-fg-2'} title={worktree.task}>
          <b className={included ? 'font-semibold text-fg-0' : 'font-semibold'}>
            <VisibleText>{title}</VisibleText>
          </b>{' '}
          <span className="text-fg-2">
            <VisibleText>{more}</VisibleText>
          </span>
        </span>
        {conflict !== null && <span className="block truncate text-needs-you">{conflict}</span>}
      </span>
      <span className="text-fg-2">
        {formatChanges(worktree)}
        {worktree.target !== null && ` → ${worktree.target}`}
      </span>
      {editable && (
        <span className="flex">
          <IconButton
            icon={ArrowUp}
            label={`Move ${title} up`}
            disabled={place.index === 0}
            focusableWhenDisabled
            onClick={() => onMove(-1)}
          />
          <IconButton
            icon={ArrowDown}
            label={`Move ${title} down`}
            disabled={place.index === place.count - 1}
            focusableWhenDisabled
            onClick={() => onMove(1)}
          />
        </span>
      )}
    </li>
  )
}

function Mark({ progress, label }: { readonly progress: MergeProgress | null; readonly label: string }) {
  switch (progress) {
    case null:
      return <span className="text-center font-mono text-fg-2 text-xs">{label}</span>
    case 'merging':
      return (
        <span role="img" aria-label="merging" className="justify-self-center">
          <Spinner size={11} />
        </span>
      )
    case 'merged':
      return <Check size={13} role="img" aria-label="merged" className="justify-self-center text-ok" />
    case 'failed':
      return <CircleAlert size={13} role="img" aria-label="failed" className="justify-self-center text-bad" />
  }
}
