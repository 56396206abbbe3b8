/** The changed files of a worktree. Virtualized: only visible rows are in the page. */
import { Check, MessageSquare, Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type Ref,
  useDeferredValue,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ReviewChanges, ReviewFile } from '../../../../shared/worktrees/review.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { PathText, VisibleText } from '../../../ui/text/visible-text.tsx'
import { useViewed } from '../diff-options.ts'
import { useReviewDraft } from '../review-comments.ts'
import { PathList } from './path-list.tsx'

export interface FileListHandle {
  focus(): void
  focusSearch(): void
}

interface FileListProps {
  readonly changes: ReviewChanges
  readonly path: string | null
  readonly draftKey: string
  readonly onSelect: (path: string) => void
  /** Moves the focus to the lines of the selected file. */
  readonly onEnter: () => void
  /** Moves the focus back to the worktrees. */
  readonly onLeave: () => void
  readonly handle: Ref<FileListHandle>
}

/** The search field appears from this many files on. */
const SEARCHABLE = 12
/** Rows that Page up and Page down move by. */
const PAGE = 20

export function FileList(props: FileListProps) {
  const { changes, path, draftKey, onSelect, onEnter, onLeave, handle } = props
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const { query, setQuery, files } = useFileSearch(changes.files)
  const comments = useCommentCounts(draftKey)
  const isViewed = useViewed(draftKey)
  const viewed = changes.files.filter(isViewed).length
  const selected = files.findIndex((file) => file.path === path)
  useImperativeHandle(handle, () => ({
    focus: () => list.current?.focus({ preventScroll: true }),
    focusSearch: () => search.current?.focus(),
  }))
  const select = (to: number) => {
    const next = files[Math.max(0, Math.min(files.length - 1, to))]
    if (next !== undefined) onSelect(next.path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown' || event.key === 'j') select(selected + 1)
    else if (event.key === 'ArrowUp' || event.key === 'k') select(selected - 1)
    else if (event.key === 'PageDown') select(selected + PAGE)
    else if (event.key === 'PageUp') select(selected - PAGE)
    else if (event.key === 'Home') select(0)
    else if (event.key === 'End') select(files.length - 1)
    else if (event.key === 'Enter' || event.key === 'ArrowRight') onEnter()
    else if (event.key === 'ArrowLeft' || event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex h-full min-h-0 flex-col pt-2">
      <h2 className="side-heading px-3.5 py-1">
        Files
        {changes.files.length > 0 &&
          (viewed > 0
            ? ` · ${viewed.toLocaleString('en')} of ${changes.files.length.toLocaleString('en')} viewed`
            : ` · ${changes.files.length.toLocaleString('en')}`)}
      </h2>
      {changes.files.length >= SEARCHABLE && (
        <FileSearch
          fieldRef={search}
          query={query}
          onQuery={setQuery}
          onLeave={() => {
            if (selected === -1) select(0)
            list.current?.focus()
          }}
        />
      )}
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        {files.length === 0 ? (
          <p className="px-3.5 py-1 text-fg-2 text-sm">
            {changes.files.length === 0 ? 'No files changed.' : 'No matching files.'}
          </p>
        ) : (
          <PathList
            label="Files"
            keys="J K Enter"
            rowClassName="flex items-center gap-1.5"
            {...{ files, path, scroller, list, onSelect, onKeyDown }}
            renderRow={(file) => (
              <FileRow file={file} comments={comments.get(file.path) ?? 0} viewed={isViewed(file)} />
            )}
          />
        )}
        {changes.moreFiles > 0 && (
          <p className="px-3.5 py-2 text-fg-2 text-sm">
            {count(changes.moreFiles, 'more file')} not listed here. A merge includes{' '}
            {changes.moreFiles === 1 ? 'it' : 'them'}.
          </p>
        )}
      </div>
    </div>
  )
}

function useCommentCounts(draftKey: string): ReadonlyMap<string, number> {
  const { comments } = useReviewDraft(draftKey)
  return useMemo(() => {
    const counts = new Map<string, number>()
    for (const { path } of comments) counts.set(path, (counts.get(path) ?? 0) + 1)
    return counts
  }, [comments])
}

/** The files whose path contains the query, ignoring case. */
function useFileSearch(all: readonly ReviewFile[]) {
  const [query, setQuery] = useState('')
  const sought = useDeferredValue(query).trim().toLowerCase()
  const files = useMemo(() => all.filter((file) => file.path.toLowerCase().includes(sought)), [all, sought])
  return { query, setQuery, files }
}

interface FileSearchProps {
  readonly fieldRef: Ref<HTMLInputElement>
  readonly query: string
  readonly onQuery: (query: string) => void
  /** Moves the focus to the list. */
  readonly onLeave: () => void
}

function FileSearch({ fieldRef, query, onQuery, onLeave }: FileSearchProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    event.stopPropagation()
    if (event.key === 'Escape' && query !== '') onQuery('')
    else if (event.key === 'ArrowDown' || event.key === 'Enter' || event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
  }
  return (
    <label className="relative mx-2.5 mb-1 block">
      <span className="sr-only">Search files</span>
      <Search
        size={12}
        strokeWidth={1.75}
        aria-hidden="true"
        className="absolute top-1/2 left-2 -translate-y-1/2 text-fg-2"
      />
      <input
        ref={fieldRef}
        type="text"
        placeholder="Search files"
        spellCheck={false}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-6 w-full rounded-[6px] border border-line bg-bg-1 pl-6 text-fg-0 text-sm outline-none focus:border-accent"
      />
    </label>
  )
}

// A file in the list: its kind of change, path, comments and line counts.

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

function FileRow({ file, comments, viewed }: FileRowProps) {
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
