/**
 * The conversations of other agent programs: the list below those of Troupe, hidden until the user looks and read once they
 * agree; the bar under an opened one; and the settings.
 */
import { ChevronDown, ChevronRight, Lock } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import {
  type HistoryEntry,
  type HistorySource,
  historyNames,
  historyProgramOf,
  historyPrograms,
} from '../../../shared/histories/history.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useNow } from '../../ui/machine.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatAgo, formatSize } from '../../ui/text/format.ts'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import {
  continueHistory,
  letRead,
  openHistory,
  toggleHistories,
  toggleProgram,
  useHistories,
  useReadingProgress,
} from './histories-store.ts'

/** From so many conversations on there is a filter. */
const FEW = 4
/** Rows of a program at first. */
const INITIAL_COUNT = 40
const LINE =
  'flex w-full items-center gap-1.5 px-2.5 py-1 text-left text-fg-2 text-sm hover:bg-bg-2 hover:text-fg-0 focus-visible:-outline-offset-2'

/** @param filter the words that the titles must have; null: the list above has no filter, so this one has its own */
export function HistoryGroups({ filter }: { readonly filter: string | null }) {
  const [own, setOwn] = useState('')
  const { sources, loading, isOpen } = useHistories()
  const found = sources?.filter(({ isFound, reading }) => isFound && reading !== 'off') ?? []
  return (
    <div className={classNames('flex max-h-[45vh] flex-col pb-1.5', isOpen ? 'min-h-40' : 'shrink-0')}>
      <button type="button" aria-expanded={isOpen} onClick={toggleHistories} className={LINE}>
        <Chevron isOpen={isOpen} />
        Other agent programs
        {isOpen && loading && <Spinner />}
      </button>
      {isOpen && (
        <div className="min-h-0 overflow-y-auto">
          {filter === null && found.some(({ entries }) => entries.length > FEW) && (
            <div className="px-2.5 pb-1">
              <input
                type="search"
                aria-label="Filter conversations of other programs"
                placeholder="Filter"
                value={own}
                onChange={(event) => setOwn(event.target.value)}
                className={`${INPUT_CLASS} h-6 w-full text-sm`}
              />
            </div>
          )}
          {found.map((source) =>
            source.reading === 'ask' ? (
              <Question key={source.program} source={source} />
            ) : (
              <Program key={source.program} source={source} filter={filter ?? own} />
            ),
          )}
          {sources !== null && found.length === 0 && (
            <p className="px-3.5 py-1 text-fg-2 text-sm">
              {sources.some(({ isFound }) => isFound)
                ? 'Reading them is turned off in Settings, General.'
                : `${Object.values(historyNames).join(', ')} keep no conversations on this computer.`}
            </p>
          )}
        </div>
      )}
    </div>
  )
}

/** Asks before the first look. */
function Question({ source: { program, place } }: { readonly source: HistorySource }) {
  const [isBusy, setIsBusy] = useState(false)
  const answer = async (isLet: boolean) => {
    setIsBusy(true)
    await letRead(program, isLet)
    setIsBusy(false)
  }
  return (
    <section
      aria-label={historyNames[program]}
      className="mx-2.5 my-1 rounded-md border border-line px-2.5 py-2"
    >
      <p className="break-words text-fg-1 text-sm">
        List the conversations of <strong className="font-semibold text-fg-0">{historyNames[program]}</strong>
        ? Troupe reads <span className="break-all font-mono text-xs">{place}</span> and writes nothing there.
      </p>
      <div className="flex gap-1.5 pt-2">
        <Button disabled={isBusy} onClick={() => void answer(true)}>
          Read
        </Button>
        <Button variant="quiet" disabled={isBusy} onClick={() => void answer(false)}>
          Never
        </Button>
      </div>
    </section>
  )
}

interface ProgramProps {
  readonly source: HistorySource
  readonly filter: string
}

