/** The changed files of a worktree, as a tree of folders when they are many. Only visible rows are in the page. */
import { FolderTree, Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useDeferredValue,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ReviewChanges, ReviewFile } from '../../../../shared/worktrees/review.ts'
import { IconButton } from '../../../ui/button.tsx'
import { count } from '../../../ui/text/format.ts'
import { useViewed } from '../diff-options.ts'
import { useReviewDraft } from '../review-comments.ts'
import { FileEntry, FolderRow } from './file-row.tsx'
import { foldersAbove, type TreeRow, treeRows } from './file-tree.ts'
import { PathList } from './path-list.tsx'

export interface FileListHandle {
  focus(): void
  focusSearch(): void
}

interface FileListProps {
  readonly changes: ReviewChanges
  readonly path: string | null
  readonly draftKey: string
  /** Beside the heading. */
  readonly menu: ReactNode
  readonly onSelect: (path: string) => void
  /** Moves the focus to the lines of the selected file. */
  readonly onEnter: () => void
  /** Moves the focus back to the worktrees. */
  readonly onLeave: () => void
  readonly handle: Ref<FileListHandle>
}

/** From this many files on, there is a search field, and folders are shown as a tree. */
const MANY = 12
/** Rows that Page up and Page down move by. */
const PAGE = 20

export function FileList(props: FileListProps) {
  const { changes, path, draftKey, menu, onSelect, onEnter, onLeave, handle } = props
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const { query, setQuery, files } = useFileSearch(changes.files)
  const comments = useCommentCounts(draftKey)
  const isViewed = useViewed(draftKey)
  const viewed = changes.files.filter(isViewed).length
  const tree = useFileTree(changes.files)
  const isTree = tree.isShown && query.trim() === ''
  const { closed } = tree
  const rows = useMemo(
    (): readonly TreeRow<ReviewFile>[] =>
      isTree
        ? treeRows(files, closed)
        : files.map((file) => ({ kind: 'file', path: file.path, level: 1, file })),
    [isTree, files, closed],
  )
  const { active, select, openFolder, onKeyDown } = useListKeys({
    rows,
    path,
    tree,
    onSelect,
    onEnter,
    onLeave,
  })
  useImperativeHandle(handle, () => ({
    focus: () => list.current?.focus({ preventScroll: true }),
    focusSearch: () => search.current?.focus(),
  }))
  return (
    <div className="flex min-h-0 flex-1 flex-col pt-2">
      <div className="flex h-[1.375rem] items-center justify-between gap-2 pr-2 pl-3.5">
        <h2 className="side-heading min-w-0 truncate">
          Files
          {changes.files.length > 0 &&
            (viewed > 0
              ? ` · ${viewed.toLocaleString('en')} of ${changes.files.length.toLocaleString('en')} viewed`
              : ` · ${changes.files.length.toLocaleString('en')}`)}
        </h2>
        <span className="flex min-w-0 shrink-[9] items-center gap-1">
          {menu}
          {changes.files.length > 1 && (
            <IconButton
              icon={FolderTree}
              label="Folders as a tree"
              pressed={tree.isShown}
              onClick={tree.toggle}
            />
          )}
        </span>
      </div>
      {changes.files.length >= MANY && (
        <FileSearch
          fieldRef={search}
          query={query}
          onQuery={setQuery}
          onLeave={() => {
            if (rows.every((row) => row.path !== path)) select(0)
            list.current?.focus()
          }}
        />
      )}
      <PathList
        label="Files"
        keys="J K Enter"
        scrollerClassName="min-h-0 flex-1 overflow-y-auto"
        rowClassName="flex items-center gap-1.5"
        files={rows}
        active={active}
        {...{ path, list, onKeyDown }}
        {...(isTree && { placeOf })}
        onSelect={(chosen) => {
          const row = rows.find((one) => one.path === chosen)
          if (row?.kind === 'folder') openFolder(row.path, !row.isOpen)
          else onSelect(chosen)
        }}
        renderRow={(row) =>
          row.kind === 'folder' ? (
            <FolderRow {...row} />
          ) : (
            <FileEntry
              file={row.file}
              comments={comments.get(row.path) ?? 0}
              viewed={isViewed(row.file)}
              level={isTree ? row.level : null}
            />
          )
        }
        empty={
          <p className="px-3.5 py-1 text-fg-2 text-sm">
            {changes.files.length === 0 ? 'No files changed.' : 'No matching files.'}
          </p>
        }
      >
        {changes.moreFiles > 0 && (
          <p className="px-3.5 py-2 text-fg-2 text-sm">
            {count(changes.moreFiles, 'more file')} not listed here. A merge includes{' '}
            {changes.moreFiles === 1 ? 'it' : 'them'}.
          </p>
        )}
      </PathList>
    </div>
  )
}

