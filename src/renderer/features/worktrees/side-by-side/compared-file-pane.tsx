/** The selected file in the columns of the shown attempts. */
import { type Ref, useImperativeHandle, useMemo } from 'react'
import type { ReviewSnapshot } from '../../../../shared/worktrees/review.ts'
import type { ColumnAttempt } from '../../../stores/comparison-store.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import type { DiffOptions } from '../diff-options.ts'
import { NonTextFile } from '../file-pane.tsx'
import { PicturePane } from '../pictures/picture-pane.tsx'
import { Loading } from '../review-empty.tsx'
import { AlignedGrid, type AlignedGridHandle, GRID_COLUMNS } from './aligned-grid.tsx'
import { haveSameStart } from './aligned-rows.ts'
import { type AttemptActions, ColumnHead } from './column-head.tsx'
import {
  type AttemptChanges,
  type ColumnContent,
  type ComparedFile,
  problemOf,
  useColumn,
} from './compared-files.ts'

interface ComparedFilePaneProps {
  readonly snapshot: ReviewSnapshot
  readonly file: ComparedFile
  readonly columns: readonly ColumnAttempt[]
  readonly attempts: readonly ColumnAttempt[]
  /** The index of the column that keys are for. */
  readonly active: number
  /** By worktree. */
  readonly changes: ReadonlyMap<string, AttemptChanges>
  readonly options: DiffOptions
  readonly actions: AttemptActions
  readonly onChoose: (at: number, agentId: string) => void
  readonly onActivate: (at: number) => void
  readonly onRetry: () => void
  readonly handle: Ref<AlignedGridHandle>
}

export function ComparedFilePane(props: ComparedFilePaneProps) {
  const { snapshot, file, columns, attempts, active, changes, actions, onChoose, onActivate } = props
  const shown = columns.map(({ agentId }) => agentId).join(' ')
  return (
    <section aria-label="Diffs side by side" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0">
      <div
        className={classNames(
          'grid shrink-0 border-line border-b bg-bg-1 pr-[10px]',
          GRID_COLUMNS[columns.length],
        )}
      >
        <span />
        {columns.map((attempt, at) => (
          <ColumnHead
            key={attempt.agentId}
            at={at}
            attempt={attempt}
            attempts={attempts}
            isActive={at === active}
            change={file.changes.get(attempt.agentId)}
            problem={problemOf({ snapshot, attempt, changes: changes.get(attempt.worktreeId ?? '') })}
            onReview={actions.mayReview(attempt) ? () => actions.review(attempt) : null}
            onMerge={actions.mayMerge(attempt) ? () => actions.merge(attempt) : null}
            onChoose={(agentId) => onChoose(at, agentId)}
            onActivate={() => onActivate(at)}
          />
        ))}
      </div>
      <Content key={`${file.path}\n${shown}`} {...props} />
    </section>
  )
}

function Content(props: ComparedFilePaneProps) {
  const { snapshot, file, columns, changes, options, onRetry, handle } = props
  const inputOf = (attempt: ColumnAttempt | undefined) =>
    attempt === undefined
      ? null
      : {
          snapshot,
          attempt,
          file,
          changes: changes.get(attempt.worktreeId ?? ''),
          ignoreWhitespace: options.ignoreWhitespace,
        }
  const first = useColumn(inputOf(columns[0]))
  const second = useColumn(inputOf(columns[1]))
  const third = useColumn(inputOf(columns[2]))
  const contents = useMemo(
    () => [first, second, third].slice(0, columns.length),
    [first, second, third, columns.length],
  )
  const diffs = useMemo(
    () => contents.map((content) => (content.kind === 'diff' ? content.diff : null)),
    [contents],
  )
  if (contents.some(({ kind }) => kind === 'loading')) return <Comparing handle={handle} />
  const failed = contents.some((content) => content.kind === 'none' && content.canRetry)
  if (contents.some(({ kind }) => kind === 'other') || diffs.every((diff) => diff === null))
    return <Apart {...props} contents={contents} />
  const notes = [...new Set(diffs.flatMap((diff) => diff?.notes ?? []))]
  return (
    <>
      {(failed || notes.length > 0 || !haveSameStart(diffs)) && (
        <p
          role="note"
          className="flex shrink-0 flex-wrap items-center gap-x-3 border-line border-b bg-bg-1 px-3 py-1 text-fg-1 text-sm"
        >
          {!haveSameStart(diffs) &&
            'These attempts are compared with different versions of this file, so the lines are not aligned. '}
          {notes.join(' ')}
          {failed && <Button onClick={onRetry}>Retry</Button>}
        </p>
      )}
      {diffs.every((diff) => diff === null || (diff.before.length === 0 && diff.after.length === 0)) ? (
        <EmptyState title="Empty file">The file has no content.</EmptyState>
      ) : (
        <AlignedGrid path={file.path} diffs={diffs} whole={options.whole} handle={handle} />
      )}
    </>
  )
}

/** Keeps the file while its lines are on their way: a key for the next change does not go to the next file. */
function Comparing({ handle }: { readonly handle: Ref<AlignedGridHandle> }) {
  const nothing = () => {}
  useImperativeHandle(handle, () => ({
    ...{ goToChange: () => true, goToLine: nothing, focus: nothing, scrollPage: nothing },
  }))
  return <Loading label="Comparing…" />
}

/** Each column on its own: pictures, other binary files, and files that are too large. */
function Apart({
  snapshot,
  file,
  columns,
  contents,
  onRetry,
}: ComparedFilePaneProps & { readonly contents: readonly ColumnContent[] }) {
  return (
    <div
      className={classNames('grid min-h-0 flex-1 overflow-y-auto pr-[10px]', GRID_COLUMNS[columns.length])}
    >
      <span />
      {columns.map(({ agentId, worktreeId, label }, at) => {
        const content = contents[at]
        const change = file.changes.get(agentId)
        return (
          <section
            key={agentId}
            aria-label={`${file.path} of ${label}`}
            className={classNames('flex min-h-0 min-w-0 flex-col', at > 0 && 'border-line border-l')}
          >
            {content?.kind === 'none' ? (
              <EmptyState
                title="Nothing to compare"
                actions={content.canRetry ? <Button onClick={onRetry}>Retry</Button> : undefined}
              >
                <VisibleText>{content.message}</VisibleText>
              </EmptyState>
            ) : change === undefined ? (
              <EmptyState title="Not changed">This attempt left the file as it was.</EmptyState>
            ) : content?.kind === 'other' ? (
              content.value.kind === 'submodule' ? (
                <NonTextFile value={content.value} path={file.path} />
              ) : (
                <PicturePane
                  folder={snapshot.folder}
                  id={worktreeId ?? ''}
                  file={change}
                  range={null}
                  otherwise={<NonTextFile value={content.value} path={file.path} />}
                />
              )
            ) : (
              <EmptyState title="Text file">Review shows its lines.</EmptyState>
            )}
          </section>
        )
      })}
    </div>
  )
}
