/** The command palette: finds commands, agents, conversations, also those of other programs, and files by a few letters. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { File, type LucideIcon, MessageSquare } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { type HistoryEntry, historyNames } from '../../../shared/histories/history.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { command } from '../../bridge.ts'
import { agentTitle, useConversation } from '../../stores/conversation-store.ts'
import { openFile } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { agentText, markOf } from '../../ui/text/agent-text.ts'
import { useFinalFocus } from '../../ui/use-focus.ts'
import { NAMED, rank } from './rank.ts'
import { optionId, type ResultGroup, ResultList, useActiveResult } from './result-list.tsx'

/** An entry of the palette. */
export interface PaletteCommand {
  readonly id: string
  readonly title: string
  readonly icon: LucideIcon
  readonly keys?: string | undefined
  /** Other words that find the command. */
  readonly keywords?: string | undefined
  /** For a command on one agent, worktree or folder: the words that name the command, and those that name its subject. */
  readonly named?: string | undefined
  readonly subject?: string | undefined
  readonly run: () => void
}

export interface PaletteProps {
  readonly open: boolean
  /** The first text of the field. */
  readonly query?: string
  /** Lists conversations only. */
  readonly onlyConversations?: boolean
  readonly onClose: () => void
  readonly commands: readonly PaletteCommand[]
  readonly onOpenAgent: (agentId: string) => void
}

/** Listed by `/resume`. */
const MOST_CONVERSATIONS = 60

/** Pause in the typing before files are searched. In ms. */
const SEARCH_DELAY = 90

export function Palette(props: PaletteProps) {
  const { open, query = '', onlyConversations = false, onClose, commands, onOpenAgent } = props
  const finalFocus = useFinalFocus(open)
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          finalFocus={finalFocus}
          aria-label="Go to"
          className="-translate-x-1/2 fixed top-[12vh] left-1/2 z-40 w-[600px] max-w-[calc(100vw-32px)] overflow-hidden rounded-lg border border-line-strong bg-bg-1 shadow-popup outline-none"
        >
          <Search
            key={`${query} ${onlyConversations}`}
            {...{ query, onlyConversations, commands, onClose, onOpenAgent }}
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function Search(props: Omit<Required<PaletteProps>, 'open'>) {
  const { query: first, onlyConversations, commands, onClose, onOpenAgent } = props
  const [query, setQuery] = useState(first)
  const agents = useConversation((state) => state.agents)
  const conversations = useSession((state) => state.conversations)
  const histories = useHistoryEntries()
  const folder = useSession((state) => state.folder?.path ?? '')
  const files = useFiles(folder, onlyConversations ? '' : query)
  const go = (run: () => void) => {
    onClose()
    run()
  }
  const foundCommands = rank(byRecency(commands), {
    query,
    limit: query === '' ? 8 : 20,
    textOf: ({ title, named, keywords, subject }) => ({ title: named ?? title, keywords, subject }),
  })
  const limit = query === '' ? 5 : 8
  const foundAgents = rank([...agents.values()], {
    query,
    limit,
    textOf: (agent) => ({ title: `${agentTitle(agent, agents)} ${agent.definition.name}` }),
  })
  const foundConversations = rank([...conversations, ...(query === '' ? [] : histories)], {
    query,
    limit: onlyConversations ? MOST_CONVERSATIONS : limit,
    textOf: ({ title }) => ({ title }),
  })
  // A query that names a command leads to the command. Otherwise the list with the best match comes first.
  const ranked = [
    {
      heading: 'Commands',
      top: foundCommands.top >= NAMED ? Number.POSITIVE_INFINITY : foundCommands.top,
      results: foundCommands.items.map((entry) => ({
        id: `command:${entry.id}`,
        run: () => go(() => runEntry(entry)),
        keys: entry.keys,
        content: (
          <>
            <entry.icon size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
            <span className="truncate">{entry.title}</span>
          </>
        ),
      })),
    },
    {
      heading: 'Agents',
      top: foundAgents.top,
      results: foundAgents.items.map((agent) => ({
        id: `agent:${agent.id}`,
        run: () => go(() => onOpenAgent(agent.id)),
        content: <AgentResult agent={agent} agents={agents} />,
      })),
    },
    {
      heading: 'Conversations',
      top: foundConversations.top,
      results: foundConversations.items.map((summary) => ({
        id: `conversation:${summary.id}`,
        run: () => go(() => void openConversation(summary.id)),
        content: (
          <>
            <MessageSquare size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
            <span dir="auto" className="truncate">
              {summary.title}
            </span>
            {'program' in summary && (
              <span className="shrink-0 text-fg-2">{historyNames[summary.program]}</span>
            )}
            {summary.folder !== folder && <span className="truncate text-fg-2">{summary.folder}</span>}
          </>
        ),
      })),
    },
  ]
  // Files arrive late. They stay below everything else, so that they move neither a row nor the selection.
  const foundFiles = files.paths.map((path) => ({
    id: `file:${path}`,
    isStale: files.searching,
    run: () => go(() => void openFile(folder, path)),
    content: (
      <>
        <File size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
        <span className="truncate font-mono text-xs">{path}</span>
      </>
    ),
  }))
  const groups: readonly ResultGroup[] = [
    ...ranked
      .filter(({ heading }) => !onlyConversations || heading === 'Conversations')
      .toSorted((a, b) => b.top - a.top),
    { heading: 'Files', results: onlyConversations ? [] : foundFiles },
  ]
  const selection = useActiveResult(groups, query)
  const listId = useId()
  const isEmpty = groups.every(({ results }) => results.length === 0)
  return (
    <>
      <input
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: the first typed letters must not go to the element that had the focus
        autoFocus
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={optionId(listId, selection.active)}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (selection.onKey(event)) event.preventDefault()
        }}
        placeholder={onlyConversations ? 'Open conversation…' : 'Go to agent, file, command…'}
        className="h-11 w-full border-line border-b bg-transparent px-4 text-fg-0 text-lg outline-none"
      />
      {isEmpty && (
        <p role="status" className="px-3 py-6 text-center text-fg-2 text-sm">
          {files.searching ? (
            'Searching files…'
          ) : (
            <>
              No match for “{query}”. Search transcripts with <Kbd keys="Mod F" /> in their panel.
            </>
          )}
        </p>
      )}
      <ResultList id={listId} groups={groups} selection={selection} />
    </>
  )
}