const placeOf = (row: TreeRow<ReviewFile>) => ({
  level: row.level,
  isOpen: row.kind === 'folder' ? row.isOpen : null,
})

/** Whether folders are shown as a tree (chosen by the user, or by the number of files), and which are closed. */
function useFileTree(files: readonly ReviewFile[]) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(TREE_KEY))
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const isShown = chosen === null ? files.length >= MANY : chosen === 'tree'
  return {
    isShown,
    closed,
    setClosed,
    toggle: () => {
      const next = isShown ? 'list' : 'tree'
      localStorage.setItem(TREE_KEY, next)
      setChosen(next)
    },
  }
}

const TREE_KEY = 'review-file-tree'

interface ListKeysOptions extends Pick<FileListProps, 'path' | 'onSelect' | 'onEnter' | 'onLeave'> {
  readonly rows: readonly TreeRow<ReviewFile>[]
  readonly tree: ReturnType<typeof useFileTree>
}

/** J and K move between files, the arrow keys also to folders, which they open and close. */
function useListKeys({ rows, path, tree, onSelect, onEnter, onLeave }: ListKeysOptions) {
  /** The folder that the keys act on; null: the selected file. */
  const [folder, setFolder] = useState<string | null>(null)
  const { setClosed } = tree
  // A file that is selected elsewhere, such as with N, becomes visible.
  useEffect(() => {
    setFolder(null)
    if (path === null) return
    const above = foldersAbove(path)
    setClosed((closed) =>
      above.some((one) => closed.has(one))
        ? new Set([...closed].filter((one) => !above.includes(one)))
        : closed,
    )
  }, [path, setClosed])
  const active = rows.some((row) => row.path === folder) ? folder : path
  const at = rows.findIndex((row) => row.path === active)
  const row = rows[at]
  const goTo = (to: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, to))]
    setFolder(next?.kind === 'folder' ? next.path : null)
    if (next?.kind === 'file') onSelect(next.path)
  }
  const goToFile = (direction: 1 | -1) => {
    const isFile = (one: TreeRow<ReviewFile>) => one.kind === 'file'
    const next =
      direction === 1
        ? rows.findIndex((one, index) => index > at && isFile(one))
        : rows.findLastIndex((one, index) => index < at && isFile(one))
    if (next !== -1) goTo(next)
  }
  const openFolder = (opened: string, isOpen: boolean) => {
    setFolder(opened)
    setClosed((closed) => {
      const next = new Set(closed)
      if (isOpen) next.delete(opened)
      else next.add(opened)
      return next
    })
  }
  const goRight = () => {
    if (row?.kind !== 'folder') onEnter()
    else if (row.isOpen) goTo(at + 1)
    else openFolder(row.path, true)
  }
  const goLeft = () => {
    if (row?.kind === 'folder' && row.isOpen) return openFolder(row.path, false)
    const parent = rows.findLastIndex((one, index) => index < at && one.level < (row?.level ?? 1))
    if (parent === -1) onLeave()
    else goTo(parent)
  }
  const enter = () => (row?.kind === 'folder' ? openFolder(row.path, !row.isOpen) : onEnter())
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (key === 'j' || key === 'k') goToFile(key === 'j' ? 1 : -1)
    else if (key === 'ArrowDown' || key === 'ArrowUp') goTo(at + (key === 'ArrowDown' ? 1 : -1))
    else if (key === 'PageDown' || key === 'PageUp') goTo(at + (key === 'PageDown' ? PAGE : -PAGE))
    else if (key === 'Home') goTo(0)
    else if (key === 'End') goTo(rows.length - 1)
    else if (key === 'Enter') enter()
    else if (key === 'ArrowRight') goRight()
    else if (key === 'ArrowLeft') goLeft()
    else if (key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return { active, select: goTo, openFolder, onKeyDown }
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
