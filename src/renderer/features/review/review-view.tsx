/** The worktree that is selected: its files in the middle, the file that is selected at the right. */
import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react'
import type { ReviewSnapshot, ReviewWorktree } from '../../../shared/review.ts'
import { draftKeyOf } from '../../stores/review-comments.ts'
import { selectPath, showView, useReview } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/format.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { ConflictView } from './conflict-view.tsx'
import type { Arrival, DiffGridHandle } from './diff/diff-grid.tsx'
import { useDiffLook } from './diff-look.ts'
import { FileList, type FileListHandle } from './file-list.tsx'
import { FilePane, Waiting } from './file-pane.tsx'
import { ReviewBar } from './review-bar.tsx'
import { useChanges } from './use-changes.ts'
import { WorktreeNotes } from './worktree-notes.tsx'

export interface ReviewViewHandle {
  focusFiles(): void
  focusSearch(): void
  goToChange(direction: 1 | -1): void
  toggle(what: 'layout' | 'ignoreWhitespace' | 'whole'): void
}

export interface ReviewViewProps {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
  readonly filesWidth: number
  /** Between files and lines. */
  readonly splitter: ReactNode
  /** Back to the worktrees. */
  readonly onLeave: () => void
  readonly onShowAgent: () => void
  readonly handle: Ref<ReviewViewHandle>
}

export function ReviewView(props: ReviewViewProps) {
  const { snapshot, worktree, filesWidth, splitter, onLeave, onShowAgent, handle } = props
  const { folder } = snapshot
  const { id } = worktree
  const { value: changes, failure, retry } = useChanges(snapshot, worktree)
  const wantedPath = useReview((state) => state.paths[id])
  const view = useReview((state) => state.view)
  const [look, changeLook] = useDiffLook()
  const files = useRef<FileListHandle>(null)
  const grid = useRef<DiffGridHandle>(null)
  const arrival = useRef<Arrival>(null)
  const file = changes?.files.find(({ path }) => path === wantedPath) ?? changes?.files[0] ?? null
  const draftKey = draftKeyOf(folder, id)
  const conflicts = conflictCount(worktree)
  const shown = conflicts > 0 ? view : 'changes'
  const goToChange = (direction: 1 | -1) => {
    if (shown === 'conflicts' || changes === null || file === null) return
    if (grid.current?.goToChange(direction)) return grid.current.focus()
    // After the last change of a file comes the first one of the next.
    const next = changes.files[changes.files.indexOf(file) + direction]
    if (next === undefined) return
    // The lines that have the focus go: the files take it until those of the next one are there, if it has any.
    files.current?.focus()
    arrival.current = { path: next.path, direction }
    selectPath(id, next.path)
  }
  useImperativeHandle(handle, () => ({
    focusFiles: () => files.current?.focus(),
    focusSearch: () => files.current?.focusSearch(),
    goToChange,
    toggle: (what) =>
      changeLook(
        what === 'layout'
          ? { layout: look.layout === 'split' ? 'unified' : 'split' }
          : { [what]: !look[what] },
      ),
  }))
  return (
    <>
      <section
        aria-label={`Files of ${worktree.agentName}`}
        className="relative shrink-0 border-line border-r bg-bg-0"
        style={{ width: filesWidth }}
      >
        {changes !== null && (
          <FileList
            changes={changes}
            path={file?.path ?? null}
            draftKey={draftKey}
            onSelect={(path) => {
              arrival.current = null
              selectPath(id, path)
              if (shown !== 'changes') showView('changes')
            }}
            onEnter={() => grid.current?.focus()}
            onLeave={onLeave}
            handle={files}
          />
        )}
        {splitter}
      </section>
      <section aria-label="Changes" className="flex min-w-0 flex-1 flex-col bg-bg-0">
        <ReviewBar
          folder={folder}
          worktree={worktree}
          path={shown === 'changes' ? (file?.path ?? null) : null}
          look={look}
          onLook={changeLook}
          onChange={goToChange}
          onShowAgent={onShowAgent}
        />
        <WorktreeNotes folder={folder} worktree={worktree} />
        {changes !== null && failure !== null && (
          <p
            role="alert"
            className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-bg-1 px-3 py-1 text-fg-1 text-sm"
          >
            What is shown may not be the newest. {failure}
            <Button onClick={retry}>Try again</Button>
          </p>
        )}
        {conflicts > 0 && (
          <div className="flex shrink-0 items-center border-line border-b bg-bg-1 px-3 py-1.5">
            <Segmented
              label="What is shown"
              value={shown}
              options={[
                { value: 'changes', label: 'Changes' },
                {
                  value: 'conflicts',
                  label: worktree.resolving === null ? `Conflicts · ${conflicts}` : 'Resolving',
                },
              ]}
              onChange={showView}
            />
          </div>
        )}
        {shown === 'conflicts' ? (
          <ConflictView key={id} folder={folder} worktree={worktree} />
        ) : changes === null ? (
          failure === null ? (
            <Waiting words="Looking at what changed…" />
          ) : (
            <EmptyState
              title="What changed can’t be shown"
              actions={<Button onClick={retry}>Try again</Button>}
            >
              <span data-selectable="">{failure}</span>
            </EmptyState>
          )
        ) : file === null ? (
          <EmptyState title={worktree.state === 'working' ? 'Nothing changed yet' : 'Nothing changed'}>
            {worktree.state === 'working'
              ? 'What the agent changes appears here while it works.'
              : 'It holds the same files as where it began.'}
          </EmptyState>
        ) : (
          <FilePane
            key={`${id}\n${file.path}`}
            folder={folder}
            id={id}
            file={file}
            version={changes.version}
            look={look}
            draftKey={draftKey}
            agentName={worktree.agentName}
            onLeave={() => files.current?.focus()}
            handle={grid}
            arrival={arrival}
          />
        )}
        <p role="status" className="sr-only">
          {file === null ? '' : `${file.path}, ${count(changes?.files.length ?? 0, 'file')}`}
        </p>
      </section>
    </>
  )
}

/** Places where it is in the way of others; 1 at least while a merge into it is not finished. */
function conflictCount({ check, conflictsWith, resolving }: ReviewWorktree): number {
  const own = check?.kind === 'conflicts' ? check.files.length : 0
  const others = conflictsWith.reduce((sum, { files }) => sum + files.length, 0)
  return Math.max(own + others, resolving === null ? 0 : 1)
}
