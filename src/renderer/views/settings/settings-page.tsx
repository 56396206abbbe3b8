/** All settings on one page, with the sections listed at the left. Changes apply at once. */
import {
  type ComponentType,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { ProgramSettings } from '../../features/external-agents/program-settings.tsx'
import { HooksSettings } from '../../features/hooks/hooks-settings.tsx'
import { isWaiting, useHooks } from '../../features/hooks/hooks-store.ts'
import { LimitsSettings } from '../../features/limits/limits-settings.tsx'
import { McpSettings } from '../../features/mcp/mcp-settings.tsx'
import { AccessSettings } from '../../features/models/access-settings.tsx'
import { ModelSettings } from '../../features/models/model-settings.tsx'
import { ProviderSettings } from '../../features/models/provider-settings.tsx'
import { PermissionsPage } from '../../features/permissions/permissions-page.tsx'
import { PluginRow, PluginSettings } from '../../features/plugins/plugin-settings.tsx'
import { SandboxSection } from '../../features/sandbox/sandbox-settings.tsx'
import { AppearanceSettings } from '../../features/settings/appearance-settings.tsx'
import { SetupPage } from '../../features/setup/setup-page.tsx'
import { useSetup } from '../../features/setup/setup-store.ts'
import { CoordinationSettings } from '../../features/teams/coordination-settings.tsx'
import { WorkersSettings } from '../../features/workers/workers-settings.tsx'
import { WorktreeSettings } from '../../features/worktrees/worktree-settings.tsx'
import { MARKED, useMcp } from '../../stores/mcp-store.ts'
import { revealPath } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import {
  type SettingsPart,
  showSettingsPart,
  useSettingsFiles,
  useSettingsFilesLoaded,
  useSettingsPart,
} from '../../stores/settings-store.ts'
import { Dot } from '../../ui/dot.tsx'
import { SettingsSourceContext } from '../../ui/setting-row.tsx'
import { classNames } from '../../ui/text/class-names.ts'

/** A section of the settings. All sections without a page of their own are on one page. */
interface SectionEntry {
  readonly title: string
  readonly component: ComponentType
}

/** A part with a page of its own. */
interface PageEntry extends SectionEntry {
  readonly part: SettingsPart
  /** What its button counts: what waits for the user, and otherwise all there is. */
  readonly useCounts: () => { readonly waiting?: number; readonly amount?: number }
}

/** All settings, in the order of the list: an entry here is all that a section needs. The id is the section's element. */
const ENTRIES: readonly (PageEntry | (SectionEntry & { readonly id: string }))[] = [
  { part: 'setup', title: 'Your setup', component: SetupWithPlugins, useCounts: useSetupCounts },
  { id: 'access', title: 'Model access', component: AccessSettings },
  { id: 'models', title: 'Models', component: ModelSettings },
  { id: 'providers', title: 'Model providers', component: ProviderSettings },
  { id: 'programs', title: 'External agents', component: ProgramSettings },
  { part: 'permissions', title: 'Permissions', component: PermissionsPage, useCounts: useRuleCounts },
  { id: 'sandbox', title: 'Sandbox', component: SandboxSection },
  { id: 'plugins', title: 'Plugins', component: PluginSettings },
  { id: 'coordination', title: 'Coordination', component: CoordinationSettings },
  { id: 'limits', title: 'Limits', component: LimitsSettings },
  { id: 'workers', title: 'Workers', component: WorkersSettings },
  { id: 'worktrees', title: 'Worktrees and undo', component: WorktreeSettings },
  { id: 'appearance', title: 'Appearance and editor', component: AppearanceSettings },
  { part: 'mcp', title: 'MCP servers', component: McpSettings, useCounts: useServerCounts },
  { part: 'hooks', title: 'Hooks', component: HooksSettings, useCounts: useHookCounts },
]

const SECTIONS = ENTRIES.filter((entry) => 'id' in entry)
const PAGES = ENTRIES.filter((entry) => 'part' in entry)

/** The list of the settings, and the chosen page. */
export function SettingsPage() {
  const page = useRef<HTMLElement>(null)
  const current = useCurrentSection(page)
  const version = useSession((state) => state.info.version)
  useSettingsFilesLoaded()
  const own = useSettingsPart((state) => state.part)
  const Own = PAGES.find(({ part }) => part === own)?.component
  const show = (id: string) => {
    // The sections are on the page at once, so that it can scroll to one.
    flushSync(() => useSettingsPart.setState({ part: null }))
    document.getElementById(id)?.scrollIntoView({ block: 'start' })
  }
  return (
    <div className="grid min-h-0 grid-cols-[clamp(160px,17%,232px)_minmax(0,1fr)]">
      <nav aria-label="Settings" className="flex flex-col border-line border-r bg-bg-1 py-2.5">
        <h1 className="side-heading px-3.5 pb-1.5">Settings</h1>
        {ENTRIES.map((entry) =>
          'part' in entry ? (
            <PageButton key={entry.part} entry={entry} isShown={entry.part === own} />
          ) : (
            <ListButton
              key={entry.id}
              isShown={own === null && entry.id === current}
              onClick={() => show(entry.id)}
            >
              {entry.title}
            </ListButton>
          ),
        )}
        <p className="mt-auto px-3.5 pt-4 text-fg-2 text-xs">Troupe {version}</p>
      </nav>
      <SettingsSourceContext value={useSource()}>
        {Own !== undefined && <Own />}
        {/* Positioned: text for screen readers inside must not extend the window. */}
        <main ref={page} hidden={own !== null} className="relative min-h-0 overflow-y-auto">
          <div className="mx-auto max-w-[760px] px-8 pt-6 pb-[30vh]">
            {SECTIONS.map(({ id, component: Section }) => (
              <Section key={id} />
            ))}
          </div>
        </main>
      </SettingsSourceContext>
    </div>
  )
}

function useSource() {
  const folder = useSession((state) => state.info.dataFolder)
  const origins = useSettingsFiles((state) => state.origins)
  const file = `${folder}${folder.includes('\\') ? '\\' : '/'}settings.json`
  return useMemo(() => ({ file, origins, onShow: () => void revealPath(file) }), [file, origins])
}

function SetupWithPlugins() {
  return <SetupPage renderPlugin={(plugin) => <PluginRow plugin={plugin} />} />
}

function useSetupCounts() {
  const waiting = useSetup(
    ({ report }) => report?.items.filter(({ state }) => state === 'needs-you').length ?? 0,
  )
  return { waiting }
}

function useRuleCounts() {
  const amount = useSettingsFiles(
    (store) => store.rules?.entries.filter(({ list }) => list !== 'additionalDirectories').length ?? 0,
  )
  return { amount }
}

function useServerCounts() {
  const waiting = useMcp((store) => store.state?.servers.filter(MARKED.waiting).length ?? 0)
  const amount = useMcp((store) => store.state?.servers.length ?? 0)
  return { waiting, amount }
}

function useHookCounts() {
  const waiting = useHooks((store) => store.state?.entries.filter(isWaiting).length ?? 0)
  const amount = useHooks((store) => store.state?.entries.length ?? 0)
  return { waiting, amount }
}

function PageButton({ entry, isShown }: { readonly entry: PageEntry; readonly isShown: boolean }) {
  const { waiting = 0, amount = 0 } = entry.useCounts()
  return (
    <ListButton isShown={isShown} onClick={() => showSettingsPart(entry.part)}>
      {entry.title}
      <span className="ml-auto flex items-center gap-2 font-mono text-fg-2 text-xs">
        {waiting > 0 ? (
          <>
            <Dot status="needs-you" />
            {waiting}
            <span className="sr-only"> waiting</span>
          </>
        ) : (
          amount > 0 && amount
        )}
      </span>
    </ListButton>
  )
}

interface ListButtonProps {
  readonly isShown: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function ListButton({ isShown, onClick, children }: ListButtonProps) {
  return (
    <button
      type="button"
      aria-current={isShown ? 'true' : undefined}
      onClick={onClick}
      className={classNames(
        'flex items-center gap-2 px-3.5 py-1 text-left text-sm focus-visible:-outline-offset-2',
        isShown ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      {children}
    </button>
  )
}

const FIRST = 'access'

/** The section on the screen: the last section whose heading has passed the top. */
function useCurrentSection(page: RefObject<HTMLElement | null>): string {
  const [current, setCurrent] = useState<string>(FIRST)
  useEffect(() => {
    const element = page.current
    if (element === null) return
    const update = () => {
      const passed = SECTIONS.filter(
        ({ id }) => (document.getElementById(id)?.getBoundingClientRect().top ?? 0) < 140,
      )
      setCurrent(passed.at(-1)?.id ?? FIRST)
    }
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [page])
  return current
}
