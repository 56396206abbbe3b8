/** The numbers of places by agent, kind, folder and time. A press on a number narrows the search to it. */
import {
  AppWindow,
  Brain,
  Folder,
  type LucideIcon,
  Mail,
  MessageSquare,
  PenLine,
  SquareTerminal,
  UserRound,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type SearchKind, searchedNames, searchKinds } from '../../../shared/search/search.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, folderName } from '../../ui/text/format.ts'
import { agentLabel } from './search-field.tsx'
import { changeQuery, KIND_LABELS, searchProgram, toggleFilter, useSearch } from './search-store.ts'

export const KIND_ICONS: Readonly<Record<SearchKind, LucideIcon>> = {
  said: MessageSquare,
  thought: Brain,
  input: PenLine,
  output: SquareTerminal,
  you: UserRound,
  message: Mail,
}

/** Agents and folders that are shown until the user asks for more. */
const SHOWN = 6

export function SearchFacets() {
  const { byAgent, byKind, byFolder, byProgram } = useSearch((state) => state.counts)
  const { agents, kinds, folders, programs } = useSearch((state) => state.query)
  const found = useSearch((state) => state.found)
  const isIdle = useSearch((state) => state.status === 'idle')
  if (isIdle) return null
  const colors = new Map(found.flatMap((one) => one.agents.map(({ name, color }) => [name, color] as const)))
  const kindCounts = searchKinds.map((kind) => [kind, byKind[kind] ?? 0] as const)
  return (
    <aside
      aria-label="Filters"
      className="w-[196px] shrink-0 overflow-y-auto border-line border-r bg-bg-1 pb-3 max-[1279px]:hidden"
    >
      <Facet
        title="Agent"
        entries={sorted(byAgent, agents)}
        chosen={agents}
        label={agentLabel}
        mark={(name) => (
          <span style={agentStyle(colors.get(name) ?? '')}>
            <span className="block size-[7px] rounded-full bg-agent" />
          </span>
        )}
        onToggle={(name) => toggleFilter('agents', name)}
      />
      {(programs.length > 0 || Object.keys(byProgram).length > 1) && (
        <Facet
          title="Program"
          entries={sorted(byProgram, programs)}
          chosen={programs}
          label={(program) => searchedNames[program]}
          mark={() => <Icon icon={AppWindow} />}
          onToggle={(program) => toggleFilter('programs', program)}
        />
      )}
      <Facet
        title="What"
        entries={kindCounts.filter(([kind, amount]) => amount > 0 || kinds.includes(kind))}
        chosen={kinds}
        label={(kind) => KIND_LABELS[kind]}
        mark={(kind) => <Icon icon={KIND_ICONS[kind]} />}
        onToggle={(kind) => toggleFilter('kinds', kind)}
      />
      <Facet
        title="Folder"
        entries={sorted(byFolder, folders)}
        chosen={folders}
        label={folderName}
        mark={() => <Icon icon={Folder} />}
        onToggle={(folder) => toggleFilter('folders', folder)}
      />
      <Unasked />
      <Histogram />
    </aside>
  )
}

const Icon = ({ icon: Shape }: { readonly icon: LucideIcon }) => (
  <Shape size={12} strokeWidth={1.75} aria-hidden="true" className="text-fg-2" />
)

/** The largest first; chosen values also without a place. */
function sorted<T extends string>(
  counts: Readonly<Partial<Record<T, number>>>,
  chosen: readonly T[],
): readonly (readonly [T, number])[] {
  const none = chosen.filter((value) => !(value in counts)).map((value) => [value, 0] as const)
  return [...(Object.entries(counts) as [T, number][]), ...none].sort(([, one], [, other]) => other - one)
}

interface FacetProps<T extends string> {
  readonly title: string
  readonly entries: readonly (readonly [T, number])[]
  readonly chosen: readonly T[]
  readonly label: (value: T) => string
  readonly mark: (value: T) => ReactNode
  readonly onToggle: (value: T) => void
}

