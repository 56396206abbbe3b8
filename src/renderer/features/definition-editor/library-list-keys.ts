/** The keys of the list: from row to row, into the search and out of it, and what can be done with an agent. */
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { askToRename, trashDefinition } from './definition-files.ts'
import { useEditor } from './editor-store.ts'
import type { LibraryRow } from './library-rows.ts'
import { selectDefinition } from './open-definition.ts'

export interface ListKeys {
  /** The key of the row that has, or would get, the focus. */
  readonly active: string | null
  /** Grows with each move by keys. */
  readonly moved: number
  /** Whether the active row is to take the focus. */
  readonly focusWanted: RefObject<boolean>
  open(id: string): void
  openFirst(): void
  enterAt(where: 'first' | 'selected'): void
  onKeyDown(event: KeyboardEvent): void
  onKeyUp(event: KeyboardEvent): void
}

interface ListParts {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly search: RefObject<HTMLInputElement | null>
  readonly onEnter: () => void
  readonly setQuery: (query: string) => void
}

/** Arrow keys go from row to row and show what they come to; while one is held down, only when it is let go. */
export function useListKeys(rows: readonly LibraryRow[], parts: ListParts): ListKeys {
  const { scroller, search, onEnter, setQuery } = parts
  const selected = useEditor((state) => state.selected)
  const [at, setAt] = useState<string | null>(null)
  const [moved, setMoved] = useState(0)
  const focusWanted = useRef(false)
  const heldAt = useRef<string | null>(null)
  const ids = useMemo(() => rows.flatMap((row) => (row.kind === 'entry' ? [row.key] : [])), [rows])
  const active =
    at !== null && ids.includes(at) ? at : selected !== null && ids.includes(selected) ? selected : ids[0]

  const focusAt = useCallback((id: string | null) => {
    focusWanted.current = true
    setAt(id)
    setMoved((times) => times + 1)
  }, [])
  const wish = useEditor((state) => state.listWish)
  const seen = useRef(wish)
  useEffect(() => {
    if (wish === seen.current) return
    seen.current = wish
    // After the dialog, which gives the focus back to where it was.
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => focusAt(null)))
    return () => cancelAnimationFrame(frame)
  }, [wish, focusAt])
  const go = (id: string | undefined, isHeld: boolean) => {
    if (id === undefined) return
    focusAt(id)
    if (isHeld) heldAt.current = id
    else void selectDefinition(id)
  }
  const open = useCallback((id: string) => {
    setAt(id)
    void selectDefinition(id)
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
      event.preventDefault()
      search.current?.focus()
      search.current?.select()
      return
    }
    const row = event.target instanceof HTMLElement ? event.target.closest('[data-entry]') : null
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return
    const index = active === undefined ? -1 : ids.indexOf(active)
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / 26) - 1)
    const target = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key]
    if (target !== undefined) go(ids[Math.max(0, Math.min(ids.length - 1, index + target))], event.repeat)
    else if (event.key === 'Home') go(ids[0], false)
    else if (event.key === 'End') go(ids.at(-1), false)
    else if (event.key === 'Enter') onEnter()
    else if (event.key === 'F2' && active) askToRename(active)
    else if (event.key === 'Delete' && active) void trashDefinition(active)
    else if (event.key === '/') search.current?.focus()
    else if (event.key.length === 1 && event.key !== ' ') {
      setQuery(event.key)
      search.current?.focus()
    } else return
    event.preventDefault()
  }
  const onKeyUp = () => {
    if (heldAt.current !== null) void selectDefinition(heldAt.current)
    heldAt.current = null
  }
  return {
    active: active ?? null,
    moved,
    focusWanted,
    open,
    openFirst: () => go(ids[0], false),
    enterAt: (where) => focusAt((where === 'first' ? ids[0] : active) ?? null),
    onKeyDown,
    onKeyUp,
  }
}
