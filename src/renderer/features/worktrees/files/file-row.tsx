/** A file in the list: its kind of change, path, comments and line counts. */
import { Check, MessageSquare } from 'lucide-react'
import type { ReviewFile } from '../../../../shared/worktrees/review.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { PathText } from '../../../ui/text/path-text.tsx'
import { VisibleText } from '../../../ui/text/visible-text.tsx'

/** The letter and the word for a kind of change. */
export const KINDS: Readonly<Record<ReviewFile['kind'], readonly [letter: string, label: string]>> = {
  added: ['A', 'added'],
  modified: ['M', 'modified'],
  deleted: ['D', 'deleted'],
  renamed: ['R', 'renamed'],
  copied: ['C', 'copied'],
  'type-changed': ['T', 'type changed'],
  conflicted: ['!', 'in conflict'],
}

interface FileRowProps {
  readonly file: ReviewFile
  /** Comments on the file that are not sent yet. */
  readonly comments: number
  /** Whether the user has marked this state of the file as viewed. */
  readonly viewed: boolean
}

export function FileRow({ file, comments, viewed }: FileRowProps) {
  const [letter, label] = KINDS[file.kind]
  const title = [
    file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`,
    label,
    ...file.notes,
    ...(file.uncommitted ? ['not committed'] : []),
    ...(viewed ? ['viewed'] : []),
  ].join(', ')
  return (
    <>
      <span
        title={label}
        className={classNames('w-3.5 shrink-0', file.kind === 'conflicted' ? 'font-bold text-needs-you' : '')}
      >
        <span aria-hidden="true">{letter}</span>
        <span className="sr-only">{label}</span>
      </span>
      <span title={title} className={classNames('min-w-0 flex-1', viewed && 'text-fg-2')}>
        <PathText path={file.path} />
      </span>
      {file.notes.length > 0 && (
        <span className="max-w-[45%] shrink-[3] truncate text-fg-2 text-xs" title={title}>
          <VisibleText>{file.notes.join(', ')}</VisibleText>
        </span>
      )}
      {file.uncommitted && (
        <span title="Not committed" className="size-1.5 shrink-0 rounded-full border border-fg-2">
          <span className="sr-only">not committed</span>
        </span>
      )}
      {comments > 0 && (
        <span
          className="flex shrink-0 items-center gap-0.5 font-mono text-xs"
          title={count(comments, 'comment')}
        >
          <MessageSquare size={11} aria-hidden="true" />
          {comments}
          <span className="sr-only"> {comments === 1 ? 'comment' : 'comments'}</span>
        </span>
      )}
      {viewed && (
        <span title="Viewed" className="shrink-0">
          <Check size={12} aria-hidden="true" />
          <span className="sr-only">viewed</span>
        </span>
      )}
      <span className="shrink-0 font-medium font-mono text-fg-2 text-xs">
        {file.insertions === null ? (
          'binary'
        ) : (
          <>
            {(file.insertions > 0 || (file.deletions === 0 && file.notes.length === 0)) &&
              `+${file.insertions}`}
            {file.deletions !== null && file.deletions > 0 && ` −${file.deletions}`}
          </>
        )}
      </span>
    </>
  )
}
