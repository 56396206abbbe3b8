/** The conversations of this folder: filter, open, create, rename, pin, archive, duplicate, and move to the trash. */
import { Archive, Plus, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { setView, useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { IconButton } from '../../ui/button.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { useStable } from '../../ui/use-stable.ts'
import { ConversationRow } from './conversation-row.tsx'
import { HistoryGroups } from './histories.tsx'

/** Conversations rendered at first: a thousand would slow down the start. */
const INITIAL_COUNT = 40

export function ConversationList() {
  const keysOf = useKeysOf()
  const conversations = useConversationsHere()
  const shown = useSession((state) => state.conversationId)
  const listed = useSession((state) => state.listed)
  const [limit, setLimit] = useState(INITIAL_COUNT)
  const [renaming, setRenaming] = useState<string | null>(null)
  const [filter, setFilter] = useState('')
  const [withArchived, setWithArchived] = useState(false)
  const area = useRef<HTMLElement>(null)
  const archived = conversations.filter((one) => one.archived && one.id !== shown).length
  const wanted = wantedOf(conversations, { filter, withArchived, shown })
  const hidden = wanted.length - limit
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.defaultPrevented || area.current === null) return
    if (moveFocus(area.current, event)) event.preventDefault()
  }
  return (
    <section
      ref={area}
      aria-labelledby="conversations-heading"
      onKeyDown={onKeyDown}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex h-7 shrink-0 items-center justify-between pr-2.5 pl-3.5">
        <h2 id="conversations-heading" className="side-heading">
          <button
            type="button"
            title="All conversations"
            onClick={() => setView('conversations')}
            className="uppercase tracking-[inherit] hover:text-fg-0"
          >
            Conversations
          </button>
        </h2>
        <span className="flex-1" />
        <IconButton label="Deleted conversations" icon={Trash2} onClick={() => showOverlay('trash')} />
        <IconButton
          label="New conversation"
          keys={keysOf('new-conversation')}
          icon={Plus}
          onClick={() => void openConversation(null)}
        />
      </div>
      {conversations.length > FEW && (
        <div className="shrink-0 px-2.5 pb-1.5">
          <input
            type="search"
            aria-label="Filter conversations"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || filter === '') return
              event.preventDefault()
              event.stopPropagation()
              setFilter('')
            }}
            className={`${INPUT_CLASS} h-6 w-full text-sm`}
          />
        </div>
      )}
      {listed && conversations.length === 0 ? (
        <p className="px-3.5 py-1 text-fg-2 text-sm">
          No conversations in this folder yet. The first message starts one.
        </p>
      ) : (
        <ul className="min-h-0 flex-1 overflow-y-auto pb-2">
          {wanted.slice(0, limit).map((summary) => (
            <ConversationRow
              key={summary.id}
              summary={summary}
              current={summary.id === shown}
              renaming={renaming === summary.id}
              onRename={(on) => setRenaming(on ? summary.id : null)}
            />
          ))}
          {hidden > 0 && (
            <li>
              <button
                type="button"
                onClick={() => setLimit(limit + 200)}
                className="w-full px-3.5 py-1.5 text-left text-fg-2 text-sm hover:bg-bg-2 hover:text-fg-0 focus-visible:-outline-offset-2"
              >
                Show {Math.min(200, hidden)} more of {hidden.toLocaleString('en')}
              </button>
            </li>
          )}
          {filter !== '' && wanted.length === 0 && (
            <li className="px-3.5 py-1 text-fg-2 text-sm">No conversation matches “{filter}”.</li>
          )}
          {filter === '' && archived > 0 && (
            <li>
              <button
                type="button"
                aria-expanded={withArchived}
                onClick={() => setWithArchived(!withArchived)}
                className="flex w-full items-center gap-2 px-3.5 py-1.5 text-left text-fg-2 text-sm hover:bg-bg-2 hover:text-fg-0 focus-visible:-outline-offset-2"
              >
                <Archive size={12} strokeWidth={1.75} aria-hidden="true" />
                {withArchived ? 'Hide archived' : `Show ${archived.toLocaleString('en')} archived`}
              </button>
            </li>
          )}
        </ul>
      )}
      <HistoryGroups filter={conversations.length > FEW ? filter : null} />
    </section>
  )
}

/** From so many conversations on there is a filter. */
const FEW = 4

interface Wanted {
  readonly filter: string
  readonly withArchived: boolean
  /** The conversation on the screen, which is always listed. */
  readonly shown: string | null
}

/** Those to list, the pinned ones first. A filter finds the words in titles in any order, archived ones too. */
function wantedOf(
  summaries: readonly ConversationSummary[],
  { filter, withArchived, shown }: Wanted,
): readonly ConversationSummary[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const found = summaries.filter(({ id, title, archived }) =>
    words.length === 0
      ? withArchived || !archived || id === shown
      : words.every((word) => title.toLowerCase().includes(word)),
  )
  return found.some(({ pinned }) => pinned)
    ? [...found.filter(({ pinned }) => pinned), ...found.filter(({ pinned }) => !pinned)]
    : found
}

/** The arrow keys go through the rows, from and to the filter; "/" goes to the filter. */
function moveFocus(area: HTMLElement, { key, target }: KeyboardEvent<HTMLElement>): boolean {
  const field = area.querySelector<HTMLInputElement>('input[type="search"]')
  const isRow = target instanceof HTMLElement && target.dataset['conversation'] !== undefined
  if (key === '/' && isRow) {
    field?.focus()
    return field !== null
  }
  const isArrow = key === 'ArrowDown' || key === 'ArrowUp'
  if (!isArrow || !(target instanceof HTMLElement) || (!isRow && target !== field)) return false
  const stops = [
    ...(field === null ? [] : [field]),
    ...area.querySelectorAll<HTMLElement>('button[data-conversation]'),
  ]
  const at = stops.indexOf(target)
  stops[at + (key === 'ArrowDown' ? 1 : -1)]?.focus()
  return true
}

/** The conversations of the open folder, the most recently used first; a branch comes after its original. */
function useConversationsHere(): readonly ConversationSummary[] {
  return useSession(
    useStable(
      (state) => withBranches(state.conversations.filter((summary) => summary.folder === state.folder?.path)),
      (a, b) => a.length === b.length && a.every((summary, index) => summary === b[index]),
    ),
  )
}

/** Moves each branch behind the conversation that it began with, whatever was used last of both. */
function withBranches(summaries: readonly ConversationSummary[]): readonly ConversationSummary[] {
  if (summaries.every(({ branchOf }) => branchOf === null)) return summaries
  const byId = new Map(summaries.map((summary) => [summary.id, summary]))
  const groups = new Map<string, ConversationSummary[]>()
  for (const summary of summaries) {
    const root = rootOf(summary, byId)
    const group = groups.get(root.id) ?? []
    if (summary === root) group.unshift(summary)
    else group.push(summary)
    groups.set(root.id, group)
  }
  return [...groups.values()].flat()
}

/** A branch of a branch belongs to the first conversation; one whose original is gone stands alone. */
function rootOf(
  summary: ConversationSummary,
  byId: ReadonlyMap<string, ConversationSummary>,
): ConversationSummary {
  const original = summary.branchOf === null ? undefined : byId.get(summary.branchOf)
  return original === undefined ? summary : rootOf(original, byId)
}