function Facet<T extends string>({ title, entries, chosen, label, mark, onToggle }: FacetProps<T>) {
  const [isWhole, setWhole] = useState(false)
  if (entries.length === 0) return null
  const most = Math.max(1, ...entries.map(([, amount]) => amount))
  const shown = isWhole ? entries : entries.slice(0, SHOWN)
  const rest = entries.slice(shown.length)
  return (
    <section aria-label={title}>
      <h2 className="side-heading px-3.5 pt-3 pb-1">{title}</h2>
      {shown.map(([value, amount]) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosen.includes(value)}
          onClick={() => onToggle(value)}
          className={classNames(
            'relative grid h-6 w-full grid-cols-[12px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 text-left text-sm focus-visible:-outline-offset-2',
            chosen.includes(value) ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
          )}
        >
          <span className="grid place-items-center">{mark(value)}</span>
          <span className="truncate" title={value}>
            {label(value)}
          </span>
          <span className="font-mono text-fg-2 text-xs">{amount.toLocaleString('en')}</span>
          <span aria-hidden="true" className="absolute right-3.5 bottom-px left-[34px] h-0.5">
            <span
              className="block h-full rounded-[1px] bg-line-strong"
              style={{ width: `${(100 * amount) / most}%` }}
            />
          </span>
        </button>
      ))}
      {rest.length > 0 && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="h-6 w-full px-3.5 pl-[34px] text-left text-fg-2 text-sm hover:text-fg-0 focus-visible:-outline-offset-2"
        >
          {rest.length} more
        </button>
      )}
    </section>
  )
}

const BARS = 12
const DAY = 86_400_000

/** Places over time, in equal parts from the first to the last day. A press narrows the search to a part. */
/** Programs that are not searched, because the user has not let Troupe read what they keep. */
function Unasked() {
  const unasked = useSearch((state) => state.unasked)
  if (unasked.length === 0) return null
  return (
    <section aria-label="Not searched">
      <h2 className="side-heading px-3.5 pt-3 pb-1">Not searched</h2>
      {unasked.map(({ program, place }) => (
        <button
          key={program}
          type="button"
          title={`Let Troupe read ${place}. It writes nothing there.`}
          onClick={() => void searchProgram(program)}
          className="block h-6 w-full px-3.5 text-left text-fg-2 text-sm hover:text-fg-0 focus-visible:-outline-offset-2"
        >
          Search {searchedNames[program]} too
        </button>
      ))}
    </section>
  )
}

function Histogram() {
  const { byDay } = useSearch((state) => state.counts)
  const { since, until } = useSearch((state) => state.query)
  const days = Object.keys(byDay).map(Number)
  // One day has no course.
  if (days.length < 2) return null
  const first = Math.min(...days)
  const span = Math.max(1, Math.ceil((Math.max(...days) + 1 - first) / BARS))
  const bars = Array.from({ length: BARS }, (_, at) => {
    const start = first + at * span
    const amount = days.reduce(
      (sum, day) => sum + (day >= start && day < start + span ? (byDay[day] ?? 0) : 0),
      0,
    )
    return { from: start * DAY, to: (start + span) * DAY - 1, amount }
  })
  const most = Math.max(1, ...bars.map(({ amount }) => amount))
  const isNarrow = since !== null || until !== null
  return (
    <section aria-label="When">
      <h2 className="side-heading px-3.5 pt-3 pb-1">When</h2>
      <div className="mx-3.5 mt-1 flex h-[38px] items-end gap-[3px]">
        {bars.map(({ from, to, amount }) => (
          <button
            key={from}
            type="button"
            disabled={amount === 0}
            aria-label={`${DATE.format(from)} to ${DATE.format(to)}: ${count(amount, 'place')}`}
            title={`${DATE.format(from)}–${DATE.format(to)}: ${count(amount, 'place')}`}
            onClick={() => changeQuery(isNarrow ? { since: null, until: null } : { since: from, until: to })}
            className="flex h-full min-w-0 flex-1 items-end enabled:hover:*:bg-fg-1"
          >
            <span
              className={classNames('block w-full rounded-t-[1px]', amount === 0 ? 'bg-line' : 'bg-fg-2')}
              style={{ height: Math.max(2, Math.round((38 * amount) / most)) }}
            />
          </button>
        ))}
      </div>
      <p className="flex justify-between px-3.5 pt-0.5 text-fg-2 text-xs">
        <span>{DATE.format(first * DAY)}</span>
        <span>{DATE.format(Math.max(...days) * DAY)}</span>
      </p>
    </section>
  )
}

const DATE = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
