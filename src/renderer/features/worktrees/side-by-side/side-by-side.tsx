/** The diffs of two or three attempts beside each other: the files at the left or above, a column for each attempt. */
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import {
  FEWEST_COLUMNS,
  MOST_COLUMNS,
  type SideBySideProps,
  selectColumn,
  selectComparedFile,
  setColumn,
  toggleThirdColumn,
  useColumnChoice,
} from '../../../stores/comparison-store.ts'
import { useStatusText } from '../../../stores/overlay-store.ts'
import { useReview, useSnapshot, watchReview } from '../../../stores/review-store.ts'
import { useSession } from '../../../stores/session-store.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { useWidth } from '../../../ui/use-width.ts'
import { useDiffOptions } from '../diff-options.ts'
import { Loading } from '../review-empty.tsx'
import type { AlignedGridHandle } from './aligned-grid.tsx'
import { useAttemptActions } from './column-head.tsx'
import { ComparedFileList } from './compared-file-list.tsx'
import { ComparedFilePane } from './compared-file-pane.tsx'
import { comparedFiles, useAttemptChanges } from './compared-files.ts'

const KEY_HINTS = '↑ ↓ files · ← → column · 1–8 attempt · N P change · Enter Review · M merge · Esc results'

/** Widths in px. */
const FILES = 230
const COLUMN = 260
const NARROWEST_COLUMN = 200

