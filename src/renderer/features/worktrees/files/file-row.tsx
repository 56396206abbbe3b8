/** A row of the list of files: a file with its kind of change, name and badges, or a folder of the tree. */
import { Check, ChevronDown, ChevronRight, MessageSquare } from 'lucide-react'
import type { ReviewFile } from '../../../../shared/worktrees/review.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
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

interface FileEntryProps {
  readonly file: ReviewFile
  /** Comments on the file that are not sent yet. */
  readonly comments: number
  /** Whether the user has marked this state of the file as viewed. */
  readonly viewed: boolean
  /** In a tree: from 1 on. Null: in a list, where the row shows the whole path. */
  readonly level: number | null
}

/** Narrow rows cut the folders first, then hide badges one by one. The name of the file is cut last. */
export function FileEntry({ file, comments, viewed, level }: FileEntryProps) {
  const [letter, label] = KINDS[file.kind]
  const title = [
    file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`,
    label,
    ...file.notes,
    ...(file.uncommitted ? ['not committed'] : []),
    ...(viewed ? ['viewed'] : []),
  ].join(', ')
  const slash = file.path.lastIndexOf('/') + 1
  return (
    <>
      {level !== null && <Indent level={level} />}
      <span
        title={label}
        className={classNames('w-3.5 shrink-0', file.kind === 'conflicted' ? 'font-bold text-needs-you' : '')}
      >
        <span aria-hidden="true">{letter}</span>
        <span className="sr-only">{label}</span>
      </span>
      <span dir="ltr" title={title} className={classNames('flex min-w-0 flex-1', viewed && 'text-fg-2')}>
        {level === null && slash > 0 && (
          <span className="min-w-[2.4ch] shrink-[1000000] truncate">
            <VisibleText>{file.path.slice(0, slash)}</VisibleText>
          </span>
        )}
        <span data-file-name="" className="min-w-0 shrink truncate">
          <VisibleText>{file.path.slice(slash)}</VisibleText>
        </span>
        <Badges file={file} comments={comments} viewed={viewed} title={title} />
      </span>
    </>
  )
}

/** The most important badge first, which is at the right end. One without room wraps to a line that is not shown. */
function Badges({
  file,
  comments,
  viewed,
  title,
}: Omit<FileEntryProps, 'level'> & { readonly title: string }) {
  return (
    <span
      data-badges=""
      className="ml-auto flex h-[1lh] min-w-0 shrink-[1000] flex-row-reverse flex-wrap items-center overflow-hidden"
    >
      {/* Takes the first place, so that even the next badge wraps. */}
      <span className="h-[1lh] w-0" />
      <span className="shrink-0 pl-1.5 font-medium font-mono text-fg-2 text-xs leading-[1lh]">
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
      {comments > 0 && (
        <span
          className="flex h-[1lh] shrink-0 items-center gap-0.5 pl-1.5 font-mono text-xs"
          title={count(comments, 'comment')}
        >
          <MessageSquare size={11} aria-hidden="true" />
          {comments}
          <span className="sr-only"> {comments === 1 ? 'comment' : 'comments'}</span>
        </span>
      )}
      {viewed && (
        <span title="Viewed" className="flex h-[1lh] shrink-0 items-center pl-1.5">
          <Check size={12} aria-hidden="true" />
          <span className="sr-only">viewed</span>
        </span>
      )}
      {file.uncommitted && (
        <span title="Not committed" className="flex h-[1lh] shrink-0 items-center pl-1.5">
          <span className="size-1.5 rounded-full border border-fg-2" />
          <span className="sr-only">not committed</span>
        </span>
      )}
      {file.notes.length > 0 && (
        <span className="shrink-0 pl-1.5 text-fg-2 text-xs leading-[1lh]" title={title}>
          <VisibleText>{file.notes.join(', ')}</VisibleText>
        </span>
      )}
    </span>
  )
}

interface FolderRowProps {
  readonly name: string
  readonly level: number
  readonly isOpen: boolean
  /** The number of files in it. */
  readonly files: number
}

export function FolderRow({ name, level, isOpen, files }: FolderRowProps) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <Indent level={level} />
      <Icon size={13} strokeWidth={1.75} aria-hidden="true" className="w-3.5 shrink-0" />
      <span dir="ltr" className="min-w-0 flex-1 truncate text-fg-1" title={name}>
        <VisibleText>{name}</VisibleText>
      </span>
      {!isOpen && (
        <span className="shrink-0 font-mono text-fg-2 text-xs">
          {files}
          <span className="sr-only"> {files === 1 ? 'file' : 'files'}</span>
        </span>
      )}
    </>
  )
}

const Indent = ({ level }: { readonly level: number }) =>
  level === 1 ? null : <span aria-hidden="true" className="shrink-0" style={{ width: (level - 1) * 10 }} />
