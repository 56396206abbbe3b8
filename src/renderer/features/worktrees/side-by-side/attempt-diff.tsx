/** The changes of one attempt in its column: its first files, each with the lines that changed. */
import { type CSSProperties, useEffect, useMemo } from 'react'
import type { ReviewFile, ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import type { AttemptDiffProps } from '../../../stores/comparison-store.ts'
import { useAgent } from '../../../stores/conversation-store.ts'
import { goToReview, selectPath, useSnapshot } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { count } from '../../../ui/text/format.ts'
import { PathText } from '../../../ui/text/visible-text.tsx'
import { CodeLine, CodeLines } from '../conflict-panes.tsx'
import { type DiffRow, rowsOfDiff } from '../diff/diff-rows.ts'
import { type FileDiff, useFileDiff } from '../diff/diff-worker-client.ts'
import { useColors } from '../diff/use-colors.ts'
import { useFileText, useWorktreeChanges } from '../use-changes.ts'

/** Files and rows that are drawn; Review has all of them. */
const MOST_FILES = 4
const MOST_ROWS = 30

export function AttemptDiff({ agentId, isLive, onFiles }: AttemptDiffProps) {
  const snapshot = useSnapshot()
  const worktreeId = useAgent(agentId)?.worktree?.id ?? null
  const worktree = snapshot?.worktrees.find(({ id }) => id === worktreeId)
  if (snapshot === null) return <Note>Loading changes…</Note>
  if (worktree === undefined) return <Note>{isLive ? 'No changes yet.' : 'Its worktree is gone.'}</Note>
  return <Files {...{ snapshot, worktree, agentId, onFiles }} />
}

function Note({ children }: { readonly children: string }) {
  return <p className="px-3.5 py-2.5 text-fg-2">{children}</p>
}

interface FilesProps extends Omit<AttemptDiffProps, 'isLive'> {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
}

function Files({ snapshot, worktree, agentId, onFiles }: FilesProps) {
  const { value: changes, failure } = useWorktreeChanges(snapshot, worktree, null)
  useEffect(() => {
    if (changes !== null) onFiles(agentId, changes.files)
  }, [agentId, changes, onFiles])
  if (changes === null) return <Note>{failure ?? 'Loading changes…'}</Note>
  const { files, version } = changes
  const more = files.length + changes.moreFiles - MOST_FILES
  if (files.length === 0) return <Note>No changes</Note>
  return (
    <>
      {files.slice(0, MOST_FILES).map((file) => (
        <File key={file.path} folder={snapshot.folder} id={worktree.id} file={file} version={version} />
      ))}
      {more > 0 && (
        <div className="border-line border-t px-1.5 py-1">
          <Button variant="quiet" onClick={() => goToReview(worktree.id)}>
            {count(more, 'more file')} in Review
          </Button>
        </div>
      )}
    </>
  )
}

interface FileProps {
  readonly folder: string
  readonly id: string
  readonly file: ReviewFile
  readonly version: string
}

function File({ folder, id, file, version }: FileProps) {
  const { path, insertions, deletions } = file
  const { value, failure } = useFileText({ folder, id, path, version, range: null })
  const open = () => {
    selectPath(id, path)
    goToReview(id)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend
    <div role="group" aria-label={path} className="not-first:border-line not-first:border-t">
      <p className="flex items-center gap-2 border-line border-b bg-bg-1 px-3.5 py-1 font-mono text-xs">
        <button
          type="button"
          title={`Open ${path} in Review`}
          onClick={open}
          className="min-w-0 flex-1 truncate rounded-xs text-left text-fg-1 hover:text-fg-0 hover:underline"
        >
          <PathText path={path} />
        </button>
        {insertions !== null && insertions > 0 && <span className="text-ok">+{insertions}</span>}
        {deletions !== null && deletions > 0 && <span className="text-bad">−{deletions}</span>}
      </p>
      {value?.kind === 'text' ? (
        <Lines path={path} before={value.before} after={value.after} onMore={open} />
      ) : (
        <Note>{failure ?? (value === null ? 'Loading…' : 'Not text. See it in Review.')}</Note>
      )}
    </div>
  )
}

interface LinesProps {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  readonly onMore: () => void
}

function Lines({ path, before, after, onMore }: LinesProps) {
  const diff = useFileDiff({ before, after }, false)
  if (diff === null) return <Note>Comparing…</Note>
  return <DiffRows path={path} diff={diff} onMore={onMore} />
}

function DiffRows({ path, diff, onMore }: Pick<LinesProps, 'path' | 'onMore'> & { readonly diff: FileDiff }) {
  const { colors, setVisible } = useColors(path, diff)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the texts change
  useEffect(() => {
    setVisible({ before: { from: 0, to: diff.before.length }, after: { from: 0, to: diff.after.length } })
  }, [diff])
  const rows = useMemo(
    () =>
      rowsOfDiff(diff.blocks, {
        ...{ layout: 'unified', expansions: new Map(), whole: false, notes: diff.notes },
        ...{ comments: [], sent: [], editing: null, isStale: () => false },
      }),
    [diff],
  )
  const digits = String(Math.max(diff.before.length, diff.after.length)).length
  const draw = (row: DiffRow) => {
    if (row.kind === 'gap')
      return (
        <p key={row.key} className="bg-bg-2 px-3.5 font-sans text-fg-2 text-xs leading-5">
          {count(row.hidden, 'unchanged line')}
        </p>
      )
    if (row.kind === 'note')
      return (
        <p key={row.key} className="px-3.5 font-sans text-fg-1 text-xs">
          {row.text}
        </p>
      )
    if (row.kind !== 'line') return null
    const side = row.after === null ? 'before' : 'after'
    const at = row[side] ?? 0
    const other = side === 'before' ? diff.after : diff.before
    return (
      <CodeLine
        key={row.key}
        numbers={[row.before, row.after].map((line) => (line === null ? null : line + 1))}
        text={diff[side][at] ?? ''}
        tokens={colors[side][at]}
        style={!row.changed ? 'context' : side === 'before' ? 'removed' : 'added'}
        partner={row.partner === null ? null : (other[row.partner] ?? null)}
      />
    )
  }
  return (
    <>
      <div style={{ '--number-width': `${digits + 1.6}ch` } as CSSProperties}>
        <CodeLines>{rows.slice(0, MOST_ROWS).map(draw)}</CodeLines>
      </div>
      {rows.length > MOST_ROWS && (
        <Button variant="quiet" className="m-1" onClick={onMore}>
          More lines in Review
        </Button>
      )}
    </>
  )
}
