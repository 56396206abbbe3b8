/**
 * The frame of every page of the settings: its title, one sentence, the table of its rows, and what rows need to know:
 * where settings are set, whether only changed ones are shown, and what the user searches for.
 */
import { createContext, type ReactNode, useContext, useId, useMemo, useState } from 'react'
import type { SettingOrigin } from '../../shared/settings/settings-layers.ts'
import { Segmented } from './segmented.tsx'

/** Where settings are set, and what a row does about it. */
interface SettingsSource {
  /** By the name of the setting; a setting with its default is missing. */
  readonly origins: Readonly<Record<string, SettingOrigin>>
  /** Opens the file at the line in the user's editor. */
  readonly onOpen: (file: string, line: number | null) => void
  /** Removes the setting from the program's own file. @returns the failure's message; null: done */
  readonly onReset: (name: string) => Promise<string | null>
}

/** Around all pages. */
export const SettingsSourceContext = createContext<SettingsSource>({
  origins: {},
  onOpen: () => {},
  onReset: async () => null,
})

interface SettingsSearch {
  readonly query: string
  /** Shows the page that has a section. */
  readonly onShowPage: () => void
  /** The title of that page. */
  readonly page: string
}

/** Around the pages while the user searches; null: a page is shown as it is. */
export const SettingsSearchContext = createContext<SettingsSearch | null>(null)

/** Whether every word of a query is in one of the texts. */
export function isSettingFound(query: string, texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

interface RowList {
  readonly onlyChanged: boolean
  /** Tells the table of a row: whether its setting is changed; null: the row is gone. */
  readonly report: (id: string, isChanged: boolean | null) => void
}

/** Around the rows of a table. */
export const RowListContext = createContext<RowList>({ onlyChanged: false, report: () => {} })

interface FrameProps {
  readonly title: string
  /** One sentence about the page. */
  readonly sentence: ReactNode
  /** At the right end of the header. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page with content of its own. */
export function SettingsFrame({ title, sentence, actions, children }: FrameProps) {
  return (
    // Positioned: text for screen readers inside must not extend the window.
    <main tabIndex={-1} aria-label={title} className="relative min-h-0 min-w-0 overflow-y-auto outline-none">
      <div className="grid max-w-[1160px] content-start gap-3.5 px-8 pt-5 pb-16 max-[899px]:px-4">
        <header className="flex flex-wrap items-end gap-x-4 gap-y-2">
          <div className="min-w-0 flex-[1_1_20rem]">
            <h1 className="font-semibold text-fg-0 text-xl leading-[1.75rem]">{title}</h1>
            <p className="text-fg-2 text-sm">{sentence}</p>
          </div>
          {actions !== undefined && (
            <div className="flex min-w-0 flex-wrap items-center gap-2.5">{actions}</div>
          )}
        </header>
        {children}
      </div>
    </main>
  )
}

interface TablePageProps extends FrameProps {
  /** The heading of the column with the controls. */
  readonly valueTitle?: string
  /** The heading of the column with the current use; missing: there is none. */
  readonly nowTitle?: string | undefined
}

/** A page that is a table of rows, with the choice to show only what is changed. */
export function SettingsTablePage({ valueTitle = 'Value', nowTitle, ...frame }: TablePageProps) {
  const [shown, setShown] = useState<'all' | 'changed'>('all')
  const [rows, setRows] = useState<ReadonlyMap<string, boolean>>(new Map())
  const changed = [...rows.values()].filter((isChanged) => isChanged).length
  const onlyChanged = shown === 'changed' && changed > 0
  const list = useMemo<RowList>(
    () => ({
      onlyChanged,
      report: (id, isChanged) =>
        setRows((now) => {
          const next = new Map(now)
          if (isChanged === null) next.delete(id)
          else next.set(id, isChanged)
          return next
        }),
    }),
    [onlyChanged],
  )
  return (
    <SettingsFrame
      {...frame}
      actions={
        <>
          {changed > 0 && (
            <Segmented
              label="Settings shown"
              value={onlyChanged ? 'changed' : 'all'}
              onChange={setShown}
              options={[
                { value: 'all', label: `All ${rows.size}` },
                { value: 'changed', label: `Changed ${changed}` },
              ]}
            />
          )}
          {frame.actions}
        </>
      }
    >
      <RowListContext value={list}>
        <SettingsTable nowTitle={nowTitle} valueTitle={valueTitle}>
          {frame.children}
        </SettingsTable>
      </RowListContext>
    </SettingsFrame>
  )
}

interface TableProps {
  readonly valueTitle?: string
  readonly nowTitle?: string | undefined
  readonly children: ReactNode
}

/** The box around the sections of a page. */
export function SettingsTable({ valueTitle = 'Value', nowTitle, children }: TableProps) {
  return (
    <div className="@container rounded-lg border border-line bg-bg-1">
      <div
        aria-hidden="true"
        className={`${nowTitle === undefined ? ROW_COLUMNS : NOW_COLUMNS} hidden h-7 rounded-t-lg bg-bg-2 px-3.5 text-fg-2 text-xs @[40rem]:grid`}
      >
        <span>Setting</span>
        {nowTitle !== undefined && <span className="truncate">{nowTitle}</span>}
        <span className="text-right">{valueTitle}</span>
        <span>Set in</span>
      </div>
      {children}
    </div>
  )
}

/** The columns of a row: the setting, its control, and where it is set. */
export const ROW_COLUMNS = 'grid grid-cols-[minmax(0,1fr)_auto_19%] items-center gap-x-4'
/** The same with the current use. */
export const NOW_COLUMNS = 'grid grid-cols-[minmax(0,1fr)_17%_9.75rem_19%] items-center gap-x-4'

interface SectionProps {
  readonly title: string
  /** One sentence after the title. */
  readonly hint?: ReactNode
  /** Whether the page has only this section, so that the page's title is enough. */
  readonly isOnly?: boolean
  readonly children: ReactNode
}

/** A group of rows. In the results of a search its title leads to its page. */
export function Section({ title, hint, isOnly = false, children }: SectionProps) {
  const id = useId()
  const search = useContext(SettingsSearchContext)
  const page = search?.page ?? title
  return (
    <section
      aria-labelledby={id}
      className="group/section divide-y divide-line border-line border-t [&:not(:has([data-setting]))]:hidden"
    >
      <h2
        id={id}
        className={
          isOnly && search === null
            ? 'sr-only'
            : 'flex min-h-[1.875rem] flex-wrap items-center gap-x-2 bg-bg-2 px-3.5 py-1 text-sm'
        }
      >
        {search === null ? (
          <span className="font-semibold text-fg-0">{title}</span>
        ) : (
          <button
            type="button"
            onClick={search.onShowPage}
            className="font-semibold text-fg-0 underline decoration-line-strong underline-offset-2 hover:decoration-current"
          >
            {page === title ? title : `${page} › ${title}`}
          </button>
        )}
        {hint !== undefined && search === null && (
          <span className="font-normal text-fg-2 text-xs">{hint}</span>
        )}
      </h2>
      {children}
    </section>
  )
}
