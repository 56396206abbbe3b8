/** The conflicts with a branch or another worktree. Those with a branch can be resolved by hand and merged. */
import { useEffect, useState } from 'react'
import type { ResolvedFile, ReviewConflict, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { command } from '../../bridge.ts'
import { leaveConflicts, useReview } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count } from '../../ui/text/format.ts'
import { CommitMessageFields, useCommitMessage } from './commit-message.tsx'
import { ConflictFile } from './conflict-file.tsx'
import {
  conflictKeys,
  fileResolution,
  isChosenWhole,
  isResolved,
  leftTexts,
  type Resolution,
  useResolution,
} from './conflict-resolution.ts'
import { mergeResolved } from './review-actions.ts'

interface ConflictSource {
  readonly folder: string
  readonly id: string
  /** Another worktree; null: a branch. */
  readonly with: string | null
  /** The branch; null: the target of the worktree. */
  readonly into: string | null
  /** Changes when other files conflict; conflicts are then loaded again. */
  readonly stamp: string
}

interface ConflictsSectionProps {
  readonly source: ConflictSource
  readonly worktree: ReviewWorktree
  readonly title: string
  /** Names of the two sides: the target or other worktree first, then this worktree. */
  readonly sides: readonly [string, string]
  readonly actions?: React.ReactNode
  readonly children: React.ReactNode
}

export function ConflictsSection({
  source,
  worktree,
  title,
  sides,
  actions,
  children,
}: ConflictsSectionProps) {
  const { folder, id, with: other, into } = source
  const { conflicts, failure, reload } = useConflicts(source)
  const resolution = useResolution(`${folder}:${id}:${into ?? ''}`)
  const byHand = other === null
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
      {conflicts === null && failure === null && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Loading conflicts…
        </p>
      )}
      {conflicts?.length === 0 && <p className="text-fg-1 text-sm">No conflicts left.</p>}
      {conflicts?.map((conflict) => (
        <ConflictFile
          key={conflict.path}
          conflict={conflict}
          sides={sides}
          resolution={byHand ? resolution : null}
        />
      ))}
      {byHand && conflicts !== null && <LeftTexts {...{ conflicts, resolution }} />}
      {byHand && conflicts !== null && conflicts.length > 0 && (
        <MergeBar {...{ source, worktree, conflicts, resolution }} branch={sides[0]} onRefused={reload} />
      )}
    </section>
  )
}

function useConflicts({ folder, id, with: other, into, stamp }: ConflictSource) {
  const [conflicts, setConflicts] = useState<readonly ReviewConflict[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed stamp or a refused merge loads the conflicts again
  useEffect(() => {
    let canceled = false
    void command('review.conflicts', { folder, id, with: other, into }).then((answer) => {
      if (canceled) return
      setFailure(answer.ok ? null : answer.failure.message)
      if (answer.ok) setConflicts(answer.value)
    })
    return () => {
      canceled = true
    }
  }, [folder, id, other, into, stamp, tries])
  return { conflicts, failure, reload: () => setTries((times) => times + 1) }
}

/** Texts that were typed for conflicts which have changed since: nothing that was typed goes away by itself. */
function LeftTexts({ conflicts, resolution }: Pick<MergeBarProps, 'conflicts' | 'resolution'>) {
  return leftTexts(conflicts, resolution).map((left) => {
    const { key, path, text } = left
    const conflict = conflicts.find((other) => other.path === path)
    const keys = conflict === undefined || isChosenWhole(conflict) ? [] : conflictKeys(conflict)
    return (
      <section
        key={key}
        aria-label={`Text you typed for ${path}`}
        className="grid gap-2 rounded-md border border-line bg-bg-1 px-3 py-2 text-sm"
      >
        <p className="text-fg-1">
          You typed this for <span className="font-mono">{path}</span>. Since then that conflict has changed
          or is gone.
        </p>
        <pre
          dir="ltr"
          data-selectable=""
          className="max-h-48 overflow-auto whitespace-pre-wrap font-mono text-xs"
        >
          {text}
        </pre>
        <div className="flex flex-wrap gap-2">
          {keys.map((other, index) => (
            <Button key={other} onClick={() => resolution.move(left, other)}>
              Use for conflict {index + 1}
            </Button>
          ))}
          <Button variant="quiet" onClick={() => resolution.forget(key)}>
            Delete this text
          </Button>
        </div>
      </section>
    )
  })
}

interface MergeBarProps {
  readonly source: ConflictSource
  readonly worktree: ReviewWorktree
  readonly conflicts: readonly ReviewConflict[]
  readonly resolution: Resolution
  /** The name of the branch. */
  readonly branch: string
  /** Loads the conflicts again after the merge was refused: a branch may have moved. */
  readonly onRefused: () => void
}

/** How many conflicts are resolved, and the merge. */
function MergeBar({ source, worktree, conflicts, resolution, branch, onRefused }: MergeBarProps) {
  const { folder, id, into } = source
  const busy = useReview((state) => state.busy.get(id) ?? null)
  const message = useCommitMessage(folder, worktree, 'merge')
  const [failure, setFailure] = useState<string | null>(null)
  const keys = conflicts.flatMap(conflictKeys)
  const resolved = keys.filter((key) => isResolved(resolution.choices[key])).length
  const files = conflicts.flatMap((conflict): ResolvedFile[] => {
    const file = fileResolution(conflict, resolution.choices)
    return file === null ? [] : [file]
  })
  const merge = async () => {
    setFailure(null)
    const version = conflicts[0]?.version ?? ''
    const answer = await mergeResolved(folder, { id, into, version, files, message: message.text })
    if (answer.ok) {
      message.reset()
      resolution.clear()
      return leaveConflicts()
    }
    setFailure(answer.failure.message)
    onRefused()
  }
  return (
    <>
      <div className="rounded-md border border-line bg-bg-1 px-3 py-2">
        <CommitMessageFields message={message} />
      </div>
      <div className="sticky -bottom-3 grid gap-2 rounded-md border border-line bg-bg-1 px-3 py-2 text-sm">
        {failure !== null && (
          <p role="alert" className="text-bad wrap-anywhere" data-selectable="">
            {failure}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <span role="status" className="min-w-0 flex-1 text-fg-1">
            {resolved} of {count(keys.length, 'conflict')} resolved
            {message.problem !== null && `. ${message.problem}`}
          </span>
          <span className="text-fg-2">N goes to the next open conflict.</span>
          <Button
            variant="primary"
            disabled={resolved < keys.length || busy !== null || message.problem !== null}
            focusableWhenDisabled
            onClick={() => void merge()}
          >
            {busy !== null && <Spinner size={11} />}
            <span className="max-w-44 truncate">Merge into {branch}</span>
          </Button>
        </div>
      </div>
    </>
  )
}
