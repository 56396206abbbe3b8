/** The conflicts of a worktree with its target and with other worktrees, side by side. */
import { useEffect, useMemo, useState } from 'react'
import type { ReviewConflict, ReviewWorktree } from '../../../shared/review.ts'
import { command } from '../../bridge.ts'
import { useReview, useSnapshot } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/format.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { VisibleText } from '../../ui/visible-text.tsx'
import { type ConflictPart, conflictParts } from './conflict-parts.ts'
import { abortResolve, startResolve } from './review-actions.ts'
import { worktreeName } from './worktree-names.ts'

interface ConflictViewProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
}

export function ConflictView({ folder, worktree }: ConflictViewProps) {
  const { id, target, agentName, check, conflictsWith, resolving } = worktree
  const snapshot = useSnapshot()
  const chosen = useReview((state) => state.conflictsInto)
  const into = chosen ?? target ?? snapshot?.current ?? 'the target'
  const nameOf = (other: string) => worktreeName(snapshot?.worktrees ?? [worktree], other)
  const own = nameOf(id)
  return (
    <section
      aria-label="Conflicts"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto p-3 focus-visible:-outline-offset-2"
    >
      <div className="grid gap-5">
        {resolving !== null && <Resolving folder={folder} worktree={worktree} />}
        {resolving === null && (chosen !== null || check?.kind === 'conflicts') && (
          <Conflicts
            key={into}
            source={{
              folder,
              id,
              with: null,
              into: chosen,
              stamp: JSON.stringify([worktree.version, check]),
            }}
            title={`With ${into}`}
            sides={[into, own]}
            actions={<ResolveButton folder={folder} worktree={worktree} into={chosen} />}
          >
            {agentName} can merge {into} into its worktree and resolve the conflicts there. {into} does not
            change.
          </Conflicts>
        )}
        {conflictsWith.map(({ id: other, files }) => (
          <Conflicts
            key={other}
            source={{ folder, id, with: other, into: null, stamp: files.join('\n') }}
            title={`With ${nameOf(other)}`}
            sides={[nameOf(other), own]}
          >
            Both are ready to merge. Merge one; then the agent of the other can resolve the conflicts.
          </Conflicts>
        ))}
      </div>
    </section>
  )
}

function Resolving({ folder, worktree }: ConflictViewProps) {
  const busy = useReview((state) => state.busy.has(worktree.id))
  const { resolving, agentName, state } = worktree
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
          ? `${agentName} is working on the conflicts.`
          : `${agentName} has stopped. Continue or abort the merge.`}{' '}
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
      {worktree.resolving === null ? 'Ask agent to resolve' : `Let ${worktree.agentName} continue`}
    </Button>
  )
}

interface ConflictsProps {
  readonly source: {
    readonly folder: string
    readonly id: string
    readonly with: string | null
    readonly into: string | null
    /** Changes when other files conflict; conflicts are then loaded again. */
    readonly stamp: string
  }
  readonly title: string
  /** Names of the two sides: the target or other worktree first, then this worktree. */
  readonly sides: readonly [string, string]
  readonly actions?: React.ReactNode
  readonly children: React.ReactNode
}

function Conflicts({ source, title, sides, actions, children }: ConflictsProps) {
  const { folder, id, with: other, into, stamp } = source
  const [loaded, setLoaded] = useState<readonly ReviewConflict[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed stamp loads the conflicts again
  useEffect(() => {
    let canceled = false
    void command('review.conflicts', { folder, id, with: other, into }).then((answer) => {
      if (canceled) return
      setFailure(answer.ok ? null : answer.failure.message)
      if (answer.ok) setLoaded(answer.value)
    })
    return () => {
      canceled = true
    }
  }, [folder, id, other, into, stamp])
  return (
    <section aria-label={title} className="grid gap-2">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_18rem]">
          <h3 className="font-semibold text-fg-0 text-md">{title}</h3>
          <p className="text-fg-1 text-sm">{children}</p>
        </div>
        {actions}
      </div>
      {failure !== null && <p className="text-bad text-sm">{failure}</p>}
      {loaded === null && failure === null && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Loading conflicts…
        </p>
      )}
      {loaded?.length === 0 && <p className="text-fg-1 text-sm">No conflicts left.</p>}
      {loaded?.map((conflict) => (
        <ConflictFile key={conflict.path} conflict={conflict} sides={sides} />
      ))}
    </section>
  )
}

interface ConflictFileProps {
  readonly conflict: ReviewConflict
  readonly sides: readonly [string, string]
}

function ConflictFile({ conflict: { path, text, because }, sides }: ConflictFileProps) {
  const parts = useMemo(() => (text === null ? [] : conflictParts(text)), [text])
  return (
    <article aria-label={path} className="overflow-hidden rounded-md border border-line bg-bg-0">
      <h4 className="flex flex-wrap items-baseline gap-x-3 border-line border-b bg-bg-1 px-3 py-1.5">
        <span
          className="max-w-full truncate font-mono font-semibold text-fg-0 text-sm"
          dir="ltr"
          title={path}
        >
          <VisibleText>{path}</VisibleText>
        </span>
        <span className="text-fg-2 text-sm wrap-anywhere">{because}</span>
      </h4>
      {text === null ? (
        <p className="px-3 py-2 text-fg-1 text-sm">This file has no text to compare.</p>
      ) : (
        parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
          <Part key={index} part={part} sides={sides} />
        ))
      )}
    </article>
  )
}

const CODE = 'font-mono text-[0.78125rem] leading-[1.6] whitespace-pre-wrap wrap-anywhere px-3 py-1'
/** Context lines around each conflict. */
const CONTEXT = 3

function Part({ part, sides }: { readonly part: ConflictPart; readonly sides: readonly [string, string] }) {
  if (part.kind === 'same') {
    const { lines } = part
    if (lines.length <= CONTEXT * 2 + 1) return <Lines lines={lines} />
    return (
      <>
        <Lines lines={lines.slice(0, CONTEXT)} />
        <p className="bg-bg-2 px-3 py-0.5 text-fg-2 text-sm">
          {count(lines.length - CONTEXT * 2, 'line')} without a conflict
        </p>
        <Lines lines={lines.slice(-CONTEXT)} />
      </>
    )
  }
  return (
    <div className="grid grid-cols-2 border-needs-you/50 border-y">
      <Side name={sides[0]} lines={part.ours} />
      <Side name={sides[1]} lines={part.theirs} />
    </div>
  )
}

function Side({ name, lines }: { readonly name: string; readonly lines: readonly string[] }) {
  return (
    <div className="min-w-0 border-line not-first:border-l bg-needs-you/8">
      <p className="truncate px-3 pt-1 font-medium text-fg-1 text-xs">{name}</p>
      {lines.length === 0 ? (
        <p className="px-3 pb-1 text-fg-2 text-sm">These lines were deleted.</p>
      ) : (
        <Lines lines={lines} />
      )}
    </div>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre dir="ltr" data-selectable="" className={`${CODE} text-fg-0`}>
      <VisibleText>{lines.join('\n')}</VisibleText>
    </pre>
  )
}
