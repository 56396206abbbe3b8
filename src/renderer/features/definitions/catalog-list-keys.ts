/** The keys of the agent list: moving between rows, the search, and actions on an agent. */
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { CatalogRow } from './catalog-rows.ts'
import { startRename, trashDefinition } from './definition-files.ts'
import { useEditor } from './editor-store.ts'
import { selectDefinition } from './open-definition.ts'

export interface ListKeys {
  /** The key of the row that has the focus or takes it next. */
  readonly active: string | null
  /** Increases with each move by keys. */
  readonly moved: number
  /** Whether the active row takes the focus when it renders. */
  readonly focusWanted: RefObject<boolean>
  open(id: string): void
  /** Opens an agent and moves the focus to its row; nothing without an id. */
  openRow(id: string | undefined): void
  focusRow(row: 'first' | 'selected'): void
  onKeyDown(event: KeyboardEvent): void
  onKeyUp(event: KeyboardEvent): void
}

interface ListKeyOptions {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly search: RefObject<HTMLInputElement | null>
  readonly onEnter: () => void
  readonly setQuery: (query: string) => void
}

/** Arrow keys move between rows and open each agent; while a key is held down, only the last agent opens. */
export function useListKeys(rows: readonly CatalogRow[], options: ListKeyOptions): ListKeys {
  const { scroller, search, onEnter, setQuery } = options
  const selected = useEditor((state) => state.selected)
  const [current, setCurrent] = useState<string | null>(null)
  const [moved, setMoved] = useState(0)
  const focusWanted = useRef(false)
  /** The row reached while a key is held down. */
  const heldRow = useRef<string | null>(null)
  const ids = useMemo(() => idsOf(rows), [rows])
  const active =
    current !== null && ids.includes(current)
      ? current
      : selected !== null && ids.includes(selected)
        ? selected
        : ids[0]

  const focus = useCallback((id: string | null) => {
    focusWanted.current = true
    setCurrent(id)
    setMoved((times) => times + 1)
  }, [])
  const requests = useEditor((state) => state.listFocusRequests)
  const handled = useRef(requests)
  useEffect(() => {
    if (requests === handled.current) return
    handled.current = requests
    // Runs after a closing dialog has returned the focus.
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => focus(null)))
    return () => cancelAnimationFrame(frame)
  }, [requests, focus])
  const moveTo = (id: string | undefined, isHeld: boolean) => {
    if (id === undefined) return
    focus(id)
    if (isHeld) heldRow.current = id
    else void selectDefinition(id)
  }
  const open = useCallback((id: string) => {
    setCurrent(id)
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
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key]
    if (step !== undefined) moveTo(ids[Math.max(0, Math.min(ids.length - 1, index + step))], event.repeat)
    else if (event.key === 'Home') moveTo(ids[0], false)
    else if (event.key === 'End') moveTo(ids.at(-1), false)
    else if (event.key === 'Enter') onEnter()
    else if (event.key === 'F2' && active) startRename(active)
    else if (event.key === 'Delete' && active) void trashDefinition(active)
    else if (event.key === '/') search.current?.focus()
    else if (event.key.length === 1 && event.key !== ' ') {
      setQuery(event.key)
      search.current?.focus()
    } else return
    event.preventDefault()
  }
  const onKeyUp = () => {
    if (heldRow.current !== null) void selectDefinition(heldRow.current)
    heldRow.current = null
  }
  return {
    active: active ?? null,
    moved,
    focusWanted,
    open,
    openRow: (id) => moveTo(id, false),
    focusRow: (row) => focus((row === 'first' ? ids[0] : active) ?? null),
    onKeyDown,
    onKeyUp,
  }
}

/** The ids of the agents in the rows, in order. */
export function idsOf(rows: readonly CatalogRow[]): readonly string[] {
  return rows.flatMap((row) => (row.kind === 'entry' ? [row.key] : []))
}
