/** The conflicts of a worktree with its target and with other worktrees, side by side. */
import { type Ref, useImperativeHandle, useRef } from 'react'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { useReview, useSnapshot } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { ConflictsSection } from './conflicts-section.tsx'
import { abortResolve, startResolve } from './review-actions.ts'
import { worktreeName } from './worktree-text.ts'

export interface ConflictViewHandle {
  /** Moves the focus to the next or previous open conflict, or to any conflict if all are resolved. */
  goToConflict(direction: 1 | -1): void
}

interface ConflictViewProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
}

export function ConflictView({
  folder,
  worktree,
  handle,
}: ConflictViewProps & { readonly handle: Ref<ConflictViewHandle> }) {
  const view = useRef<HTMLElement>(null)
  useImperativeHandle(handle, () => ({
    goToConflict: (direction) => view.current !== null && focusConflict(view.current, direction),
  }))
  const { id, target, check, conflictsWith, resolving } = worktree
  const snapshot = useSnapshot()
  const chosen = useReview((state) => state.conflictsInto)
  const into = chosen ?? target ?? snapshot?.current ?? 'the target'
  const nameOf = (other: string) => worktreeName(snapshot?.worktrees ?? [worktree], other)
  const own = nameOf(id)
  return (
    <section
      ref={view}
      aria-label="Conflicts"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-y-auto p-3 focus-visible:-outline-offset-2"
    >
      <div className="grid gap-5">
        {resolving !== null && <Resolving folder={folder} worktree={worktree} />}
        {resolving === null && (chosen !== null || check?.kind === 'conflicts') && (
          <ConflictsSection
            key={into}
            source={{
              folder,
              id,
              with: null,
              into: chosen,
              stamp: JSON.stringify([worktree.version, check]),
            }}
            worktree={worktree}
            title={`With ${into}`}
            sides={[into, own]}
            // The toolbar offers the same for the target.
            actions={chosen !== null && <ResolveButton folder={folder} worktree={worktree} into={chosen} />}
          >
            Choose a side of each conflict, or edit its text; then merge. Or let the agent merge {into} into
            its worktree and resolve the conflicts there.
          </ConflictsSection>
        )}
        {conflictsWith.map(({ id: other, files }) => (
          <ConflictsSection
            key={other}
            source={{ folder, id, with: other, into: null, stamp: files.join('\n') }}
            worktree={worktree}
            title={`With ${nameOf(other)}`}
            sides={[nameOf(other), own]}
          >
            Both are ready to merge. Merge one; then the agent of the other can resolve the conflicts.
          </ConflictsSection>
        ))}
      </div>
    </section>
  )
}

function Resolving({ folder, worktree }: ConflictViewProps) {
  const busy = useReview((state) => state.busy.has(worktree.id))
  const { resolving, state } = worktree
  const unresolved = resolving ?? []
  return (
    <div className="grid gap-2 rounded-md border border-line bg-bg-1 p-3 text-sm">
      <p className="font-medium text-fg-0 text-md">
        {unresolved.length > 0
          ? `A merge into this worktree is unfinished: ${count(unresolved.length, 'file')} left`
          : 'All conflicts are resolved. The merge is not committed yet.'}
      </p>
      <p className="text-fg-1">
        {state === 'working'
          ? 'The agent is working on the conflicts.'
          : 'The agent has stopped. Continue or abort the merge.'}{' '}
        Other branches do not change.
      </p>
      {unresolved.length > 0 && (
        <ul className="font-mono text-fg-1 text-xs">
          {unresolved.map((path) => (
            <li key={path} className="truncate" dir="ltr">
              <VisibleText>{path}</VisibleText>
            </li>
          ))}
        </ul>
      )}
      <div className="flex gap-2 pt-1">
        {state !== 'working' && <ResolveButton folder={folder} worktree={worktree} into={null} />}
        <Button disabled={busy} focusableWhenDisabled onClick={() => void abortResolve(folder, worktree.id)}>
          Abort merge
        </Button>
      </div>
    </div>
  )
}

interface ResolveButtonProps extends ConflictViewProps {
  /** Null: the target, or the branch of the unfinished merge. */
  readonly into: string | null
}

function ResolveButton({ folder, worktree, into }: ResolveButtonProps) {
  const busy = useReview((state) => state.busy.get(worktree.id) ?? null)
  return (
    <Button
      disabled={busy !== null}
      focusableWhenDisabled
      onClick={() => void startResolve(folder, worktree.id, into)}
    >
      {busy !== null && <Spinner size={11} />}
      {worktree.resolving === null ? 'Ask agent to resolve' : 'Let the agent continue'}
    </Button>
  )
}

/** Focuses the radio button that is checked, or the first one, of the next conflict. */
function focusConflict(view: HTMLElement, direction: 1 | -1): void {
  const all = [...view.querySelectorAll<HTMLElement>('[data-conflict]')]
  const isOpen = (field: HTMLElement) =>
    field.querySelector('[role="radio"][aria-checked="true"]') === null ||
    field.querySelector('[aria-invalid="true"]') !== null
  const open = all.filter(isOpen)
  const fields = open.length > 0 ? open : all
  const { activeElement } = document
  const isAfter = (field: HTMLElement) =>
    activeElement === null ||
    !view.contains(activeElement) ||
    activeElement === view ||
    Boolean(activeElement.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING)
  const others = fields.filter((field) => !field.contains(activeElement))
  const next =
    direction === 1
      ? (others.find(isAfter) ?? others[0])
      : (others.findLast((field) => !isAfter(field)) ?? others.at(-1))
  const field = next ?? fields[0]
  const radio =
    field?.querySelector<HTMLElement>('[role="radio"][aria-checked="true"]') ??
    field?.querySelector<HTMLElement>('[role="radio"]')
  radio?.focus({ preventScroll: true })
  if (field === undefined) return
  // Scrolls this view alone: scrollIntoView would also move the window's own frame.
  const [top, height] = [
    field.getBoundingClientRect().top - view.getBoundingClientRect().top,
    view.clientHeight,
  ]
  view.scrollTop += top - height / 2
}
