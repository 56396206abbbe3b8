/** The field of the search with its filters, and the bar of kinds, folders and the archive below it. */
import { Archive, CaseSensitive, Regex, Search, WholeWord, X } from 'lucide-react'
import type { RefObject } from 'react'
import {
  type SearchKind,
  type SearchQuery,
  searchedNames,
  searchKinds,
} from '../../../shared/search/search.ts'
import { type ConversationStateName, conversationStates } from '../../../shared/state/conversation-summary.ts'
import { useSession } from '../../stores/session-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { timeNow } from '../../ui/machine.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { count, folderName } from '../../ui/text/format.ts'
import { type SearchOrder, searchOrders } from './found-places.ts'
import {
  changeQuery,
  KIND_LABELS,
  onlyInState,
  orderBy,
  useSearch,
  withTypedFilters,
} from './search-store.ts'

interface SearchFieldProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly onLeave: () => void
}

export function SearchField({ field, onLeave }: SearchFieldProps) {
  const query = useSearch((state) => state.query)
  const isBad = useSearch((state) => state.status === 'failed')
  return (
    <div className="flex h-[50px] shrink-0 items-center gap-2.5 border-line border-b bg-bg-1 px-3.5">
      <div
        data-bad={isBad || undefined}
        className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md border border-line-strong bg-bg-0 px-2.5 focus-within:border-accent data-bad:border-bad"
      >
        <Search size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
        <input
          ref={field}
          aria-label="Search in conversations"
          aria-invalid={isBad}
          aria-describedby="search-status"
          placeholder={query.regex ? 'Regular expression' : 'Words, agent:name, since:7d'}
          value={query.text}
          maxLength={2000}
          spellCheck={false}
          onChange={(event) => changeQuery(withTypedFilters(query, event.target.value, timeNow()))}
          className="h-full min-w-24 flex-1 bg-transparent text-fg-0 text-lg outline-none"
        />
        <FilterChips query={query} />
        <span className="flex gap-px">
          <IconButton
            label="Match case"
            icon={CaseSensitive}
            keys="Alt C"
            pressed={query.matchCase}
            onClick={() => changeQuery({ matchCase: !query.matchCase })}
          />
          <IconButton
            label="Whole words"
            icon={WholeWord}
            keys="Alt W"
            pressed={query.wholeWords}
            onClick={() => changeQuery({ wholeWords: !query.wholeWords })}
          />
          <IconButton
            label="Regular expression"
            icon={Regex}
            keys="Alt R"
            pressed={query.regex}
            onClick={() => changeQuery({ regex: !query.regex })}
          />
        </span>
      </div>
      <Amount />
      <button type="button" aria-label="Back, Esc" title="Back" onClick={onLeave}>
        <Kbd keys="Esc" />
      </button>
    </div>
  )
}

function Amount() {
  const status = useSearch((state) => state.status)
  const total = useSearch((state) => state.counts.total)
  const conversations = useSearch((state) => state.found.length)
  const end = useSearch((state) => state.end)
  const ms = useSearch((state) => state.ms)
  const { conversations: done, of } = useSearch((state) => state.searched)
  if (status === 'idle' || status === 'failed') return null
  const places = `${count(total, 'place')}${end === 'limit' ? ' or more' : ''}`
  const time =
    status === 'searching' ? `${of === 0 ? '' : `${done} of ${of} searched`}` : `${Math.round(ms ?? 0)} ms`
  return (
    <span className="shrink-0 whitespace-nowrap font-mono text-fg-2 text-xs max-[1279px]:hidden">
      {[places, count(conversations, 'conversation'), time].filter(Boolean).join(' · ')}
    </span>
  )
}

/** One chip for each filter that has no control of its own. */
function FilterChips({ query }: { readonly query: SearchQuery }) {
  const { agents, tools, programs, since, until } = query
  return (
    <>
      {agents.length > 0 && (
        <FilterChip
          name="agent"
          value={agents.map(agentLabel).join(', ')}
          onRemove={() => changeQuery({ agents: [] })}
        />
      )}
      {tools.length > 0 && (
        <FilterChip name="tool" value={tools.join(', ')} onRemove={() => changeQuery({ tools: [] })} />
      )}
      {programs.length > 0 && (
        <FilterChip
          name="program"
          value={programs.map((program) => searchedNames[program]).join(', ')}
          onRemove={() => changeQuery({ programs: [] })}
        />
      )}
      {since !== null && (
        <FilterChip name="since" value={DATE.format(since)} onRemove={() => changeQuery({ since: null })} />
      )}
      {until !== null && (
        <FilterChip name="until" value={DATE.format(until)} onRemove={() => changeQuery({ until: null })} />
      )}
    </>
  )
}

