/** The view of all conversations: filter, open, pin, archive and move to the trash, also several at once. */
import { Archive, ArchiveRestore, Download, FolderOpen, ListFilter, Pin, Plus, Trash2, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import {
  groupConversations,
  type StateFilter,
  sizeText,
  stateCounts,
  stateFilters,
  sumOf,
  useSlowFacts,
} from '../../features/conversations/conversation-groups.ts'
import { ConversationTable } from '../../features/conversations/conversation-table.tsx'
import { exportConversations } from '../../stores/conversation-actions.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { markConversations, trashConversations } from '../../stores/listed-conversations.ts'
import { revealPath, useStatusText } from '../../stores/overlay-store.ts'
import { useSnapshot, waitingIn } from '../../stores/review-store.ts'
import { leaveView, setView, useRoom, useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { timeNow } from '../../ui/machine.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { isEditable, isShortcut } from '../../ui/platform.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { count, folderName } from '../../ui/text/format.ts'

const LABELS: Readonly<Record<StateFilter, string>> = {
  all: 'All',
  'needs-you': 'Need you',
  running: 'Running',
  failed: 'Failed',
  unmerged: 'Unmerged',
  archived: 'Archived',
}
const ALL_FOLDERS = ''
const KEY_HINTS = 'J K move · X chooses · Enter opens · E archives · P pins'

export function ConversationsView() {
  const keysOf = useKeysOf()
  const room = useRoom()
  const conversations = useSession((state) => state.conversations)
  const isListed = useSession((state) => state.listed)
  const info = useSession((state) => state.info)
  const snapshot = useSnapshot()
  const [state, setState] = useState<StateFilter>('all')
  const [text, setText] = useState('')
  const [folder, setFolder] = useState(ALL_FOLDERS)
  const [current, setCurrent] = useState<string | null>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const field = useRef<HTMLInputElement>(null)
  const table = useRef<HTMLDivElement>(null)
  const { sizes, toReview } = useSlowFacts()
  const isHere = useMemo(
    () => new Set(conversations.flatMap((one) => (one.folder === snapshot?.folder ? [one.id] : []))),
    [conversations, snapshot?.folder],
  )
  const unmerged = useMemo(() => {
    const elsewhere = toReview.filter((id) => !isHere.has(id))
    return new Set([...elsewhere, ...waitingIn(snapshot).map(({ conversationId }) => conversationId)])
  }, [toReview, isHere, snapshot])
  const filter = useMemo(() => ({ text, folder: folder === ALL_FOLDERS ? null : folder }), [text, folder])
  const counts = useMemo(
    () => stateCounts(conversations, filter, unmerged),
    [conversations, filter, unmerged],
  )
  // Rows keep their places while conversations go on: only another filter, and a new or a marked one, orders them anew.
  const stamp = useMemo(
    () =>
      conversations
        .map(({ id, pinned, archived }) => `${id} ${pinned} ${archived}`)
        .sort()
        .join(),
    [conversations],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const groups = useMemo(
    () => groupConversations(conversations, { ...filter, state }, { now: timeNow(), unmerged }),
    [state, filter, stamp, state === 'unmerged' && [...unmerged].sort().join()],
  )
  const ids = groups.flatMap((group) => group.ids)
  const at = current === null ? -1 : ids.indexOf(current)
  const acted = chosen.size > 0 ? [...chosen] : current === null ? [] : [current]
  const sum = useMemo(() => sumOf(conversations, sizes), [conversations, sizes])
  const archived = conversations.filter((one) => one.archived).length
  useStatusText({
    start: `${count(conversations.length, 'conversation')}${archived === 0 ? '' : ` · ${archived.toLocaleString('en')} archived`}`,
    end: room === 'narrow' ? null : KEY_HINTS,
  })
  useEffect(() => table.current?.focus(), [])
  useEffect(() => {
    if (at === -1 && ids[0] !== undefined) setCurrent(ids[0])
  }, [at, ids])

  const move = (by: number) => setCurrent(ids[Math.max(0, Math.min(ids.length - 1, at + by))] ?? null)
  const choose = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const act = (run: (ids: readonly string[]) => Promise<void>) => {
    if (acted.length === 0) return
    // The row after those that go is the next one.
    const next =
      ids.slice(at + 1).find((id) => !acted.includes(id)) ?? ids.findLast((id) => !acted.includes(id))
    setChosen(new Set())
    setCurrent(next ?? null)
    void run(acted)
  }
  const isAll = (mark: 'pinned' | 'archived') =>
    acted.every((id) => conversations.find((one) => one.id === id)?.[mark] === true)
  const toggle = (mark: 'pinned' | 'archived') => {
    const to = !isAll(mark)
    act((all) => markConversations(all, { [mark]: to }))
  }
  const exportChosen = () => acted.length > 0 && exportConversations(acted)
  const showFiles = () =>
    acted[0] !== undefined && void revealPath(`${info.dataFolder}/conversations/${acted[0]}.jsonl`)
  const open = (id: string) => void openConversation(id).then(focusComposer)
  const clear = () => {
    setText('')
    setFolder(ALL_FOLDERS)
    setState('all')
  }
  const keys: Readonly<Record<string, () => void>> = {
    j: () => move(1),
    k: () => move(-1),
    x: () => current !== null && choose(current),
    e: () => toggle('archived'),
    p: () => toggle('pinned'),
    s: exportChosen,
    o: showFiles,
    '/': () => field.current?.focus(),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.nativeEvent.isComposing) return
    const run = actionOf(event)
    if (run === null) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  const actionOf = (event: KeyboardEvent): (() => void) | null => {
    const is = (shortcut: string) => isShortcut(event, shortcut)
    const { target } = event
    const isInField = isEditable(target)
    if (is('Escape'))
      return chosen.size > 0
        ? () => setChosen(new Set())
        : isInField && text !== ''
          ? () => setText('')
          : leaveView
    const isInList = target instanceof HTMLElement && target.closest('[data-conversations]') !== null
    if (!isInField && !isInList && target !== event.currentTarget) return null
    if (is('ArrowDown')) return () => move(1)
    if (is('ArrowUp')) return () => move(-1)
    if (is('Enter')) return current === null ? null : () => open(current)
    if (isInField) return null
    if (is('Home')) return () => move(-ids.length)
    if (is('End')) return () => move(ids.length)
    if (is('Mod A')) return () => setChosen(new Set(ids))
    if (is('Delete')) return () => act(trashConversations)
    if (event.ctrlKey || event.metaKey || event.altKey) return null
    const key = event.key.toLowerCase()
    return Object.hasOwn(keys, key) ? (keys[key] ?? null) : null
  }
  return (
    <main
      onKeyDown={onKeyDown}
      data-focus-fallback=""
      tabIndex={-1}
      className="relative flex h-full min-h-0 min-w-0 flex-col outline-none"
    >
      <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-3">
        <h1 className="font-semibold text-fg-0 text-sm">Conversations</h1>
        <span className="font-mono text-fg-2 text-xs">{conversations.length.toLocaleString('en')}</span>
        <span className="flex-1" />
        <span className="truncate text-fg-2 text-sm">{sum}</span>
        <Button variant="primary" onClick={() => void openConversation(null).then(focusComposer)}>
          <Plus size={13} aria-hidden="true" /> New
          <span className="*:border-current/35 *:text-current">
            <Kbd keys={keysOf('new-conversation') ?? ''} />
          </span>
        </Button>
      </div>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-line border-b bg-bg-1 px-3 py-1">
        <span className="flex h-[26px] w-[clamp(160px,22vw,300px)] items-center gap-1.5 rounded-[6px] border border-line-strong bg-bg-0 px-2 focus-within:border-accent">
          <ListFilter size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
          <input
            ref={field}
            aria-label="Filter conversations"
            placeholder="Title, folder, branch, last line"
            value={text}
            maxLength={200}
            onChange={(event) => setText(event.target.value)}
            className="min-w-0 flex-1 bg-transparent text-fg-0 text-sm outline-none"
          />
        </span>
        <Segmented<StateFilter>
          label="State"
          value={state}
          options={stateFilters.map((value) => ({
            value,
            label:
              value === 'all' || counts[value] === 0 ? LABELS[value] : `${LABELS[value]} ${counts[value]}`,
          }))}
          onChange={setState}
        />
        <SelectMenu
          label="Folder"
          value={folder}
          options={[
            { value: ALL_FOLDERS, label: 'All folders' },
            ...[...new Set(conversations.map((one) => one.folder))].map((path) => ({
              ...{ value: path, label: folderName(path), hint: path },
            })),
          ]}
          onChange={setFolder}
        />
        <span className="flex-1" />
        <span className="flex items-center gap-1.5 text-sm max-[1279px]:hidden">
          <LinkButton onClick={() => setView('search')}>Search in what was said</LinkButton>
          <Kbd keys={keysOf('search') ?? ''} />
        </span>
      </div>
      <ConversationTable
        ref={table}
        {...{ groups, current, chosen }}
        onCurrent={setCurrent}
        onChoose={choose}
        onOpen={open}
        empty={
          !isListed ? null : conversations.length === 0 ? (
            <EmptyState title="No conversations yet">The first message to an agent starts one.</EmptyState>
          ) : (
            <EmptyState title="No conversation matches" actions={<Button onClick={clear}>Show all</Button>}>
              {state === 'unmerged' ? 'Worktrees of folders that are not trusted are not read.' : undefined}
            </EmptyState>
          )
        }
      />
      {chosen.size > 0 && (
        <div
          role="toolbar"
          aria-label="Chosen conversations"
          className="-translate-x-1/2 absolute bottom-4 left-1/2 flex items-center gap-1.5 rounded-lg border border-line-strong bg-bg-2 py-1.5 pr-2 pl-3.5 text-sm shadow-popup"
        >
          <span className="mr-2 whitespace-nowrap font-semibold text-fg-0">
            {chosen.size} chosen
            <span className="ml-2 font-normal text-fg-2">{sizeText([...chosen], sizes)}</span>
          </span>
          <Button onClick={() => toggle('archived')}>
            {isAll('archived') ? (
              <ArchiveRestore size={13} aria-hidden="true" />
            ) : (
              <Archive size={13} aria-hidden="true" />
            )}
            {isAll('archived') ? 'Unarchive' : 'Archive'} <Kbd keys="E" />
          </Button>
          <Button onClick={() => toggle('pinned')}>
            <Pin size={13} aria-hidden="true" /> {isAll('pinned') ? 'Unpin' : 'Pin'} <Kbd keys="P" />
          </Button>
          <Button onClick={exportChosen}>
            <Download size={13} aria-hidden="true" /> Export… <Kbd keys="S" />
          </Button>
          <Button onClick={showFiles}>
            <FolderOpen size={13} aria-hidden="true" /> Show files <Kbd keys="O" />
          </Button>
          <Button variant="danger" onClick={() => act(trashConversations)}>
            <Trash2 size={13} aria-hidden="true" /> Move to trash <Kbd keys="Del" />
          </Button>
          <IconButton label="Choose none" icon={X} onClick={() => setChosen(new Set())} />
        </div>
      )}
    </main>
  )
}
