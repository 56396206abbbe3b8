/** The rows of the agent list. Virtualized: only visible rows are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { Copy, CopyPlus, FileSearch, Lock, Pencil, Plus, SquarePen, Trash2 } from 'lucide-react'
import { memo, type RefObject, useEffect, useRef } from 'react'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { revealPath, showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { IconButton } from '../../ui/button.tsx'
import { ContextMenu, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import type { ListKeys } from './catalog-list-keys.ts'
import { type CatalogRow, type EntryState, entryState, shownName } from './catalog-rows.ts'
import { lockReason, startRename, trashDefinition } from './definition-files.ts'
import { showDialog, useEditor } from './editor-store.ts'
import { shownDefinitionPath } from './shown-path.ts'

interface CatalogListRowsProps {
  readonly rows: readonly CatalogRow[]
  readonly list: ListKeys
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly unsaved: ReadonlySet<string>
}

export function CatalogListRows({ rows, list, scroller, unsaved }: CatalogListRowsProps) {
  const selected = useEditor((state) => state.selected)
  const activeIndex = rows.findIndex(({ key }) => key === list.active)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => heightOf(rows[index], index),
    overscan: 12,
    // The row with the focus is always rendered.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = Array.from({ length: to - from + 1 }, (_, step) => from + step)
      return activeIndex === -1 || (activeIndex >= from && activeIndex <= to)
        ? rendered
        : [...rendered, activeIndex].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights depend on the rows and the text size
  useEffect(() => virtualizer.measure(), [virtualizer, rows])
  const { moved } = list
  useEffect(() => {
    if (activeIndex !== -1 && moved > 0) virtualizer.scrollToIndex(activeIndex, { align: 'auto' })
  }, [virtualizer, activeIndex, moved])
  return (
    // biome-ignore lint/a11y/useSemanticElements: items are positioned one by one, which <ul> does not allow
    <div role="list" aria-label="Agents" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => {
        const row = rows[item.index]
        if (row === undefined) return null
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            key={item.key}
            role="listitem"
            className="absolute left-0 w-full"
            style={{ height: item.size, transform: `translateY(${item.start}px)` }}
          >
            {row.kind === 'group' ? (
              <GroupRow row={row} />
            ) : (
              <EntryRow
                entry={row.entry}
                showsPath={row.showsPath}
                where={row.where}
                isUnsaved={unsaved.has(row.key)}
                isSelected={row.key === selected}
                isActive={row.key === list.active}
                moved={moved}
                focusWanted={list.focusWanted}
                onOpen={list.open}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

function heightOf(row: CatalogRow | undefined, index: number): number {
  if (row?.kind !== 'group') return row?.showsPath ? 40 : 26
  return (row.isEmpty ? 50 : 28) + (index === 0 ? 2 : 6)
}

function GroupRow({ row }: { readonly row: Extract<CatalogRow, { kind: 'group' }> }) {
  const { title, source, isEmpty } = row
  return (
    <div className="flex h-full flex-col justify-end">
      <div className="flex h-7 items-center justify-between pr-2.5 pl-3.5">
        <h2 className="side-heading truncate">{title}</h2>
        {source !== null && (
          <IconButton
            label={source === 'project' ? 'New project agent' : 'New user agent'}
            icon={Plus}
            onClick={() => showDialog({ kind: 'new', source })}
          />
        )}
      </div>
      {isEmpty && <p className="h-[1.375rem] truncate px-3.5 text-fg-2 text-sm">None yet.</p>}
    </div>
  )
}

/** An agent in the list, with its context menu. */
interface EntryRowProps {
  readonly entry: CatalogEntry
  readonly showsPath: boolean
  readonly where: string | null
  readonly isUnsaved: boolean
  readonly isSelected: boolean
  /** Whether the Tab key reaches this row. */
  readonly isActive: boolean
  readonly moved: number
  readonly focusWanted: RefObject<boolean>
  readonly onOpen: (id: string) => void
}

