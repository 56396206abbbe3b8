/** The settings: the list of pages with a search at the left, and the chosen page or the rows that were found. */
import { Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSession } from '../../stores/session-store.ts'
import {
  openSettingsFile,
  resetSettings,
  type SettingsPart,
  showSettingsPart,
  useSettingsFiles,
  useSettingsFilesLoaded,
  useSettingsPart,
} from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isEditable } from '../../ui/platform.ts'
import {
  isSettingFound,
  SettingsFrame,
  SettingsSearchContext,
  SettingsSourceContext,
  SettingsTable,
  SettingsTablePage,
} from '../../ui/setting-page.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { moveFocusInList } from '../../ui/use-focus.ts'
import { type OwnPage, type PageCounts, type RowsPage, SETTINGS_PAGES } from './settings-pages.tsx'

export function SettingsPage() {
  const root = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const part = useSettingsPart((state) => state.part)
  const page = SETTINGS_PAGES.find((one) => one.part === part)
  const wanted = query.trim()
  useSettingsFilesLoaded()
  useSlash(field)
  const show = useCallback((next: SettingsPart) => {
    setQuery('')
    showSettingsPart(next)
  }, [])
  return (
    <div ref={root} className="grid min-h-0 grid-cols-[clamp(168px,24vw,224px)_minmax(0,1fr)]">
      <PageList
        field={field}
        query={query}
        shown={wanted === '' ? part : null}
        onQuery={setQuery}
        onShow={show}
        onDown={() => rowsIn(root.current)[0]?.focus()}
        onEnter={() => enter(rowsIn(root.current)[0])}
      />
      <SettingsSourceContext value={useSource()}>
        {wanted !== '' ? (
          <Results query={wanted} field={field} onShow={show} />
        ) : page === undefined ? null : 'component' in page ? (
          <page.component />
        ) : (
          <Rows key={page.part} page={page} />
        )}
      </SettingsSourceContext>
    </div>
  )
}

function useSource() {
  const origins = useSettingsFiles((state) => state.origins)
  return useMemo(
    () => ({
      origins,
      onReset: (name: string) => resetSettings([name]),
      onOpen: (file: string, line: number | null) => void openSettingsFile(file, line),
    }),
    [origins],
  )
}

/** "/" goes to the search of the shown page, else to the search of all settings. */
function useSlash(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, defaultPrevented, target } = event
      if (key !== '/' || ctrlKey || metaKey || altKey || defaultPrevented || isEditable(target)) return
      if (target instanceof HTMLElement && target.closest('[role="dialog"], [role="alertdialog"]') !== null)
        return
      event.preventDefault()
      const own = document.querySelector<HTMLInputElement>('[data-page-search]')
      ;(own ?? field.current)?.focus()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [field])
}

const SETTINGS_AMOUNT = SETTINGS_PAGES.reduce((sum, { settings = 0 }) => sum + settings, 0)

interface PageListProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly query: string
  readonly shown: SettingsPart | null
  readonly onQuery: (query: string) => void
  readonly onShow: (part: SettingsPart) => void
  readonly onDown: () => void
  readonly onEnter: () => void
}

function PageList({ field, query, shown, onQuery, onShow, onDown, onEnter }: PageListProps) {
  const version = useSession((state) => state.info.version)
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') onDown()
    else if (event.key === 'Enter') onEnter()
    else if (event.key === 'Escape' && query !== '') onQuery('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <nav
      aria-label="Settings"
      onKeyDown={(event) => moveFocusInList(event, 'button')}
      className="flex min-h-0 flex-col overflow-y-auto border-line border-r bg-bg-1 px-2 py-2.5"
    >
      <label className="mx-1 mb-2 flex h-7 shrink-0 items-center gap-2 rounded-[6px] border border-line bg-bg-0 px-2 text-fg-2 focus-within:border-accent">
        <Search size={13} strokeWidth={1.75} aria-hidden="true" />
        <input
          ref={field}
          type="text"
          aria-label="Search settings"
          aria-keyshortcuts="/"
          placeholder={`Search ${SETTINGS_AMOUNT} settings`}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={onSearchKey}
          className="min-w-0 flex-1 bg-transparent text-fg-0 text-sm outline-none placeholder:text-fg-2"
        />
        <Kbd keys={query === '' ? '/' : 'Esc'} />
      </label>
      {SETTINGS_PAGES.map((page, index) => (
        <div key={page.part} className="contents">
          {page.group !== null && page.group !== SETTINGS_PAGES[index - 1]?.group && (
            <h2 className="px-2.5 pt-3 pb-1 font-medium text-fg-2 text-xs">{page.group}</h2>
          )}
          <PageButton page={page} isShown={page.part === shown} onClick={() => onShow(page.part)} />
        </div>
      ))}
      <p className="mt-auto px-2.5 pt-4 font-mono text-fg-2 text-xs">Troupe {version}</p>
    </nav>
  )
}

interface PageButtonProps {
  readonly page: RowsPage | OwnPage
  readonly isShown: boolean
  readonly onClick: () => void
}