function Program({ source: { program, entries, problems }, filter }: ProgramProps) {
  const isOpen = useHistories(({ open }) => open.has(program))
  const folder = useSession((state) => state.folder?.path)
  const [isEverywhere, setIsEverywhere] = useState(false)
  const [limit, setLimit] = useState(INITIAL_COUNT)
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const matching = entries.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
  const here = matching.filter((entry) => entry.folder === folder)
  const shown = isEverywhere ? matching : here
  const elsewhere = matching.length - here.length
  const hidden = shown.length - limit
  return (
    <section aria-label={`From ${historyNames[program]}`}>
      <button type="button" aria-expanded={isOpen} onClick={() => toggleProgram(program)} className={LINE}>
        <Chevron isOpen={isOpen} />
        <span className="flex-1">From {historyNames[program]}</span>
        <span className="pr-1 font-mono text-xs">{entries.length.toLocaleString('en')}</span>
      </button>
      {isOpen && (
        <ul>
          {shown.slice(0, limit).map((entry) => (
            <EntryRow key={entry.id} entry={entry} isElsewhere={entry.folder !== folder} />
          ))}
          {shown.length === 0 && (
            <li className="px-3.5 py-1 text-fg-2 text-sm">
              {filter === '' ? 'None of this folder.' : `None matches “${filter}”.`}
            </li>
          )}
          {hidden > 0 && (
            <More onClick={() => setLimit(limit + 200)}>
              Show {Math.min(200, hidden)} more of {hidden.toLocaleString('en')}
            </More>
          )}
          {elsewhere > 0 && (
            <More isExpanded={isEverywhere} onClick={() => setIsEverywhere(!isEverywhere)}>
              {isEverywhere ? 'Only this folder' : `Show ${elsewhere.toLocaleString('en')} of other folders`}
            </More>
          )}
          {problems.map((problem) => (
            <li key={problem} className="break-words px-3.5 py-1 text-fg-2 text-sm">
              {problem}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface EntryRowProps {
  readonly entry: HistoryEntry
  readonly isElsewhere: boolean
}

function EntryRow({ entry, isElsewhere }: EntryRowProps) {
  const current = useSession((state) => state.conversationId === entry.id)
  const { title, folder, agents, bytes, updatedAt } = entry
  const now = Math.max(useNow(false), updatedAt)
  return (
    <li>
      <button
        type="button"
        data-conversation=""
        aria-current={current ? 'page' : undefined}
        title={`${folder === '' ? 'Folder unknown' : folder}\n${count(agents, 'agent')}${bytes === 0 ? '' : `, ${formatSize(bytes)}`}`}
        onClick={() => void openHistory(entry)}
        className={classNames(
          'grid w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 py-1 text-left text-sm focus-visible:-outline-offset-2',
          current ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
        )}
      >
        <span />
        <span dir="auto" className="truncate text-left">
          {title === '' ? 'Untitled conversation' : title}
          {isElsewhere && <span className="text-fg-2"> {folder.split(/[\\/]/).at(-1)}</span>}
        </span>
        <span className="font-mono text-fg-2 text-xs">{formatAgo(updatedAt, now)}</span>
      </button>
    </li>
  )
}

interface MoreProps {
  readonly isExpanded?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function More({ isExpanded, onClick, children }: MoreProps) {
  return (
    <li>
      <button type="button" aria-expanded={isExpanded} onClick={onClick} className={classNames(LINE, 'pl-9')}>
        {children}
      </button>
    </li>
  )
}

function Chevron({ isOpen }: { readonly isOpen: boolean }) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return <Icon size={12} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
}

interface ReadingHistoryProps {
  readonly conversationId: string
  /** Those that stop the reading. */
  readonly keys?: string
}

/** Says that a history is being read, how far that is, and how to stop it. */
export function ReadingHistory({ conversationId, keys }: ReadingHistoryProps) {
  const part = useReadingProgress(conversationId)
  const program = historyProgramOf(conversationId)
  return (
    <div className="flex items-center gap-2 px-3.5 py-2 text-fg-1 text-sm">
      <Spinner />
      <p role="status" className="min-w-0 flex-1">
        Reading the conversation of {program === null ? 'another program' : historyNames[program]}
      </p>
      {part !== null && <span className="font-mono text-fg-2 text-xs">{Math.floor(part * 100)}%</span>}
      <Button onClick={() => void command('history.cancel', { conversationId })}>
        Stop {keys !== undefined && <Kbd keys={keys} />}
      </Button>
    </div>
  )
}

/**
 * In place of the composer under a conversation of another program: where it is from, and how to go on with it.
 * @param children what stands there under a conversation of Troupe
 */
export function HistoryBar({ children }: { readonly children: ReactNode }) {
  const program = useConversation(({ conversationId }) => historyProgramOf(conversationId ?? ''))
  const conversationId = useConversation((state) => state.conversationId)
  const history = useConversation((state) => state.record?.history)
  const isLoading = useConversation((state) => state.phase === 'loading')
  const isCopying = useHistories(({ copying }) => copying === conversationId)
  if (program === null || conversationId === null) return children
  const name = historyNames[program]
  if (isLoading)
    return (
      <div className="border-line border-t bg-bg-1">
        <ReadingHistory conversationId={conversationId} keys="Escape" />
      </div>
    )
  if (history === undefined) return null
  const { source, leftOut } = history
  return (
    <section aria-label={`Conversation of ${name}`} className="border-line border-t bg-bg-1 px-2.5 py-2.5">
      <div className="conversation-width flex items-center gap-2.5">
        <Lock size={14} aria-hidden="true" className="shrink-0 text-fg-2" />
        <div className="min-w-0 flex-1 text-sm">
          <p className="text-fg-1">From {name}. It can be read here, not changed.</p>
          <p className="truncate font-mono text-fg-2 text-xs" title={source} data-selectable="">
            {source}
          </p>
          {leftOut.length > 0 && <p className="pt-0.5 text-fg-2 text-xs">Left out: {leftOut.join(' ')}</p>}
        </div>
        <Button
          variant="primary"
          size="md"
          disabled={isCopying}
          aria-busy={isCopying}
          onClick={() => void continueHistory(conversationId)}
        >
          Continue as a copy
        </Button>
      </div>
    </section>
  )
}

const CHOICES = [
  { value: 'ask', label: 'Ask', hint: 'Before the first look' },
  { value: 'on', label: 'Read', hint: 'Nothing is ever written there' },
  { value: 'off', label: 'Never' },
] as const

/** Which programs' conversations Troupe may read. */
export function HistorySettings() {
  const histories = useSession((state) => state.settings.histories)
  const [error, change] = useChange()
  return (
    <Section title="Conversations of other programs">
      {historyPrograms.map((program, at) => {
        const { [program]: chosen, ...others } = histories
        return (
          <Row
            key={program}
            title={historyNames[program]}
            name={`histories.${program}`}
            words="history import transcripts sessions"
            error={at === 0 ? error : null}
          >
            <SelectMenu
              label={historyNames[program]}
              value={chosen === undefined ? 'ask' : chosen ? 'on' : 'off'}
              options={CHOICES}
              onChange={(value) =>
                void change({
                  histories: value === 'ask' ? others : { ...others, [program]: value === 'on' },
                })
              }
            />
          </Row>
        )
      })}
    </Section>
  )
}
