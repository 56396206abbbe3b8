/** The files of a worktree that differ from where it began. Of many only those in sight are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { MessageSquare, Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type Ref,
  useDeferredValue,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ReviewChanges, ReviewFile } from '../../../shared/review.ts'
import { useReviewDraft } from '../../stores/review-comments.ts'
import { useSession } from '../../stores/session-store.ts'
import { classNames } from '../../ui/class-names.ts'
import { count } from '../../ui/format.ts'
import { PathText } from './path-text.tsx'

export interface FileListHandle {
  focus(): void
  focusSearch(): void
}

export interface FileListProps {
  readonly changes: ReviewChanges
  readonly path: string | null
  readonly draftKey: string
  readonly onSelect: (path: string) => void
  /** To the lines of the file that is selected. */
  readonly onEnter: () => void
  /** Back to the worktrees. */
  readonly onLeave: () => void
  readonly handle: Ref<FileListHandle>
}

const ROW = 26
/** From so many files on they can be searched. */
const MANY = 12

export function FileList(props: FileListProps) {
  const { changes, path, draftKey, onSelect, onEnter, onLeave, handle } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const scale = useSession((state) => state.settings.textSize) / 100
  const [query, setQuery] = useState('')
  const sought = useDeferredValue(query).trim().toLowerCase()
  const files = useMemo(
    () => changes.files.filter((file) => file.path.toLowerCase().includes(sought)),
    [changes, sought],
  )
  const comments = useCommentCounts(draftKey)
  const at = files.findIndex((file) => file.path === path)
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => files[index]?.path ?? index,
    estimateSize: () => Math.round(ROW * scale),
    overscan: 12,
    rangeExtractor: ({ startIndex, endIndex, overscan, count: all }) => {
      const seen = new Set<number>()
      for (
        let index = Math.max(0, startIndex - overscan);
        index <= endIndex + overscan && index < all;
        index++
      )
        seen.add(index)
      if (at >= 0 && at < all) seen.add(at)
      return [...seen].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights depend on the size of the text
  useEffect(() => virtualizer.measure(), [virtualizer, scale])
  useEffect(() => {
    if (at !== -1) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [virtualizer, at])
  useImperativeHandle(handle, () => ({
    focus: () => list.current?.focus({ preventScroll: true }),
    focusSearch: () => search.current?.focus(),
  }))
  const go = (to: number) => {
    const next = files[Math.max(0, Math.min(files.length - 1, to))]
    if (next !== undefined) onSelect(next.path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown' || event.key === 'j') go(at + 1)
    else if (event.key === 'ArrowUp' || event.key === 'k') go(at - 1)
    else if (event.key === 'PageDown') go(at + 20)
    else if (event.key === 'PageUp') go(at - 20)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(files.length - 1)
    else if (event.key === 'Enter' || event.key === 'ArrowRight') onEnter()
    else if (event.key === 'ArrowLeft' || event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    event.stopPropagation()
    if (event.key === 'Escape' && query !== '') setQuery('')
    else if (event.key === 'ArrowDown' || event.key === 'Enter' || event.key === 'Escape') {
      if (at === -1) go(0)
      list.current?.focus()
    } else return
    event.preventDefault()
  }
  return (
    <div className="flex h-full min-h-0 flex-col pt-2">
      <h2 className="side-heading px-3.5 py-1">
        Files{changes.files.length > 0 && ` · ${changes.files.length.toLocaleString('en')}`}
      </h2>
      {changes.files.length >= MANY && (
        <label className="relative mx-2.5 mb-1 block">
          <span className="sr-only">Search files</span>
          <Search
            size={12}
            strokeWidth={1.75}
            aria-hidden="true"
            className="absolute top-1/2 left-2 -translate-y-1/2 text-fg-2"
          />
          <input
            ref={search}
            type="text"
            placeholder="Search files"
            spellCheck={false}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={onSearchKey}
            className="h-6 w-full rounded-[6px] border border-line bg-bg-1 pl-6 text-fg-0 text-sm outline-none focus:border-accent"
          />
        </label>
      )}
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        {files.length === 0 ? (
          <p className="px-3.5 py-1 text-fg-2 text-sm">
            {changes.files.length === 0 ? 'No file differs.' : 'No file has these words in its path.'}
          </p>
        ) : (
          <div
            ref={list}
            role="listbox"
            aria-label="Files"
            aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
            aria-keyshortcuts="J K Enter"
            tabIndex={0}
            onKeyDown={onKeyDown}
            className="group/files relative outline-none"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {virtualizer.getVirtualItems().map((item) => {
              const file = files[item.index]
              if (file === undefined) return null
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
                <div
                  key={item.key}
                  id={`${id}-${item.index}`}
                  role="option"
                  aria-selected={item.index === at}
                  aria-setsize={files.length}
                  aria-posinset={item.index + 1}
                  onClick={() => onSelect(file.path)}
                  className={classNames(
                    'absolute left-0 flex w-full items-center gap-1.5 border-l-2 pr-3 pl-3 text-sm',
                    item.index === at
                      ? 'border-l-transparent bg-bg-3 text-fg-0 group-focus-visible/files:border-l-accent'
                      : 'border-l-transparent text-fg-1 hover:bg-bg-2',
                  )}
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  <FileRow file={file} comments={comments.get(file.path) ?? 0} />
                </div>
              )
            })}
          </div>
        )}
        {changes.moreFiles > 0 && (
          <p className="px-3.5 py-2 text-fg-2 text-sm">
            {count(changes.moreFiles, 'more file')} differ{changes.moreFiles === 1 ? 's' : ''}: too many to
            show here. They are merged all the same.
          </p>
        )}
      </div>
    </div>
  )
}

const KINDS: Readonly<Record<ReviewFile['kind'], readonly [letter: string, word: string]>> = {
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
  readonly comments: number
}

function FileRow({ file, comments }: FileRowProps) {
  const [letter, word] = KINDS[file.kind]
  const title = [
    file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`,
    word,
    ...(file.uncommitted ? ['not committed'] : []),
  ].join(', ')
  return (
    <>
      <span
        title={word}
        className={classNames('w-3.5 shrink-0', file.kind === 'conflicted' ? 'font-bold text-needs-you' : '')}
      >
        <span aria-hidden="true">{letter}</span>
        <span className="sr-only">{word}</span>
      </span>
      <span title={title} className="min-w-0 flex-1">
        <PathText path={file.path} />
      </span>
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
      <span className="shrink-0 font-medium font-mono text-fg-2 text-xs">
        {file.insertions === null ? (
          'binary'
        ) : (
          <>
            {(file.insertions > 0 || file.deletions === 0) && `+${file.insertions}`}
            {file.deletions !== null && file.deletions > 0 && ` −${file.deletions}`}
          </>
        )}
      </span>
    </>
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