const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { entry, showsPath, where, isUnsaved, isSelected, isActive, moved, focusWanted, onOpen } = props
  const button = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move may take the focus again
  useEffect(() => {
    if (!isActive || !focusWanted.current) return
    focusWanted.current = false
    button.current?.focus({ preventScroll: true })
  }, [isActive, moved, focusWanted])
  const state = entryState(entry, isUnsaved)
  return (
    <ContextMenu
      area={
        <button
          ref={button}
          type="button"
          data-entry={entry.id}
          data-state={state.kind}
          tabIndex={isActive ? 0 : -1}
          aria-current={isSelected ? 'page' : undefined}
          onClick={() => onOpen(entry.id)}
          title={titleOf(entry)}
          style={agentStyle(entry.color)}
          className={classNames(
            'grid h-full w-full grid-cols-[8px_minmax(0,1fr)_auto] items-center gap-2.5 px-3.5 text-left text-sm focus-visible:-outline-offset-2',
            isSelected ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
          )}
        >
          <Mark kind={state.kind} />
          <Name entry={entry} kind={state.kind} showsPath={showsPath} />
          <StateLabel state={state} where={where} />
        </button>
      }
    >
      <EntryMenu entry={entry} onOpen={onOpen} />
    </ContextMenu>
  )
})

function Mark({ kind }: { readonly kind: EntryState['kind'] }) {
  const shape =
    kind === 'broken' || kind === 'waits'
      ? 'rotate-45 rounded-[2px] bg-needs-you'
      : kind === 'shadowed'
        ? 'rounded-full bg-fg-3'
        : kind === 'no-agent'
          ? 'rounded-full border-[1.5px] border-fg-3'
          : 'rounded-full bg-agent'
  return <span aria-hidden="true" className={classNames('size-2', shape)} />
}

interface NameProps extends Pick<EntryRowProps, 'entry' | 'showsPath'> {
  readonly kind: EntryState['kind']
}

function Name({ entry, kind, showsPath }: NameProps) {
  const folder = useSession((state) => state.folder?.path ?? '')
  return (
    <span className="min-w-0">
      <span className={classNames('block truncate', kind === 'shadowed' && 'text-fg-2 line-through')}>
        {shownName(entry)}
      </span>
      {showsPath && (
        // Cut at its start: paths of namesakes differ at the end.
        <span dir="rtl" className="block truncate text-left font-mono text-2xs text-fg-2 leading-tight">
          <bdi dir="ltr">{shownDefinitionPath(entry, folder)}</bdi>
        </span>
      )}
    </span>
  )
}

function StateLabel({ state, where }: { readonly state: EntryState; readonly where: string | null }) {
  const { kind } = state
  const label = state.label || where
  return (
    <span
      className={classNames(
        'flex items-center gap-1.5 whitespace-nowrap text-xs',
        kind === 'broken' || kind === 'waits' ? 'text-needs-you' : 'text-fg-2',
      )}
    >
      {kind === 'unsaved' && <span aria-hidden="true" className="size-1.5 rounded-full bg-fg-2" />}
      {label}
    </span>
  )
}

function titleOf({ description, path, diagnostics }: CatalogEntry): string {
  const worst = diagnostics.find(({ severity }) => severity !== 'notice')
  const problem = worst === undefined ? '' : `\nLine ${worst.line}: ${worst.message}`
  return `${path}${description === '' ? '' : `\n${description}`}${problem}`
}

function EntryMenu({ entry, onOpen }: Pick<EntryRowProps, 'entry' | 'onOpen'>) {
  const { id, file, locked } = entry
  const copyPath = async () => {
    const copied = file !== null && (await copyText(file))
    showNotice(
      copied
        ? { level: 'info', text: `Copied ${file}.` }
        : { level: 'error', text: 'Could not copy to the clipboard.' },
    )
  }
  return (
    <>
      <MenuItem icon={SquarePen} keys="Enter" onSelect={() => onOpen(id)}>
        Open
      </MenuItem>
      <MenuItem icon={CopyPlus} onSelect={() => showDialog({ kind: 'duplicate', id, source: 'project' })}>
        Duplicate to project…
      </MenuItem>
      <MenuItem icon={CopyPlus} onSelect={() => showDialog({ kind: 'duplicate', id, source: 'user' })}>
        Duplicate to user…
      </MenuItem>
      {!locked && (
        <MenuItem icon={Pencil} keys="F2" onSelect={() => startRename(id)}>
          Rename…
        </MenuItem>
      )}
      {file !== null && (
        <>
          <MenuSeparator />
          <MenuItem icon={FileSearch} onSelect={() => void revealPath(file)}>
            Show in file manager
          </MenuItem>
          <MenuItem icon={Copy} onSelect={() => void copyPath()}>
            Copy path
          </MenuItem>
        </>
      )}
      <MenuSeparator />
      {locked ? (
        <MenuNote>
          <Lock size={11} aria-hidden="true" className="mr-1 inline align-[-1px]" />
          Locked: {lockReason(entry)}
        </MenuNote>
      ) : (
        <MenuItem icon={Trash2} danger keys="Del" onSelect={() => void trashDefinition(id)}>
          Move to trash
        </MenuItem>
      )}
    </>
  )
}
