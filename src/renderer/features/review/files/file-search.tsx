/** The search field above the file list. */
import { Search } from 'lucide-react'
import { type KeyboardEvent, type Ref, useDeferredValue, useMemo, useState } from 'react'
import type { ReviewFile } from '../../../../shared/review.ts'

/** The files whose path contains the query, ignoring case. */
export function useFileSearch(all: readonly ReviewFile[]) {
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

export function FileSearch({ fieldRef, query, onQuery, onLeave }: FileSearchProps) {
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
