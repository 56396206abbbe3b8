/** What agents changed: files and commands by agent or by message, the changes of the selected file, and their undo. */
import { FolderGit2, Redo2, Undo2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import type { ChangesList } from '../../../shared/changes/changes.ts'
import { changesTotalsOf } from '../../../shared/changes/changes-amounts.ts'
import {
  askUndo,
  focusChanges,
  forgetWantedPath,
  showChanges,
  useChanges,
} from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { openFile, showNotice, useStatusText } from '../../stores/overlay-store.ts'
import { useRoom } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { askAgent, Lines } from './change-rows-view.tsx'
import { askFile, ChangedFile } from './changed-file.tsx'
import { ChangesRows } from './changes-list.tsx'
import { changesRowsOf, type FileRow, type Grouping } from './changes-rows.ts'
import { UndoPanel } from './undo-preview.tsx'

const KEY_HINTS = 'J K files · N P changes · U undoes · Shift U an agent · O opens in the editor'

interface ChangesViewProps {
  /** Shown first in the bar. */
  readonly lead?: ReactNode
}

export function ChangesView({ lead }: ChangesViewProps) {
  const list = useChanges((state) => state.list)
  const failure = useChanges((state) => state.failure)
  const room = useRoom()
  const isEmpty = list === null || (list.agents.length === 0 && list.user.length === 0)
  useStatusText({ start: null, end: room === 'wide' && !isEmpty ? KEY_HINTS : null })
  if (!isEmpty) return <Listed list={list} failure={failure} lead={lead} />
  return (
    <section aria-label="Changes" className="flex min-h-0 min-w-0 flex-1 flex-col">
      {lead !== undefined && <header className={BAR}>{lead}</header>}
      <div className="flex min-h-0 flex-1">
        <EmptyState icon={FolderGit2} title={failure !== null ? 'Changes can’t be listed' : 'No changes'}>
          {failure ?? (list === null ? <Spinner /> : 'Files that agents change are listed here.')}
        </EmptyState>
      </div>
      <UndoPanel />
    </section>
  )
}

const BAR = 'flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-2.5 text-sm'

interface ListedProps extends ChangesViewProps {
  readonly list: ChangesList
  readonly failure: string | null
}

function Listed({ list, failure, lead }: ListedProps) {
  const [grouping, setGrouping] = useState<Grouping>('agent')
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => changesRowsOf(list, grouping, folded), [list, grouping, folded])
  const files = useMemo(() => rows.filter((row) => row.kind === 'file'), [rows])
  const { selected, select } = useSelected(files)
  const section = useRef<HTMLElement>(null)
  const folder = useConversation((state) => state.record?.folder ?? '')
  const actions = useMemo(
    () => ({
      onSelect: select,
      onFold: (key: string) =>
        setFolded((now) =>
          now.has(key) ? new Set([...now].filter((one) => one !== key)) : new Set([...now, key]),
        ),
      byMessage: grouping === 'message',
    }),
    [select, grouping],
  )
  const onKeyDown = useKeys({ files, selected, select, section, folder })
  return (
    <section
      ref={section}
      aria-label="Changes"
      onKeyDown={onKeyDown}
      className="@container flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0"
    >
      <Bar list={list} grouping={grouping} onGroup={setGrouping} lead={lead} />
      {failure !== null && (
        <p role="alert" className="px-3 py-1 text-bad text-sm">
          {failure}
        </p>
      )}
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(220px,38%)_minmax(0,1fr)] @max-[520px]:grid-cols-1 @max-[520px]:grid-rows-2">
        <ChangesRows rows={rows} selected={selected?.key ?? null} actions={actions} />
        {selected === null ? (
          <p className="p-3 text-fg-2 text-sm">Select a file to see its changes.</p>
        ) : (
          <ChangedFile list={list} file={selected} />
        )}
      </div>
      <UndoPanel />
    </section>
  )
}

/** The selected file: one that another part of the window asked for, the user's choice, or the first one. */
function useSelected(files: readonly FileRow[]) {
  const wantedPath = useChanges((state) => state.wantedPath)
  const [key, setKey] = useState<string | null>(null)
  const select = useCallback((next: string) => {
    forgetWantedPath()
    setKey(next)
  }, [])
  const wanted = wantedPath === null ? undefined : files.find(({ path }) => path === wantedPath)
  return { selected: wanted ?? files.find((file) => file.key === key) ?? files[0] ?? null, select }
}

