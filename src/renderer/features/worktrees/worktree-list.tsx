/** The worktrees in groups, then the discarded ones that can be restored. */
import { Undo2 } from 'lucide-react'
import { type KeyboardEvent, memo, type Ref, useCallback, useEffect, useId, useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { ReviewSnapshot, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { useDrafts } from '../../stores/draft-store.ts'
import { useOverlapText } from '../../stores/environments-store.ts'
import { groupsAt, isSorted, type ReviewGroup, readyIds } from '../../stores/review-groups.ts'
import { selectWorktree, showReviewDialog, sortAgain, useReview } from '../../stores/review-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatSize } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'
import { undoDiscard } from './review-actions.ts'
import { draftKeyOf, reviewDraftOf } from './review-comments.ts'
import { mergeStates, worktreeName, worktreeTitle } from './worktree-text.ts'

interface WorktreeListProps {
  readonly snapshot: ReviewSnapshot
  readonly selectedId: string | null
  /** Moves the focus to the files of the selected worktree. */
  readonly onEnter: () => void
  readonly listRef: Ref<HTMLDivElement>
  /** A short fact of a worktree from elsewhere, by its id. */
  readonly marks: Readonly<Record<string, string>>
}

export function WorktreeList({ snapshot, selectedId, onEnter, listRef, marks }: WorktreeListProps) {
  const id = useId()
  const places = useReview((state) => state.places)
  const groups = useMemo(() => groupsAt(places, snapshot), [places, snapshot])
  const ready = useMemo(() => readyIds(snapshot), [snapshot])
  const ids = useMemo(
    () => groups.flatMap((group) => group.worktrees.map((worktree) => worktree.id)),
    [groups],
  )
  const { worktrees } = snapshot
  const nameOf = useCallback((other: string) => worktreeName(worktrees, other), [worktrees])
  const busy = useReview((state) => state.busy)
  const comments = useDrafts(
    useShallow(() => ids.map((one) => reviewDraftOf(draftKeyOf(snapshot.folder, one)).comments.length)),
  )
  const selected = selectedId === null ? -1 : ids.indexOf(selectedId)
  const optionOf = (worktreeId: string) => `${id}-${worktreeId}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the selection changes
  useEffect(() => {
    if (selectedId !== null)
      document.getElementById(optionOf(selectedId))?.scrollIntoView?.({ block: 'nearest' })
  }, [selectedId])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const select = (to: number) => {
      const next = ids[Math.max(0, Math.min(ids.length - 1, to))]
      if (next !== undefined) selectWorktree(next)
    }
    if (event.key === 'ArrowDown' || event.key === 'j') select(selected + 1)
    else if (event.key === 'ArrowUp' || event.key === 'k') select(selected - 1)
    else if (event.key === 'Home') select(0)
    else if (event.key === 'End') select(ids.length - 1)
    else if (event.key === 'Enter' || event.key === 'ArrowRight') onEnter()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ViewHeader title="Review">
        <SortAgain snapshot={snapshot} />
      </ViewHeader>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-2.5">
        {ids.length > 0 && (
          <div
            ref={listRef}
            role="listbox"
            aria-label="Worktrees"
            aria-activedescendant={selectedId === null ? undefined : optionOf(selectedId)}
            aria-keyshortcuts="J K Enter"
            tabIndex={0}
            data-focus-home=""
            onKeyDown={onKeyDown}
            className="group/list flex flex-col gap-4 rounded-md outline-none"
          >
            {groups.map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: a <fieldset> is for forms
              <div
                key={group.name}
                role="group"
                aria-label={headingOf(group)}
                className="flex flex-col gap-2"
              >
                <span aria-hidden="true" className="side-heading px-1 pt-0.5">
                  {headingOf(group)}
                </span>
                {group.worktrees.map((worktree) => (
                  <WorktreeCard
                    key={worktree.id}
                    id={optionOf(worktree.id)}
                    worktree={worktree}
                    selected={worktree.id === selectedId}
                    busy={busy.get(worktree.id) ?? null}
                    comments={comments[ids.indexOf(worktree.id)] ?? 0}
                    isFirst={ready.has(worktree.id)}
                    isListedAs={group.name}
                    nameOf={nameOf}
                    mark={marks[worktree.id] ?? null}
                    {...worktreeTitle(worktrees, worktree)}
                    onSelect={selectWorktree}
                  />
                ))}
              </div>
            ))}
          </div>
        )}
        <Discarded snapshot={snapshot} />
      </div>
      <BulkActions snapshot={snapshot} />
    </div>
  )
}

const headingOf = ({ title, worktrees, stillHere }: ReviewGroup) =>
  stillHere === worktrees.length
    ? `${title} · ${worktrees.length}`
    : `${title} · ${stillHere} of ${worktrees.length}`

/** Offered while the order of the cards is not that of their states. */
function SortAgain({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const places = useReview((state) => state.places)
  const sorted = useMemo(() => isSorted(places, snapshot), [places, snapshot])
  if (sorted) return null
  return (
    <Tooltip text="Cards keep their places while their worktrees change">
      <Button variant="quiet" className="ml-auto" onClick={sortAgain}>
        Sort again
      </Button>
    </Tooltip>
  )
}

/** Both buttons keep their places. */
function BulkActions({ snapshot: { order, worktrees } }: { readonly snapshot: ReviewSnapshot }) {
  const merged = worktrees.some(({ state }) => state === 'merged')
  const several = order.length > 1
  if (worktrees.length < 2 && !merged) return null
  return (
    <div className="flex shrink-0 flex-wrap justify-between gap-2 border-line border-t p-2.5">
      <Button
        disabled={!several}
        focusableWhenDisabled
        onClick={() => showReviewDialog({ kind: 'merge-all' })}
      >
        {several ? `Merge ${order.length} in order…` : 'Merge in order…'}
      </Button>
      <Button
        variant="quiet"
        disabled={!merged}
        focusableWhenDisabled
        onClick={() => showReviewDialog({ kind: 'remove-merged' })}
      >
        Remove merged…
      </Button>
    </div>
  )
}

function Discarded({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const busy = useReview((state) => state.busy)
  if (snapshot.discarded.length === 0) return null
  return (
    <section aria-label="Discarded" className="flex flex-col gap-1.5">
      <h2 className="side-heading px-1">Discarded · {snapshot.discarded.length}</h2>
      <ul className="flex flex-col gap-1.5">
        {snapshot.discarded.map(({ id, agentName, task, branch }) => (
          <li
            key={id}
            className="flex items-center gap-2 rounded-md border border-line border-dashed py-1.5 pr-1.5 pl-3 text-sm"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate text-fg-1" title={task}>
                <VisibleText>{task.split('\n')[0] || agentName}</VisibleText>
              </span>
              <code className="block truncate font-mono text-fg-2 text-xs" title={branch}>
                <bdi>{branch}</bdi>
              </code>
            </span>
            <Button
              variant="quiet"
              disabled={busy.has(id)}
              focusableWhenDisabled
              aria-label={`Undo: restore ${branch}`}
              onClick={() => void undoDiscard(snapshot.folder, id)}
            >
              <Undo2 size={13} aria-hidden="true" />
              Undo
            </Button>
          </li>
        ))}
      </ul>
      <p className="px-1 text-fg-2 text-xs">You can undo this until Troupe restarts.</p>
    </section>
  )
}

/** A worktree in the list: its agent, its changes, and whether it merges cleanly. */
interface WorktreeCardProps {
  readonly id: string
  readonly worktree: ReviewWorktree
  readonly selected: boolean
  /** The action that is running, such as "Merging…"; null when there is none. */
  readonly busy: string | null
  readonly comments: number
  /** Whether this worktree is merged first among those that conflict with each other. */
  readonly isFirst: boolean
  /** The group that the card stands in. */
  readonly isListedAs: ReviewGroup['name']
  readonly nameOf: (id: string) => string
  /** A short fact from elsewhere; null: none. */
  readonly mark: string | null
  readonly title: string
  readonly letter: string | null
  /** Below the branch; may be empty. */
  readonly more: string
  readonly onSelect: (id: string) => void
}

const WorktreeCard = memo(function WorktreeCard(props: WorktreeCardProps) {
  const { id, worktree, selected, busy, comments, isFirst, isListedAs, nameOf, mark, onSelect } = props
  const { title, letter, more } = props
  const { state, branch, commits, color, ended, folderGone, problem, bytes, asked } = worktree
  const facts = [
    ...(commits > 0 ? [count(commits, 'commit')] : []),
    ...(state === 'orphaned' && bytes !== null ? [formatSize(bytes)] : []),
    ...(mark === null ? [] : [mark]),
  ]
  const overlap = useOverlapText(worktree.id)
  const states = mergeStates(worktree, { nameOf, isFirst })
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
        <b className="min-w-0 font-semibold text-fg-0 text-md">
          <AgentNameLine name={{ title, letter }} />
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
      {/* One line, also without states: a card keeps its height, so that the cards below stay where they are. */}
      <span className="flex h-[1.375rem] min-w-0 flex-wrap items-center justify-between gap-x-1.5 overflow-hidden">
        <span className="flex h-[1.375rem] min-w-0 max-w-full items-center gap-1.5">
          {busy !== null && (
            <Chip>
              <Spinner size={10} /> {busy}
            </Chip>
          )}
          {state === 'working' && isListedAs !== 'working' && <Chip>still working</Chip>}
          {ended === 'failed' && <Chip tone="bad">agent failed</Chip>}
          {ended === 'stopped' && <Chip>agent stopped</Chip>}
          {problem !== null && <Chip tone="bad">not readable</Chip>}
          {folderGone && <Chip>folder deleted</Chip>}
          {overlap !== null && (
            <Chip tone="needs-you" title={overlap}>
              same lines
            </Chip>
          )}
          {states.map(({ text, tone }) => (
            // The background of an unselected card gives the text enough contrast.
            <span key={text} title={text} className="flex min-w-0 rounded-sm bg-bg-1">
              <Chip tone={tone}>
                <span className="truncate">{text}</span>
              </Chip>
            </span>
          ))}
          {state !== 'merged' && asked === 'answered' && <Chip>comments answered</Chip>}
          {state !== 'merged' && asked === 'unanswered' && <Chip>comments not answered</Chip>}
          {comments > 0 && (
            <Chip title={`${count(comments, 'comment')} not sent`}>
              <span className="truncate">{count(comments, 'comment')} not sent</span>
            </Chip>
          )}
        </span>
        {/* Out of sight in the next line where there is no room. */}
        {more !== '' && (
          <span
            dir="auto"
            className="h-[1.375rem] max-w-full truncate leading-[1.375rem] text-fg-2"
            title={more}
          >
            <VisibleText>{more}</VisibleText>
          </span>
        )}
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