interface AgentResultProps {
  readonly agent: AgentState
  readonly agents: ReadonlyMap<string, AgentState>
}

function AgentResult({ agent, agents }: AgentResultProps) {
  return (
    <>
      <span style={agentStyle(agent.definition.color)} className="grid w-3.5 shrink-0 place-items-center">
        <Dot status={markOf(agent)} />
      </span>
      <span className="max-w-[60%] shrink-0 truncate">{agentTitle(agent, agents)}</span>
      <span className="min-w-0 truncate text-fg-2">
        {agent.parentId === null ? '' : `${agent.definition.name} · `}
        {agentText(agent)}
      </span>
    </>
  )
}

/** The conversations of the programs that the user lets Troupe read. They come a moment later. */
function useHistoryEntries(): readonly HistoryEntry[] {
  const isRead = useSession(({ settings }) => Object.values(settings.histories).includes(true))
  const [entries, setEntries] = useState<readonly HistoryEntry[]>([])
  useEffect(() => {
    if (!isRead) return
    let isOver = false
    void command('history.list', {}).then((answer) => {
      if (answer.ok && !isOver) setEntries(answer.value.flatMap((source) => source.entries))
    })
    return () => {
      isOver = true
    }
  }, [isRead])
  return isRead ? entries : []
}

function runEntry({ id, run }: PaletteCommand): void {
  rememberCommand(id)
  run()
}

interface FoundFiles {
  readonly paths: readonly string[]
  /** The search for this query still runs: the paths are those of an earlier query. */
  readonly searching: boolean
}

/** Searches files from the first letter on. */
function useFiles(folder: string, query: string): FoundFiles {
  const [found, setFound] = useState<{ readonly query: string; readonly paths: readonly string[] }>(NO_FILES)
  const wanted = folder === '' ? '' : query.trim().slice(0, 200)
  useEffect(() => {
    if (wanted === '') return setFound(NO_FILES)
    let stale = false
    const timer = setTimeout(async () => {
      const answer = await command('folder.files', { path: folder, query: wanted })
      if (!stale) setFound({ query: wanted, paths: answer.ok ? answer.value.slice(0, 10) : [] })
    }, SEARCH_DELAY)
    return () => {
      stale = true
      clearTimeout(timer)
    }
  }, [folder, wanted])
  return { paths: wanted === '' ? [] : found.paths, searching: wanted !== found.query }
}

const NO_FILES = { query: '', paths: [] }

/** The commands run last from the palette, the newest first. */

const KEY = 'palette.recent'
const KEPT = 12

function recentCommands(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((id): id is string => typeof id === 'string') : []
  } catch {
    return []
  }
}

function rememberCommand(id: string): void {
  const kept = [id, ...recentCommands().filter((other) => other !== id)].slice(0, KEPT)
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // Without storage the order lasts no longer than the list.
  }
}

/** The commands, those run last first; the others keep their order. */
function byRecency<T extends { readonly id: string }>(commands: readonly T[]): readonly T[] {
  const recent = recentCommands()
  const rank = (id: string) => {
    const at = recent.indexOf(id)
    return at === -1 ? recent.length : at
  }
  return commands.toSorted((a, b) => rank(a.id) - rank(b.id))
}
