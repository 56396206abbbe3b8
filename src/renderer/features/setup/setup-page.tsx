/** Settings › Your setup: the files that were found, what of them counts, and why the rest does not. */
import { ChevronRight, Circle, CircleCheck, CircleDashed, CircleSlash2, RefreshCw } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { InstalledPlugin } from '../../../shared/plugins/installed-plugin.ts'
import {
  importText,
  type SetupGroup,
  type SetupItem,
  type SetupReport,
  type SetupState,
  setupGroupHints,
  setupGroupNames,
  setupGroups,
  setupStateNames,
} from '../../../shared/setup/setup.ts'
import { useSession } from '../../stores/session-store.ts'
import { type SettingsPart, showSettingsPart, useSettingsFiles } from '../../stores/settings-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Dot } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Section, SettingsFrame, SettingsSearchContext } from '../../ui/setting-page.tsx'
import { FilePlace, Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { openSetupFile, previewImport, scanSetup, undoImport, useSetup } from './setup-store.ts'

/** How a plugin and its switch are shown. */
type RenderPlugin = (plugin: InstalledPlugin) => ReactNode
const RenderPluginContext = createContext<RenderPlugin>(() => null)

/** The whole page. */
export function SetupPage({ renderPlugin }: { readonly renderPlugin: RenderPlugin }) {
  const folder = useSession((state) => state.folder?.path ?? null)
  const trusted = useSession((state) => state.folder?.trusted === true)
  const report = useSetup((state) => state.report)
  const isScanning = useSetup((state) => state.isScanning)
  const problem = useSetup((state) => state.problem)
  const [shown, setShown] = useState<Filter>('all')
  // biome-ignore lint/correctness/useExhaustiveDependencies: trust decides what is read of the folder
  useEffect(() => {
    void scanSetup()
  }, [folder, trusted])
  const items = report?.folder === folder ? report.items : null
  const files = items?.reduce((sum, item) => sum + item.files, 0) ?? 0
  return (
    <SettingsFrame
      title="Your setup"
      sentence={`${items === null ? 'Looking for files.' : `${count(files, 'file')} found.`} Claude Code’s files are read where they are.`}
      actions={
        <>
          {items !== null && items.length > 0 && (
            <Segmented
              label="States"
              value={shown}
              onChange={setShown}
              options={filtersOf(items)}
              className="max-w-full shrink! overflow-x-auto!"
            />
          )}
          <Button disabled={isScanning || folder === null} onClick={() => void scanSetup()}>
            <RefreshCw size={12} strokeWidth={1.75} aria-hidden="true" />
            {isScanning ? 'Scanning…' : 'Scan again'}
          </Button>
        </>
      }
    >
      {problem !== null && (
        <p role="alert" className="text-bad text-sm">
          <VisibleText>{problem}</VisibleText>
        </p>
      )}
      {folder === null ? (
        <EmptyState title="No folder is open">Open a folder to see the setup that holds in it.</EmptyState>
      ) : items === null ? (
        <EmptyState title="Reading your setup">
          <Spinner />
        </EmptyState>
      ) : items.length === 0 ? (
        <EmptyState title="No setup found">
          Instructions such as CLAUDE.md, settings, agents, skills, hooks and MCP servers of Claude Code and
          other programs appear here, yours and those of this folder.
        </EmptyState>
      ) : (
        <RenderPluginContext value={renderPlugin}>
          <SetupTable items={items.filter(matches(shown))} isBusy={isScanning} />
        </RenderPluginContext>
      )}
      <ImportDialog />
    </SettingsFrame>
  )
}

/** The files of the setup as rows of a search, each with its action. */
export function SetupRows() {
  const folder = useSession((state) => state.folder?.path ?? null)
  const report = useSetup((state) => state.report)
  const search = useContext(SettingsSearchContext)
  const isRead = report !== null && report.folder === folder
  useEffect(() => {
    if (!isRead) void scanSetup()
  }, [isRead])
  if (!isRead) return null
  return (
    <Section title="Your setup">
      {report.items.map(({ group, what, shown, state, details, file, notes }) => (
        <Row
          key={`${what} ${shown} ${details}`}
          title={what}
          hint={`${setupStateNames[state]} · ${details}`}
          words={`${setupGroupNames[group]} ${shown} ${notes.join(' ')}`}
          place={<FilePlace source={setupGroupNames[group]} file={file} line={null} shown={shown} />}
        >
          <Button aria-label={`Show ${what} ${shown}`} onClick={() => search?.onShowPage()}>
            Show
          </Button>
        </Row>
      ))}
    </Section>
  )
}

type Filter = 'all' | SetupState

const matches =
  (filter: Filter) =>
  ({ state }: SetupItem): boolean =>
    filter === 'all' || filter === state

function filtersOf(items: SetupReport['items']) {
  const values: readonly Filter[] = ['all', 'used', 'partly', 'needs-you', 'not-used', 'not-imported']
  return values.map((value) => ({
    value,
    label: `${value === 'all' ? 'All' : setupStateNames[value]} ${items.filter(matches(value)).length}`,
  }))
}

/** On narrow windows the details go below. */
const COLUMNS =
  'grid grid-cols-[minmax(110px,150px)_minmax(0,268px)_116px_minmax(0,1fr)_auto] items-center gap-x-4 px-3.5 @max-[44rem]:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)_auto]'

function SetupTable({ items, isBusy }: { readonly items: readonly SetupItem[]; readonly isBusy: boolean }) {
  const groups = setupGroups
    .map((group) => ({ group, own: items.filter((item) => item.group === group) }))
    .filter(({ own }) => own.length > 0)
  if (groups.length === 0)
    return (
      <EmptyState title="No file is in this state">Choose “All” to see every file that was found.</EmptyState>
    )
  return (
    <div className="@container overflow-hidden rounded-lg border border-line bg-bg-1 text-sm">
      <div
        aria-hidden="true"
        className={classNames(COLUMNS, 'h-7 bg-bg-2 text-fg-2 text-xs @max-[44rem]:hidden')}
      >
        <span>What</span>
        <span>File</span>
        <span>State</span>
        <span>Details</span>
      </div>
      {groups.map(({ group, own }) => (
        <SetupGroupRows key={group} group={group} items={own} isBusy={isBusy} />
      ))}
    </div>
  )
}

function SetupGroupRows({
  group,
  items,
  isBusy,
}: {
  readonly group: SetupGroup
  readonly items: readonly SetupItem[]
  readonly isBusy: boolean
}) {
  const amounts = {
    servers: items.reduce((sum, { imports }) => sum + (imports?.servers ?? 0), 0),
    rules: items.reduce((sum, { imports }) => sum + (imports?.rules ?? 0), 0),
  }
  return (
    <section aria-label={setupGroupNames[group]}>
      <h2 className="flex h-8 items-center gap-2 border-line border-t bg-bg-2 px-3.5 font-semibold text-fg-0">
        {setupGroupNames[group]}
        <span className="font-normal text-fg-2">{setupGroupHints[group]}</span>
        {group === 'others' && amounts.servers + amounts.rules > 0 && (
          <Button className="ml-auto" disabled={isBusy} onClick={() => void previewImport(null)}>
            Import {importText(amounts)}…
          </Button>
        )}
      </h2>
      <ul>
        {items.map((item) => (
          <SetupRow key={`${item.what} ${item.shown} ${item.details}`} item={item} isBusy={isBusy} />
        ))}
      </ul>
    </section>
  )
}

function SetupRow({ item, isBusy }: { readonly item: SetupItem; readonly isBusy: boolean }) {
  const { what, shown, state, details, notes } = item
  const [isOpen, setOpen] = useState(false)
  const more = notes.filter((note) => note !== details)
  return (
    <li className="border-line border-t">
      <div className={classNames(COLUMNS, 'min-h-7 py-0.5')}>
        <span className="truncate text-fg-0">
          <VisibleText>{what}</VisibleText>
        </span>
        <code className="truncate font-mono text-fg-1 text-xs" title={shown}>
          <VisibleText>{shown}</VisibleText>
        </code>
        <StateText state={state} />
        <span className="flex min-w-0 items-center gap-1 text-fg-2 @max-[44rem]:col-span-2 @max-[44rem]:col-start-1">
          {more.length > 0 && (
            <IconButton
              label={`${isOpen ? 'Hide' : 'Show'} the reasons for ${what} ${shown}`}
              icon={ChevronRight}
              aria-expanded={isOpen}
              className={classNames('-ml-1.5 shrink-0', isOpen && 'rotate-90')}
              onClick={() => setOpen(!isOpen)}
            />
          )}
          <span className="truncate" title={details}>
            <VisibleText>{details}</VisibleText>
          </span>
        </span>
        <span className="flex justify-end">
          <RowAction item={item} isBusy={isBusy} />
        </span>
      </div>
      {isOpen && (
        <ul className="grid gap-0.5 px-3.5 pb-2 text-fg-1 text-xs" data-selectable="">
          {more.map((note) => (
            <li key={note} className="wrap-anywhere">
              <VisibleText>{note}</VisibleText>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** The one thing that the user can do about an item: decide, turn on, import, take back, or look at it. */
function RowAction({ item, isBusy }: { readonly item: SetupItem; readonly isBusy: boolean }) {
  const { what, shown, file, isFolder = false, state, imports, plugin } = item
  const [isTurningOn, setTurningOn] = useState(false)
  const known = useSettingsFiles((store) => store.plugins?.find(({ name }) => name === plugin))
  const part = partOf(item)
  const renderPlugin = useContext(RenderPluginContext)
  const action = (label: string, name: string, act: () => void) => (
    <Button variant="quiet" aria-label={name} disabled={isBusy} onClick={act}>
      {label}
    </Button>
  )
  if (state === 'needs-you' && part !== null)
    return action('Review…', `Review ${what} of ${shown}`, () => showSettingsPart(part))
  if (known !== undefined)
    return (
      <>
        {action('Turn on…', `Turn on ${what}`, () => setTurningOn(true))}
        <Dialog
          open={isTurningOn}
          onClose={() => {
            setTurningOn(false)
            void scanSetup()
          }}
          width={620}
          title={`Turn on ${known.name}`}
          description="This is what the plugin brings. What it runs, runs with your rights."
        >
          {renderPlugin(known)}
        </Dialog>
      </>
    )
  if (what === 'Keybindings')
    return action('Show', `Show the keys of ${shown}`, () => showSettingsPart('keys'))
  if (file === null) return null
  if (imports !== undefined && imports.servers + imports.rules > 0)
    return action('Import…', `Import ${importText(imports)} of ${shown}`, () => void previewImport(file))
  if (imports !== undefined && imports.done > 0)
    return action('Undo', `Undo the import of ${shown}`, () => void undoImport(file))
  return isFolder
    ? action('Show', `Show the folder of ${what}, ${shown}`, () => void openSetupFile(file))
    : action('Open', `Open ${shown}`, () => void openSetupFile(file))
}

/** The page of the settings where the user decides. */
function partOf({ what }: SetupItem): SettingsPart | null {
  if (what.startsWith('MCP')) return 'mcp'
  if (what.startsWith('Hooks')) return 'hooks'
  return what === 'Settings' ? 'permissions' : null
}

const ICONS = {
  used: CircleCheck,
  partly: CircleDashed,
  'not-used': CircleSlash2,
  'not-imported': Circle,
} as const

function StateText({ state }: { readonly state: SetupState }) {
  const Icon = state === 'needs-you' ? null : ICONS[state]
  return (
    <span
      className={classNames(
        'flex items-center gap-1.5 whitespace-nowrap',
        state === 'used'
          ? 'text-ok'
          : state === 'needs-you'
            ? 'text-needs-you'
            : state === 'partly'
              ? 'text-fg-0'
              : 'text-fg-2',
      )}
    >
      {Icon === null ? <Dot status="needs-you" /> : <Icon size={13} strokeWidth={1.75} aria-hidden="true" />}
      {setupStateNames[state]}
    </span>
  )
}
