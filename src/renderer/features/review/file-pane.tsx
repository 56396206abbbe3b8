/** The file that is shown: its lines compared, or why there are none. */
import { type Ref, type RefObject, useEffect, useState } from 'react'
import type { ReviewFile, ReviewFileText } from '../../../shared/review.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { type Arrival, DiffGrid, type DiffGridHandle } from './diff/diff-grid.tsx'
import { useFileDiff } from './diff/use-diff.ts'
import type { DiffLook } from './diff-look.ts'
import { useFileText } from './use-changes.ts'
import { sizeWords } from './worktree-words.ts'

export interface FilePaneProps {
  readonly folder: string
  readonly id: string
  readonly file: ReviewFile
  readonly version: string
  readonly look: DiffLook
  readonly draftKey: string
  readonly agentName: string
  readonly onLeave: () => void
  readonly handle: Ref<DiffGridHandle>
  readonly arrival: RefObject<Arrival | null>
}

export function FilePane(props: FilePaneProps) {
  const { folder, id, file, version } = props
  const { value, failure, retry } = useFileText({ folder, id, path: file.path, version })
  if (failure !== null)
    return (
      <EmptyState title="This file can’t be shown" actions={<Button onClick={retry}>Try again</Button>}>
        <span data-selectable="">{failure}</span>
      </EmptyState>
    )
  if (value === null) return <Waiting words="Reading both sides…" />
  if (value.kind === 'text') return <TextPane {...props} before={value.before} after={value.after} />
  return <OtherFile value={value} path={file.path} />
}

function TextPane(props: FilePaneProps & { readonly before: string | null; readonly after: string | null }) {
  const { before, after, look, file, draftKey, agentName, onLeave, handle, arrival } = props
  const diff = useFileDiff({ before, after }, look.ignoreWhitespace)
  if (diff === null) return <Waiting words="Comparing…" />
  const same = diff.blocks.every(({ kind }) => kind === 'same')
  if (same && diff.notes.length === 0 && !look.whole)
    return <Unchanged file={file} hidden={before !== after} empty={(after ?? before ?? '') === ''} />
  return (
    <DiffGrid
      path={file.path}
      diff={diff}
      // Of a file that is new or gone there is only one side.
      layout={before === null || after === null ? 'unified' : look.layout}
      whole={look.whole}
      draftKey={draftKey}
      agentName={agentName}
      onLeave={onLeave}
      handle={handle}
      arrival={arrival}
    />
  )
}

interface UnchangedProps {
  readonly file: ReviewFile
  /** It differs in spaces, which are not looked at now. */
  readonly hidden: boolean
  readonly empty: boolean
}

function Unchanged({ file, hidden, empty }: UnchangedProps) {
  if (hidden)
    return (
      <EmptyState title="Only spaces changed">
        They are left out now. Press W, or the sign in the bar, to see them.
      </EmptyState>
    )
  if (file.oldPath !== null)
    return (
      <EmptyState title={file.kind === 'copied' ? 'Copied as it was' : 'Renamed, with nothing else changed'}>
        <span className="font-mono text-xs wrap-anywhere">
          {file.oldPath} → {file.path}
        </span>
      </EmptyState>
    )
  return (
    <EmptyState title={empty ? 'An empty file' : 'No line differs'}>
      {empty ? 'There is nothing in it.' : 'Only what kind of file it is changed: its rights, or a link.'}
    </EmptyState>
  )
}

interface OtherFileProps {
  readonly value: Exclude<ReviewFileText, { kind: 'text' }>
  readonly path: string
}

function OtherFile({ value, path }: OtherFileProps) {
  if (value.kind === 'submodule')
    return (
      <EmptyState title="A submodule">
        It stands at <code className="font-mono">{value.after?.slice(0, 10) ?? 'no commit'}</code> instead of{' '}
        <code className="font-mono">{value.before?.slice(0, 10) ?? 'no commit'}</code>.
      </EmptyState>
    )
  const sizes = `${sizeOf(value.bytesBefore)} before, ${sizeOf(value.bytesAfter)} now`
  return (
    <EmptyState title={value.kind === 'binary' ? 'Not a text' : 'Too large to show'}>
      <span className="wrap-anywhere">{path}</span>: {sizes}. It is merged like any other file.
    </EmptyState>
  )
}

const sizeOf = (bytes: number | null) => (bytes === null ? 'not there' : sizeWords(bytes))

/** Says so only where it takes a while: what comes at once must not flash. */
export function Waiting({ words }: { readonly words: string }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 500)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" className="m-auto">
      {shown && (
        <p role="status" className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> {words}
        </p>
      )}
    </div>
  )
}
