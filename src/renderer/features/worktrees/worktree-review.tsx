/** The selected worktree: its files in the middle, the selected file at the right. */
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import type {
  DiffPart,
  ReviewChanges,
  ReviewFile,
  ReviewRange,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../../shared/worktrees/review.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { selectPath, showRange, showView, useReview } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/text/format.ts'
import { ConflictView, type ConflictViewHandle } from './conflict-view.tsx'
import type { Arrival } from './diff/diff-grid.tsx'
import type { DiffGridHandle } from './diff/use-grid-navigation.ts'
import { type DiffOptions, openReviewFind, toggleViewed, useDiffOptions, useViewed } from './diff-options.ts'
import { FilePane } from './file-pane.tsx'
import { FileList, type FileListHandle } from './files/file-list.tsx'
import { byFileName } from './files/file-tree.ts'
import { currentRange, FilesBar, RangeMenu } from './files/files-bar.tsx'
import { takeBack } from './review-actions.ts'
import { ReviewBar } from './review-bar.tsx'
import { draftKeyOf } from './review-comments.ts'
import { Loading } from './review-empty.tsx'
import { type SentComment, sentComments, sentSummary } from './sent-comments.ts'
import { useWorktreeChanges } from './use-changes.ts'
import { WorktreeNotes } from './worktree-notes.tsx'
import { worktreeName } from './worktree-text.ts'

type ToggledOption = 'layout' | 'ignoreWhitespace' | 'whole' | 'wrap'

export interface ReviewViewHandle {
  focusFiles(): void
  focusSearch(): void
  goToChange(direction: 1 | -1): void
  takeBackFile(): void
  /** Marks the shown file as viewed, or removes the mark. */
  toggleViewed(): void
  /** Opens the search in the shown diff. */
  find(): void
  /** Shows what changed since the last comments, or all changes again. */
  toggleSince(): void
  toggle(option: ToggledOption): void
}

interface WorktreeReviewProps {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
  readonly filesWidth: number
  /** The splitter between the files and the diff. */
  readonly splitter: ReactNode
  /** Moves the focus back to the worktrees. */
  readonly onLeave: () => void
  readonly onShowAgent: () => void
  /** Comments on its lines that were written elsewhere. */
  readonly outside: readonly SentComment[]
  /** A button of the bar. */
  readonly pullRequest: ReactNode
  /** About the verification of this worktree. */
  readonly verification: ReactNode
  readonly handle: Ref<ReviewViewHandle>
}

export function WorktreeReview(props: WorktreeReviewProps) {
  const { snapshot, worktree, filesWidth, splitter, onLeave, onShowAgent, verification, handle } = props
  const { folder } = snapshot
  const { id } = worktree
  const shownChanges = useShownChanges(snapshot, worktree)
  const { value: changes, range, failure, retry, sent: own } = shownChanges
  const { outside } = props
  // The lines of a part of the changes have other numbers.
  const sent = useMemo(() => (range === null ? [...own, ...outside] : own), [range, own, outside])
  const wantedPath = useReview((state) => state.paths[id])
  const view = useReview((state) => state.view)
  const conflictsInto = useReview((state) => state.conflictsInto)
  const [options, changeOptions] = useDiffOptions()
  const files = useRef<FileListHandle>(null)
  const grid = useRef<DiffGridHandle>(null)
  const conflictView = useRef<ConflictViewHandle>(null)
  const arrival = useRef<Arrival>(null)
  const file = changes?.files.find(({ path }) => path === wantedPath) ?? changes?.files[0] ?? null
  const draftKey = draftKeyOf(folder, id)
  const isViewed = useViewed(draftKey)
  const conflicts = conflictCount(worktree)
  const hasConflicts = conflicts > 0 || conflictsInto !== null
  const shown = hasConflicts ? view : 'changes'
  const goToChange = (direction: 1 | -1) => {
    if (shown === 'conflicts') return conflictView.current?.goToConflict(direction)
    if (changes === null || file === null) return
    if (grid.current?.goToChange(direction)) return grid.current.focus()
    const next = changes.files[changes.files.indexOf(file) + direction]
    if (next === undefined) return
    // The grid unmounts with its focus. The list holds the focus until the next grid takes it, if there is one.
    files.current?.focus()
    arrival.current = { path: next.path, direction }
    selectPath(id, next.path)
  }
  const mayTake = shown === 'changes' && range === null && mayTakeBack(worktree)
  const onTakeBack =
    mayTake && changes !== null && file !== null
      ? (part: DiffPart | null) => void takeBackAndGoOn(folder, { changes, file, part })
      : null
  const toggleFile = () => {
    if (shown === 'changes' && file !== null) toggleViewed(draftKey, file)
  }
  useImperativeHandle(handle, () => ({
    focusFiles: () => files.current?.focus(),
    focusSearch: () => files.current?.focusSearch(),
    goToChange,
    takeBackFile: () => onTakeBack?.(null),
    toggleViewed: toggleFile,
    find: () => {
      if (grid.current !== null) openReviewFind()
    },
    toggleSince: shownChanges.toggleSince,
    toggle: (option) => changeOptions(toggled(options, option)),
  }))
  return (
    <>
      <section
        aria-label={`Files of ${worktreeName(snapshot.worktrees, id)}`}
        className="relative flex shrink-0 flex-col border-line border-r bg-bg-0"
        style={{ width: filesWidth }}
      >
        <FilesBar
          conflicts={
            hasConflicts ? { shown: shown === 'conflicts', label: conflictsLabel(worktree, conflicts) } : null
          }
        />
        {changes !== null && (
          <FileList
            changes={changes}
            path={file?.path ?? null}
            draftKey={draftKey}
            menu={
              <RangeMenu
                changes={changes}
                range={shownChanges.chosen}
                onRange={(next) => showRange(id, next)}
              />
            }
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
        {changes?.asked[0] !== undefined && (
          <p
            className="shrink-0 border-line border-t px-3 py-1.5 text-fg-2 text-xs"
            title={changes.asked[0].message}
          >
            {sentSummary(changes.asked[0], shownChanges.working)}
          </p>
        )}
        {splitter}
      </section>
      <section aria-label="Changes" className="flex min-w-0 flex-1 flex-col bg-bg-0">
        <ReviewBar
          folder={folder}
          worktree={worktree}
          path={shown === 'changes' ? (file?.path ?? null) : null}
          options={options}
          onOptionsChange={changeOptions}
          onGoToChange={goToChange}
          onShowAgent={onShowAgent}
          onTakeBack={onTakeBack === null ? null : () => onTakeBack(null)}
          viewed={file !== null && isViewed(file)}
          onToggleViewed={toggleFile}
          pullRequest={props.pullRequest}
        />
        {shown === 'conflicts' ? (
          <ConflictView key={id} folder={folder} worktree={worktree} handle={conflictView} />
        ) : changes === null || file === null ? (
          <NoFile worktree={worktree} changes={changes} range={range} failure={failure} onRetry={retry} />
        ) : (
          <FilePane
            key={`${id}\n${file.path}`}
            folder={folder}
            id={id}
            file={file}
            version={changes.version}
            range={range}
            sent={sent}
            options={options}
            draftKey={draftKey}
            onTakeBack={onTakeBack}
            onLeave={() => files.current?.focus()}
            handle={grid}
            arrival={arrival}
          />
        )}
        {changes !== null && failure !== null && <StaleNotice failure={failure} onRetry={retry} />}
        {verification}
        <WorktreeNotes folder={folder} worktree={worktree} />
        <FileAnnouncer file={file} changes={changes} />
      </section>
    </>
  )
}

const toggled = (options: DiffOptions, option: ToggledOption): Partial<DiffOptions> =>
  option === 'layout'
    ? { layout: options.layout === 'split' ? 'unified' : 'split' }
    : { [option]: !options[option] }

interface TakeBackChoice {
  readonly changes: ReviewChanges
  readonly file: ReviewFile
  /** Null: the whole file. The next file is then shown. */
  readonly part: DiffPart | null
}

async function takeBackAndGoOn(folder: string, { changes, file, part }: TakeBackChoice): Promise<void> {
  const { id, version, files } = changes
  const index = files.indexOf(file)
  const next = files[index + 1] ?? files[index - 1]
  const done = await takeBack(folder, { id, path: file.path, version, part })
  if (done && part === null && next !== undefined) selectPath(id, next.path)
}

/** Whether files and changes can be taken back now. */
const mayTakeBack = ({ state, resolving, problem }: ReviewWorktree) =>
  state !== 'working' && state !== 'merged' && resolving === null && problem === null

interface StaleNoticeProps {
  readonly failure: string
  readonly onRetry: () => void
}

/** The changes on screen are outdated because loading newer ones failed. */
function StaleNotice({ failure, onRetry }: StaleNoticeProps) {
  return (
    <p
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-t bg-bg-1 px-3 py-1 text-fg-1 text-sm"
    >
      These changes may be out of date. {failure}
      <Button onClick={onRetry}>Retry</Button>
    </p>
  )
}

/** The label of the choice that shows the conflicts. */
function conflictsLabel({ resolving }: ReviewWorktree, conflicts: number): string {
  if (resolving !== null) return 'Resolving'
  return conflicts === 0 ? 'Conflicts' : `Conflicts · ${conflicts}`
}

interface NoFileProps {
  readonly worktree: ReviewWorktree
  readonly changes: ReviewChanges | null
  readonly range: ReviewRange | null
  readonly failure: string | null
  readonly onRetry: () => void
}

/** Replaces the diff while changes load, after loading failed, and when no file changed. */
function NoFile({ worktree, changes, range, failure, onRetry }: NoFileProps) {
  if (changes === null && failure === null) return <Loading label="Loading changes…" />
  if (changes === null)
    return (
      <EmptyState
        title="Can’t load the changes"
        actions={
          <>
            <Button onClick={onRetry}>Retry</Button>
            {range !== null && <Button onClick={() => showRange(worktree.id, null)}>Show all changes</Button>}
          </>
        }
      >
        <span data-selectable="">{failure}</span>
      </EmptyState>
    )
  if (range !== null)
    return (
      <EmptyState
        title={range.kind === 'since' ? 'No changes since your comments' : 'No changes in this commit'}
        actions={<Button onClick={() => showRange(worktree.id, null)}>Show all changes</Button>}
      />
    )
  const working = worktree.state === 'working'
  return (
    <EmptyState title={working ? 'No changes yet' : 'No changes'}>
      {working
        ? 'Changes appear here while the agent works.'
        : 'The worktree has the same files as its base commit.'}
    </EmptyState>
  )
}

interface FileAnnouncerProps {
  readonly file: ReviewFile | null
  readonly changes: ReviewChanges | null
}

function FileAnnouncer({ file, changes }: FileAnnouncerProps) {
  return (
    <p role="status" className="sr-only">
      {file === null ? '' : `${file.path}, ${count(changes?.files.length ?? 0, 'file')}`}
    </p>
  )
}

/** Conflicts with the target and with other worktrees. At least 1 while a merge of the target is unfinished. */
function conflictCount({ check, conflictsWith, resolving }: ReviewWorktree): number {
  const own = check?.kind === 'conflicts' ? check.files.length : 0
  const others = conflictsWith.reduce((sum, { files }) => sum + files.length, 0)
  return Math.max(own + others, resolving === null ? 0 : 1)
}

/** The shown part of a worktree's changes, with the comments that were sent about them. */
function useShownChanges(snapshot: ReviewSnapshot, worktree: ReviewWorktree) {
  const { id } = worktree
  const chosen = useReview((state) => state.ranges[id] ?? null)
  const loaded = useWorktreeChanges(snapshot, worktree, chosen)
  const { value, range } = loaded
  const changes = useMemo(
    () => value && { ...value, files: value.files.toSorted((a, b) => byFileName(a.path, b.path)) },
    [value],
  )
  const working = worktree.state === 'working'
  const sent = useMemo(
    () => (changes === null ? [] : sentComments(changes, { range, working })),
    [changes, range, working],
  )
  useEffect(() => {
    if (changes === null) return
    const current = currentRange(changes, chosen)
    if (current !== chosen) showRange(id, current)
  }, [id, changes, chosen])
  const toggleSince = () => {
    const last = changes?.asked[0]
    if (last === undefined) showNotice({ level: 'info', text: 'You sent no comments to this agent yet.' })
    else showRange(id, chosen === null ? { kind: 'since', commit: last.commit } : null)
  }
  /** `chosen`: the range that the user chose; `range`: that of the loaded changes. */
  return { ...loaded, value: changes, chosen, working, sent, toggleSince }
}