interface KeyOptions {
  readonly files: readonly FileRow[]
  readonly selected: FileRow | null
  readonly select: (key: string) => void
  readonly section: React.RefObject<HTMLElement | null>
  /** The conversation's folder. */
  readonly folder: string
}

function useKeys({ files, selected, select, section, folder }: KeyOptions) {
  const diff = () => section.current?.querySelector<HTMLElement>('[data-diff]') ?? null
  const move = (direction: 1 | -1) => {
    const next = files[files.findIndex((file) => file.key === selected?.key) + direction]
    if (next !== undefined) select(next.key)
    focusChanges()
  }
  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return
    if (target.closest('input, textarea, select, [role="dialog"], [role="menu"]')) return
    const isInList = target.dataset['fileRow'] !== undefined
    const isInDiff = target.closest('[data-diff]') !== null
    if (key === 'j' || (key === 'ArrowDown' && isInList)) move(1)
    else if (key === 'k' || (key === 'ArrowUp' && isInList)) move(-1)
    else if (key === 'n') goToChange(diff(), 1)
    else if (key === 'p') goToChange(diff(), -1)
    else if (key === 'U') selected !== null && askAgent(selected.agent)
    else if (key === 'u') selected !== null && mayUndo(selected) && askFile(selected)
    else if (key === 'o') selected !== null && open(selected, folder)
    else if (key === 'Enter' && isInList) diff()?.focus()
    else if (key === 'Escape' && isInDiff) focusChanges()
    else if (key === 'Escape') {
      showChanges(false)
      focusComposer()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

function mayUndo({ undone, cannot }: FileRow): boolean {
  if (undone) showNotice({ level: 'info', text: 'This change is already undone.' })
  else if (cannot !== null) showNotice({ level: 'info', text: `This can’t be undone: ${cannot}` })
  return !undone && cannot === null
}

function open({ path, agent, letter, undone }: FileRow, folder: string): void {
  if ((letter === 'D') !== undone) showNotice({ level: 'info', text: 'The file does not exist now.' })
  else void openFile(agent.worktree?.path ?? folder, path)
}

/** Moves the focus to the next or previous run of changed lines. */
function goToChange(diff: HTMLElement | null, direction: 1 | -1): void {
  const changes = [...(diff?.querySelectorAll<HTMLElement>('[data-change]') ?? [])]
  const now = changes.findIndex((change) => change.contains(document.activeElement))
  const next = changes[now === -1 ? (direction === 1 ? 0 : changes.length - 1) : now + direction]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'center' })
}

interface BarProps {
  readonly list: ChangesList
  readonly grouping: Grouping
  readonly onGroup: (grouping: Grouping) => void
  readonly lead: ReactNode
}

function Bar({ list, grouping, onGroup, lead }: BarProps) {
  const totals = useMemo(() => changesTotalsOf(list), [list])
  return (
    <header className={BAR}>
      <h2 className="sr-only">Changes of agents</h2>
      {lead}
      <Segmented<Grouping>
        label="Group changes"
        value={grouping}
        options={[
          { value: 'agent', label: 'By agent' },
          { value: 'message', label: 'By message' },
        ]}
        onChange={onGroup}
      />
      <span className="flex-1" />
      <span className="@max-[600px]:hidden">
        <Lines added={totals.added} removed={totals.removed} />
      </span>
      <Button
        variant="quiet"
        disabled={!totals.canUndo}
        aria-label="Undo all…"
        onClick={() => askUndo({ kind: 'undo', scope: { kind: 'all' }, title: 'Undo all changes of agents' })}
      >
        <Undo2 size={13} aria-hidden="true" />
        <span className="@max-[540px]:hidden">Undo all…</span>
      </Button>
      <Button
        variant="quiet"
        className="-mr-1.5"
        disabled={list.redo === null}
        aria-label="Redo…"
        onClick={() => askUndo({ kind: 'redo', title: 'Redo the last undo' })}
      >
        <Redo2 size={13} aria-hidden="true" />
        <span className="@max-[540px]:hidden">Redo…</span>
      </Button>
    </header>
  )
}
