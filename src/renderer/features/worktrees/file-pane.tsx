/** The selected file: its diff, or the reason why it has none. */
import type { Ref, RefObject } from 'react'
import type { DiffPart, ReviewFile, ReviewFileText, ReviewRange } from '../../../shared/worktrees/review.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatSize } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { type Arrival, DiffGrid } from './diff/diff-grid.tsx'
import { useFileDiff } from './diff/diff-worker-client.ts'
import type { DiffGridHandle } from './diff/use-grid-navigation.ts'
import type { DiffOptions } from './diff-options.ts'
import { PicturePane, SvgPictures } from './pictures/picture-pane.tsx'
import { Loading } from './review-empty.tsx'
import type { SentComment } from './sent-comments.ts'
import { useFileText } from './use-changes.ts'

interface FilePaneProps {
  readonly folder: string
  readonly id: string
  readonly file: ReviewFile
  readonly version: string
  readonly range: ReviewRange | null
  readonly sent: readonly SentComment[]
  readonly options: DiffOptions
  readonly draftKey: string
  /** Takes changed lines of the file back; null: not possible now. */
  readonly onTakeBack: ((part: DiffPart) => void) | null
  readonly onLeave: () => void
  readonly handle: Ref<DiffGridHandle>
  readonly arrival: RefObject<Arrival | null>
}

export function FilePane(props: FilePaneProps) {
  const { path, notes } = props.file
  return (
    <>
      <FileContent {...props} />
      {notes.length > 0 && (
        <p
          role="note"
          aria-label={`About ${path}`}
          data-selectable=""
          className="shrink-0 border-line border-t bg-bg-1 px-3 py-1 text-fg-1 text-sm wrap-anywhere"
        >
          <VisibleText>{notes.join(' · ')}</VisibleText>
        </p>
      )}
    </>
  )
}

function FileContent(props: FilePaneProps) {
  const { folder, id, file, version, range } = props
  const { value, failure, retry } = useFileText({ folder, id, path: file.path, version, range })
  if (failure !== null)
    return (
      <EmptyState title="This file can’t be shown" actions={<Button onClick={retry}>Retry</Button>}>
        <span data-selectable="">{failure}</span>
      </EmptyState>
    )
  if (value === null) return <Loading label="Loading the file…" />
  const pictureKey = { folder, id, file, range }
  if (value.kind === 'text')
    return (
      <>
        {file.path.toLowerCase().endsWith('.svg') && <SvgPictures {...pictureKey} />}
        <TextPane {...props} before={value.before} after={value.after} />
      </>
    )
  const other = <NonTextFile value={value} path={file.path} />
  return value.kind === 'submodule' ? other : <PicturePane {...pictureKey} otherwise={other} />
}

function TextPane(props: FilePaneProps & { readonly before: string | null; readonly after: string | null }) {
  const { before, after, options, file, draftKey, sent, onTakeBack, onLeave, handle, arrival } = props
  const diff = useFileDiff({ before, after }, options.ignoreWhitespace)
  if (diff === null) return <Loading label="Comparing…" />
  const same = diff.blocks.every(({ kind }) => kind === 'same')
  if (same && diff.notes.length === 0 && !options.whole)
    return <Unchanged file={file} hidden={before !== after} empty={(after ?? before ?? '') === ''} />
  return (
    <DiffGrid
      path={file.path}
      diff={diff}
      // An added or deleted file has only one side.
      layout={before === null || after === null ? 'unified' : options.layout}
      whole={options.whole}
      wrap={options.wrap}
      draftKey={draftKey}
      sent={sent}
      // A change of an added or deleted file is the whole file.
      onTakeBack={before === null || after === null ? null : onTakeBack}
      onLeave={onLeave}
      handle={handle}
      arrival={arrival}
    />
  )
}

interface UnchangedProps {
  readonly file: ReviewFile
  /** The file differs only in whitespace, which is ignored now. */
  readonly hidden: boolean
  readonly empty: boolean
}

function Unchanged({ file, hidden, empty }: UnchangedProps) {
  if (hidden)
    return (
      <EmptyState title="Only whitespace changed">
        Whitespace changes are hidden. Press W to show them.
      </EmptyState>
    )
  if (file.oldPath !== null)
    return (
      <EmptyState title={file.kind === 'copied' ? 'Copied without changes' : 'Renamed without changes'}>
        <span className="font-mono text-xs wrap-anywhere">
          {file.oldPath} → {file.path}
        </span>
      </EmptyState>
    )
  return (
    <EmptyState title={empty ? 'Empty file' : 'No lines changed'}>
      {empty
        ? 'The file has no content.'
        : file.notes.length > 0
          ? null
          : 'Only the file mode or type changed.'}
    </EmptyState>
  )
}

interface OtherFileProps {
  readonly value: Exclude<ReviewFileText, { kind: 'text' }>
  readonly path: string
}

/** What is known of a file that is not text. */
export function NonTextFile({ value, path }: OtherFileProps) {
  if (value.kind === 'submodule')
    return (
      <EmptyState title="Submodule">
        Now at <code className="font-mono">{value.after?.slice(0, 10) ?? 'no commit'}</code>, before at{' '}
        <code className="font-mono">{value.before?.slice(0, 10) ?? 'no commit'}</code>.
      </EmptyState>
    )
  const sizes = `${sizeOf(value.bytesBefore)} before, ${sizeOf(value.bytesAfter)} now`
  return (
    <EmptyState title={value.kind === 'binary' ? 'Binary file' : 'Too large to show'}>
      <span className="wrap-anywhere">{path}</span>: {sizes}. A merge includes it.
    </EmptyState>
  )
}

const sizeOf = (bytes: number | null) => (bytes === null ? 'none' : formatSize(bytes))