const DATE = new Intl.DateTimeFormat('en', { month: 'long', day: 'numeric' })

export const agentLabel = (name: string): string => (name === 'main' ? 'Main agent' : name)

interface FilterChipProps {
  readonly name: string
  readonly value: string
  readonly onRemove: () => void
}

function FilterChip({ name, value, onRemove }: FilterChipProps) {
  return (
    <span className="flex h-[21px] min-w-0 max-w-64 items-center gap-1.5 rounded-[5px] bg-bg-3 pl-1.5 text-fg-0 text-sm">
      <span className="text-fg-2">{name}</span>
      <span className="truncate">{value}</span>
      <button
        type="button"
        aria-label={`Remove filter ${name} ${value}`}
        onClick={onRemove}
        className="grid h-full w-5 shrink-0 place-items-center rounded-[5px] text-fg-2 hover:text-fg-0"
      >
        <X size={11} aria-hidden="true" />
      </button>
    </span>
  )
}

type KindChoice = SearchKind | 'all' | 'several'

/** Messages are among the kinds at the left: here they would not fit. */
const KIND_CHOICES: readonly { readonly value: KindChoice; readonly label: string }[] = [
  { value: 'all', label: 'Everything' },
  ...searchKinds.filter((kind) => kind !== 'message').map((value) => ({ value, label: KIND_LABELS[value] })),
]

const ALL_FOLDERS = ''
const ANY_STATE = ''

const STATE_LABELS: Readonly<Record<ConversationStateName, string>> = {
  'needs-you': 'Need you',
  running: 'Running',
  failed: 'Failed',
  stopped: 'Stopped',
  done: 'Done',
}

const ORDER_LABELS: Readonly<Record<SearchOrder, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  best: 'Best match',
}

export function SearchFilters() {
  const { kinds, folders, archived } = useSearch((state) => state.query)
  const only = useSearch((state) => state.only)
  const order = useSearch((state) => state.order)
  const known = useSession((state) => state.conversations)
  const paths = [...new Set([...folders, ...known.map(({ folder }) => folder)])]
  const [kind, otherKind] = kinds
  const [folder, otherFolder] = folders
  return (
    <div className="flex h-[38px] shrink-0 items-center gap-2 overflow-hidden border-line border-b bg-bg-1 px-3.5">
      <Segmented<KindChoice>
        label="What"
        value={otherKind !== undefined ? 'several' : (kind ?? 'all')}
        options={KIND_CHOICES}
        onChange={(value) => changeQuery({ kinds: value === 'all' || value === 'several' ? [] : [value] })}
      />
      <SelectMenu
        label="Folder"
        value={otherFolder !== undefined ? 'several' : (folder ?? ALL_FOLDERS)}
        options={[
          { value: ALL_FOLDERS, label: 'All folders' },
          ...(otherFolder === undefined
            ? []
            : [{ value: 'several', label: count(folders.length, 'folder') }]),
          ...paths.map((path) => ({ value: path, label: folderName(path), hint: path })),
        ]}
        onChange={(value) =>
          value !== 'several' && changeQuery({ folders: value === ALL_FOLDERS ? [] : [value] })
        }
      />
      <SelectMenu
        label="State"
        value={only ?? ANY_STATE}
        options={[
          { value: ANY_STATE, label: 'Any state' },
          ...conversationStates.map((value) => ({ value, label: STATE_LABELS[value] })),
        ]}
        onChange={(value) => onlyInState(conversationStates.find((one) => one === value) ?? null)}
      />
      <ChipButton
        icon={Archive}
        aria-pressed={archived}
        className={archived ? 'h-7 border-line-strong bg-bg-3 text-fg-0' : 'h-7'}
        onClick={() => changeQuery({ archived: !archived })}
      >
        Archived too
      </ChipButton>
      <span className="flex-1" />
      <SelectMenu
        label="Order"
        value={order}
        options={searchOrders.map((value) => ({ value, label: ORDER_LABELS[value] }))}
        onChange={orderBy}
      />
    </div>
  )
}