export function SideBySide({ id, attempts }: SideBySideProps) {
  const folder = useSession((state) => state.folder?.path ?? null)
  useEffect(() => (folder === null ? undefined : watchReview(folder)), [folder])
  useStatusText({ start: null, end: KEY_HINTS })
  const snapshot = useSnapshot()
  const failure = useReview((state) => state.failure)
  const root = useRef<HTMLDivElement>(null)
  const width = useWidth(root)
  const files = useRef<{ focus(): void }>(null)
  const grid = useRef<AlignedGridHandle>(null)
  const most = width >= NARROWEST_COLUMN * MOST_COLUMNS ? MOST_COLUMNS : FEWEST_COLUMNS
  const choice = useColumnChoice(id, attempts, most)
  const worktreeIds = attempts.flatMap(({ worktreeId }) => worktreeId ?? [])
  const { changes, retry } = useAttemptChanges(snapshot, worktreeIds)
  const all = useMemo(
    () =>
      comparedFiles(
        new Map(
          attempts.flatMap(({ agentId, worktreeId }) => {
            const isThere = snapshot?.worktrees.some((one) => one.id === worktreeId)
            const value = isThere ? (changes.get(worktreeId ?? '')?.value ?? null) : null
            return value === null ? [] : [[agentId, value] as const]
          }),
        ),
      ),
    [attempts, changes, snapshot],
  )
  const [options, changeOptions] = useDiffOptions()
  const file = all.find(({ path }) => path === choice.path) ?? all[0] ?? null
  const columns = choice.columns.flatMap((agentId) => attempts.find((one) => one.agentId === agentId) ?? [])
  const active = columns[choice.active]
  const actions = useAttemptActions(file)
  const hasFiles = all.length > 0
  // The view takes the focus, so that its keys work at once.
  useEffect(() => {
    const { activeElement } = document
    const isFree = activeElement === null || activeElement === document.body
    if (hasFiles && (isFree || activeElement?.contains(root.current))) files.current?.focus()
  }, [hasFiles])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (target.closest('input, textarea, [role="dialog"], [role="menu"]')) return
    const isOnButton = target.closest('button') !== null
    const isInLines = target.closest('[role="grid"]') !== null
    const select = (step: number) => {
      const at = file === null ? -1 : all.indexOf(file)
      const next = all[Math.max(0, Math.min(all.length - 1, at + step))]
      if (next !== undefined) selectComparedFile(id, next.path)
    }
    const goToChange = (direction: 1 | -1) => {
      if (grid.current?.goToChange(direction) !== true) select(direction)
    }
    const run = {
      j: () => select(1),
      k: () => select(-1),
      arrowleft: () => selectColumn(id, Math.max(0, choice.active - 1)),
      arrowright: () => selectColumn(id, Math.min(columns.length - 1, choice.active + 1)),
      n: () => goToChange(1),
      p: () => goToChange(-1),
      m: () => active !== undefined && actions.mayMerge(active) && actions.merge(active),
      t: () => most > FEWEST_COLUMNS && toggleThirdColumn(id, choice, attempts),
      u: () => changeOptions({ whole: !options.whole }),
      w: () => changeOptions({ ignoreWhitespace: !options.ignoreWhitespace }),
      ...(isInLines
        ? {}
        : {
            arrowdown: () => select(1),
            arrowup: () => select(-1),
            pagedown: () => grid.current?.scrollPage(1),
            pageup: () => grid.current?.scrollPage(-1),
            home: () => select(-all.length),
            end: () => select(all.length),
          }),
      ...(isOnButton
        ? {}
        : { enter: () => active !== undefined && actions.mayReview(active) && actions.review(active) }),
    }[event.key.toLowerCase()]
    const chosen = /^[1-8]$/.test(event.key) ? attempts[Number(event.key) - 1] : undefined
    if (run !== undefined) run()
    else if (chosen !== undefined) setColumn(id, choice, choice.active, chosen.agentId)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isBeside = width >= FILES + COLUMN * columns.length
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work in the whole view
    <div ref={root} onKeyDown={onKeyDown} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {snapshot === null ? (
        failure === null ? (
          <Loading label="Loading the worktrees…" />
        ) : (
          <EmptyState title="Can’t load the worktrees">{failure}</EmptyState>
        )
      ) : snapshot.problem !== null ? (
        <EmptyState title="Can’t read the worktrees">{snapshot.problem}</EmptyState>
      ) : file === null ? (
        <NoFiles
          isLoading={worktreeIds.some(
            (one) => !changes.has(one) && snapshot.worktrees.some((worktree) => worktree.id === one),
          )}
          isLive={attempts.some(({ isLive }) => isLive)}
        />
      ) : (
        <div className={classNames('flex min-h-0 flex-1', !isBeside && 'flex-col')}>
          <section
            aria-label="Files of the attempts"
            className={classNames(
              'flex shrink-0 flex-col border-line bg-bg-0',
              isBeside ? 'border-r' : 'max-h-[34%] border-b',
            )}
            style={isBeside ? { width: FILES } : { height: all.length * 44 + 37 }}
          >
            <div className="flex items-center px-3 pt-2 pb-1">
              <h2 className="side-heading flex-1">Files · {all.length.toLocaleString('en')}</h2>
              {most > FEWEST_COLUMNS && attempts.length > FEWEST_COLUMNS && (
                <Button variant="quiet" onClick={() => toggleThirdColumn(id, choice, attempts)}>
                  {columns.length > FEWEST_COLUMNS ? 'Two columns' : 'Three columns'}
                </Button>
              )}
            </div>
            <div className="min-h-0 flex-1">
              <ComparedFileList
                files={all}
                path={file.path}
                columns={columns}
                total={attempts.length}
                onSelect={(path) => selectComparedFile(id, path)}
                handle={files}
              />
            </div>
          </section>
          <ComparedFilePane
            snapshot={snapshot}
            file={file}
            columns={columns}
            attempts={attempts}
            active={choice.active}
            changes={changes}
            options={options}
            actions={actions}
            onChoose={(at, agentId) => setColumn(id, choice, at, agentId)}
            onActivate={(at) => selectColumn(id, at)}
            onRetry={retry}
            handle={grid}
          />
        </div>
      )}
      <p role="status" className="sr-only">
        {file === null ? '' : `${file.path}, ${count(all.length, 'file')}`}
      </p>
    </div>
  )
}

interface NoFilesProps {
  readonly isLoading: boolean
  readonly isLive: boolean
}

function NoFiles({ isLoading, isLive }: NoFilesProps) {
  if (isLoading) return <Loading label="Loading changes…" />
  return (
    <EmptyState title={isLive ? 'No changes yet' : 'No changes to compare'}>
      {isLive
        ? 'Changes appear here while the agents work.'
        : 'No attempt changed a file, or the worktrees were removed.'}
    </EmptyState>
  )
}
