/**
 * The file whose lines two agents change both, with their versions side by side at the first of these lines. It is read
 * from both worktrees each time it opens, uncommitted changes included.
 */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { WorktreeEnvironment } from '../../../../shared/environments/environments.ts'
import { type Overlap, overlapText } from '../../../../shared/environments/overlaps.ts'
import type { ReviewFileText } from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'
import { useSnapshot } from '../../../stores/review-store.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { formatSize } from '../../../ui/text/format.ts'
import { useViewKeys } from '../../../ui/use-focus.ts'
import { type FileDiff, useFileDiff } from '../diff/diff-worker-client.ts'
import { Loading } from '../review-empty.tsx'
import { AlignedGrid, type AlignedGridHandle, GRID_COLUMNS } from './aligned-grid.tsx'
import { haveSameStart } from './aligned-rows.ts'

interface OverlapComparisonProps {
  readonly folder: string
  /** Null: closed. */
  readonly overlap: Overlap | null
  readonly worktrees: readonly WorktreeEnvironment[]
  readonly onClose: () => void
}

/** N and P lead to the next and previous change; Escape closes. */
export function OverlapComparison({ folder, overlap, worktrees, onClose }: OverlapComparisonProps) {
  return (
    <Dialog
      flush
      open={overlap !== null}
      onClose={onClose}
      width={1240}
      title={overlap === null ? 'Compare' : `Compare ${overlapText(overlap)}`}
      aside={
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
      }
    >
      {overlap !== null && <Versions folder={folder} overlap={overlap} worktrees={worktrees} />}
    </Dialog>
  )
}

interface VersionsProps extends Omit<OverlapComparisonProps, 'overlap' | 'onClose'> {
  readonly overlap: Overlap
}

function Versions({ folder, overlap, worktrees }: VersionsProps) {
  const { path, ids, first } = overlap
  const grid = useRef<AlignedGridHandle>(null)
  const one = useVersion(folder, ids[0], path)
  const other = useVersion(folder, ids[1], path)
  const diffs = useMemo(
    () => (one.diff === null || other.diff === null ? null : [one.diff, other.diff]),
    [one.diff, other.diff],
  )
  const keys = useViewKeys(({ key }) => {
    const direction = ({ n: 1, p: -1 } as const)[key.toLowerCase()]
    if (direction !== undefined) grid.current?.goToChange(direction)
    return direction !== undefined
  })
  useEffect(() => {
    if (diffs === null) return
    grid.current?.goToLine(first)
    grid.current?.focus()
  }, [diffs, first])
  const versions = [one, other]
  return (
    <div ref={keys} className="flex min-h-0 flex-1 flex-col">
      <div className={classNames('grid shrink-0 border-line border-b bg-bg-1 pr-[10px]', GRID_COLUMNS[2])}>
        <span />
        {ids.map((id, at) => (
          <Head key={id} id={id} worktree={worktrees.find((each) => each.id === id)} isFirst={at === 0} />
        ))}
      </div>
      {versions.some(({ diff, problem }) => diff === null && problem === null) ? (
        <Loading label="Comparing…" />
      ) : diffs === null ? (
        <div className={classNames('grid min-h-0 flex-1', GRID_COLUMNS[2])}>
          <span />
          {versions.map(({ problem }, at) => (
            <div key={ids[at]} className={classNames('flex min-w-0', at > 0 && 'border-line border-l')}>
              <EmptyState title={problem === null ? 'A text file' : 'Nothing to compare'}>
                <span data-selectable="">{problem ?? 'Review shows what this agent changed in it.'}</span>
              </EmptyState>
            </div>
          ))}
        </div>
      ) : (
        <>
          {!haveSameStart(diffs) && (
            <p role="note" className="shrink-0 border-line border-b bg-bg-1 px-4 py-1 text-fg-1 text-sm">
              The worktrees began with different versions of this file, so the lines are not aligned.
            </p>
          )}
          <AlignedGrid path={path} diffs={diffs} whole={false} handle={grid} />
        </>
      )}
    </div>
  )
}

interface HeadProps {
  readonly id: string
  /** Undefined: it was removed meanwhile. */
  readonly worktree: WorktreeEnvironment | undefined
  readonly isFirst: boolean
}

function Head({ id, worktree, isFirst }: HeadProps) {
  const agentName = useSnapshot()?.worktrees.find((each) => each.id === id)?.agentName
  return (
    <p
      style={agentStyle(worktree?.color ?? '')}
      className={classNames(
        'flex h-9 min-w-0 items-center gap-2 border-t-2 border-t-agent px-2 text-sm',
        !isFirst && 'border-l border-l-line',
      )}
    >
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-agent" />
      <b className="truncate font-semibold text-fg-0" title={worktree?.task}>
        {worktree?.task ?? 'Removed worktree'}
      </b>
      <span className="shrink-0 text-fg-2">{agentName}</span>
      <span className="min-w-0 truncate font-mono text-fg-2 text-xs">{worktree?.branch ?? id}</span>
    </p>
  )
}

interface Version {
  /** Null: it is on its way, or there is a problem. */
  readonly diff: FileDiff | null
  /** Why the file can't be compared, as a sentence. */
  readonly problem: string | null
}

/** The file in a worktree as it is now. The list of changes is asked for first: a file is read from its trees. */
function useVersion(folder: string, id: string, path: string): Version {
  const [text, setText] = useState<ReviewFileText | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    let isStale = false
    const load = async () => {
      const changes = await command('review.changes', { folder, id, range: null })
      const file = changes.ok ? await command('review.file', { folder, id, path, range: null }) : changes
      if (isStale) return
      if (file.ok) setText(file.value)
      else setFailure(file.failure.message)
    }
    void load()
    return () => {
      isStale = true
    }
  }, [folder, id, path])
  const problem = failure ?? problemOfText(text)
  const diff = useFileDiff(text?.kind === 'text' ? text : NO_TEXT, false)
  return { diff: text === null || problem !== null ? null : diff, problem }
}

const NO_TEXT = { before: null, after: null }

function problemOfText(text: ReviewFileText | null): string | null {
  if (text === null) return null
  if (text.kind === 'text') return text.after === null ? 'This agent has deleted the file.' : null
  if (text.kind === 'submodule') return 'The path is a submodule, which has no lines.'
  const size = text.bytesAfter === null ? '' : ` (${formatSize(text.bytesAfter)})`
  return text.kind === 'binary'
    ? `The file is binary${size}, and has no lines to compare.`
    : `The file is too large to compare${size}. Open it in an editor.`
}