const useNoCounts = () => ({})

function PageButton({ page, isShown, onClick }: PageButtonProps) {
  const { title, icon: Icon, useCounts = useNoCounts } = page
  const { waiting = 0, amount = 0 }: PageCounts = useCounts()
  return (
    <button
      type="button"
      aria-current={isShown ? 'page' : undefined}
      onClick={onClick}
      className={classNames(
        'flex h-[1.6875rem] shrink-0 items-center gap-2.5 rounded-[6px] px-2.5 text-left text-sm focus-visible:-outline-offset-2',
        isShown ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
      {title}
      <span className="ml-auto flex items-center gap-2 font-mono text-fg-2 text-xs">
        {waiting > 0 ? (
          <>
            <Dot status="needs-you" />
            {waiting}
            <span className="sr-only"> waiting</span>
          </>
        ) : (
          amount !== 0 && amount
        )}
      </span>
    </button>
  )
}

/** A page of rows, with the file that its settings are stored in. */
function Rows({ page }: { readonly page: RowsPage }) {
  const title = useSession(
    ({ conversations, conversationId }) =>
      conversations.find(({ id }) => id === conversationId)?.title ?? null,
  )
  return (
    <SettingsTablePage
      title={page.title}
      sentence={page.sentence}
      actions={<FileButton />}
      {...(page.hasUse && { nowTitle: title === null ? 'Now' : `Now, in “${title}”`, valueTitle: 'Limit' })}
    >
      {page.sections.map((Part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the sections of a page never change
        <Part key={index} />
      ))}
    </SettingsTablePage>
  )
}

function FileButton(): ReactNode {
  const folder = useSession((state) => state.info.dataFolder)
  const file = `${folder}${folder.includes('\\') ? '\\' : '/'}settings.json`
  return (
    <Button title={`Open ${file}`} onClick={() => void openSettingsFile(file, null)}>
      settings.json
    </Button>
  )
}

interface ResultsProps {
  readonly query: string
  readonly field: RefObject<HTMLInputElement | null>
  readonly onShow: (part: SettingsPart) => void
}

/** The rows of all pages that match, in place: they work as on their pages. */
function Results({ query, field, onShow }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null)
  const [amount, setAmount] = useState(0)
  const pages = SETTINGS_PAGES.filter(({ title, words = '' }) => isSettingFound(query, [title, words]))
  // The rows decide themselves whether they match.
  useEffect(() => setAmount(rowsIn(list.current).length))
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = rowsIn(list.current)
    const at = rows.findIndex((row) => row.matches(':focus'))
    if (event.key === 'Escape') field.current?.focus()
    else if (at < 0) return
    else if (event.key === 'ArrowDown') rows[at + 1]?.focus()
    else if (event.key === 'ArrowUp') (rows[at - 1] ?? field.current)?.focus()
    else if (event.key === 'Enter') enter(rows[at])
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <SettingsFrame
      title="Search"
      sentence={
        <span role="status">
          {amount === 0 ? 'Nothing found' : `${amount} found`} for “{query}”.
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the rows */}
      <div ref={list} onKeyDown={onKeyDown} className="grid gap-3.5">
        {pages.length > 0 && (
          <ul className="grid gap-1.5">
            {pages.map(({ part, title, icon: Icon }) => (
              <li key={part}>
                <button
                  type="button"
                  data-setting={part}
                  data-result=""
                  onClick={() => onShow(part)}
                  className="flex h-8 w-full items-center gap-2.5 rounded-md border border-line bg-bg-1 px-3.5 text-left text-fg-0 text-sm hover:bg-bg-2"
                >
                  <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="text-fg-2" />
                  {title}
                  <span className="text-fg-2">page</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <div className="[&:not(:has([data-setting]))]:hidden">
          <SettingsTable>
            {SETTINGS_PAGES.map(({ part, title, sections = [] }) => (
              <SettingsSearchContext
                key={part}
                value={{ query, page: title, onShowPage: () => onShow(part) }}
              >
                {sections.map((Part, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the sections of a page never change
                  <Part key={index} />
                ))}
              </SettingsSearchContext>
            ))}
          </SettingsTable>
        </div>
        {amount === 0 && (
          <EmptyState title="No setting matches">
            Search for the name of a setting, its key in settings.json, or a word of its description.
          </EmptyState>
        )}
      </div>
    </SettingsFrame>
  )
}

function rowsIn(element: HTMLElement | null): readonly HTMLElement[] {
  return [...(element?.querySelectorAll<HTMLElement>('[data-setting]') ?? [])]
}

/** Goes to the first control of a row, or presses a row that is a button. */
function enter(row: HTMLElement | undefined): void {
  if (row === undefined) return
  if (row.tagName === 'BUTTON') row.click()
  row
    .querySelector<HTMLElement>(
      '[data-control] :is(input, button, textarea, [role="radio"][tabindex="0"], [role="switch"])',
    )
    ?.focus()
}
