/** The files that the attempts changed: how each shown attempt changed them, and where they agree. */
import { type Ref, useImperativeHandle, useRef } from 'react'
import type { ReviewFile } from '../../../../shared/worktrees/review.ts'
import type { ColumnAttempt } from '../../../stores/comparison-store.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { PathText } from '../../../ui/text/visible-text.tsx'
import { KINDS } from '../files/file-row.tsx'
import { PathList } from '../files/path-list.tsx'
import { agreementOf, type ComparedFile } from './compared-files.ts'

interface ComparedFileListProps {
  readonly files: readonly ComparedFile[]
  readonly path: string | null
  readonly columns: readonly ColumnAttempt[]
  /** The number of attempts of the comparison. */
  readonly total: number
  readonly onSelect: (path: string) => void
  readonly handle: Ref<{ focus(): void }>
}

/** Of a row, in px. */
const HEIGHT = 44

export function ComparedFileList(props: ComparedFileListProps) {
  const { files, path, columns, total, onSelect, handle } = props
  const list = useRef<HTMLDivElement>(null)
  useImperativeHandle(handle, () => ({ focus: () => list.current?.focus({ preventScroll: true }) }))
  return (
    <PathList
      label="Compared files"
      scrollerClassName="h-full min-h-0 overflow-y-auto"
      className="min-h-full"
      rowHeight={HEIGHT}
      rowClassName="grid content-center gap-0.5"
      {...{ files, path, list, onSelect }}
      renderRow={(file) => <Row file={file} columns={columns} total={total} />}
    />
  )
}

function Row({
  file,
  columns,
  total,
}: Pick<ComparedFileListProps, 'columns' | 'total'> & { readonly file: ComparedFile }) {
  const agreement = agreementOf(
    file,
    columns.map(({ agentId }) => agentId),
  )
  const only = agreement.kind === 'one' ? columns.find(({ agentId }) => agentId === agreement.agentId) : null
  const isElsewhere = agreement.kind === 'none'
  return (
    <>
      <span className="flex min-w-0 items-baseline gap-2">
        <span className={classNames('min-w-0 flex-1', isElsewhere && 'text-fg-2')} title={file.path}>
          <PathText path={file.path} />
        </span>
        {agreement.kind === 'same' && <span className="shrink-0 text-ok text-xs">identical</span>}
        {only != null && (
          <span className="max-w-[50%] shrink-0 truncate text-fg-2 text-xs">only {only.label}</span>
        )}
      </span>
      <span className="flex min-w-0 items-center gap-3 font-mono text-fg-2 text-xs">
        {isElsewhere ? (
          <span className="truncate font-sans">in other attempts</span>
        ) : (
          columns.map((column) => (
            <Change key={column.agentId} column={column} change={file.changes.get(column.agentId)} />
          ))
        )}
        {total > columns.length && (
          <span className="ml-auto shrink-0 font-sans" title={`${file.changes.size} of ${total} attempts`}>
            {file.changes.size} of {total}
          </span>
        )}
      </span>
    </>
  )
}

/** "A +12", "M +3 −1", "–" */
function Change({
  column,
  change,
}: {
  readonly column: ColumnAttempt
  readonly change: ReviewFile | undefined
}) {
  const words = change === undefined ? 'not changed' : KINDS[change.kind][1]
  return (
    <span className="flex shrink-0 items-center gap-1" style={agentStyle(column.color)}>
      <span aria-hidden="true" className="size-1.5 rounded-full bg-agent" />
      <span className="sr-only">
        {column.label}: {words}
      </span>
      <span aria-hidden="true">{change === undefined ? '–' : KINDS[change.kind][0]}</span>
      {change !== undefined && <Amount change={change} />}
    </span>
  )
}

/** "+3 −1", "binary" */
export function Amount({ change: { insertions, deletions } }: { readonly change: ReviewFile }) {
  if (insertions === null) return <span>binary</span>
  return (
    <span>
      {(insertions > 0 || !deletions) && <span className="text-ok">+{insertions}</span>}
      {insertions > 0 && deletions ? ' ' : ''}
      {deletions ? <span className="text-bad">−{deletions}</span> : null}
    </span>
  )
}
