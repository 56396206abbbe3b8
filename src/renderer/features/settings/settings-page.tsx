/** All settings on one page, with the sections listed at the left. Changes apply at once. */
import { Fragment, type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isWaiting, useHooks } from '../../stores/hooks-store.ts'
import {
  MARKED,
  type SettingsPart,
  showSettingsPart,
  useMcp,
  useSettingsPart,
} from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useSettingsFiles, useSettingsFilesLoaded } from '../../stores/settings-files-store.ts'
import { Dot } from '../../ui/dot.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { AccessSettings } from './access-settings.tsx'
import { AppearanceSettings } from './appearance-settings.tsx'
import { CoordinationSettings } from './coordination-settings.tsx'
import { HooksSettings } from './hooks/hooks-settings.tsx'
import { LimitsSettings } from './limits-settings.tsx'
import { McpSettings } from './mcp/mcp-settings.tsx'
import { ModelSettings } from './model-settings.tsx'
import { PermissionsPage } from './permissions/permissions-page.tsx'
import { PluginSettings } from './plugin-settings.tsx'
import { ProgramSettings } from './program-settings.tsx'
import { ProviderSettings } from './provider-settings.tsx'
import { SandboxSettings } from './sandbox-settings.tsx'
import { SetupPage } from './setup-page.tsx'
import { useSetup } from './setup-store.ts'
import { WorkersSettings } from './workers-settings.tsx'
import { WorktreeSettings } from './worktree-settings.tsx'

/** The sections of the page. The setup, permissions, MCP servers and hooks have pages of their own. */
const PARTS = [
  ['access', 'Model access'],
  ['models', 'Models'],
  ['providers', 'Model providers'],
  ['programs', 'External agents'],
  ['sandbox', 'Sandbox'],
  ['plugins', 'Plugins'],
  ['coordination', 'Coordination'],
  ['limits', 'Limits'],
  ['workers', 'Workers'],
  ['worktrees', 'Worktrees and undo'],
  ['appearance', 'Appearance and editor'],
] as const

export function SettingsPage() {
  const page = useRef<HTMLElement>(null)
  const current = useCurrentPart(page)
  const version = useSession((state) => state.info.version)
  useSettingsFilesLoaded()
  const waiting = useSetup(
    ({ report }) => report?.items.filter(({ state }) => state === 'needs-you').length ?? 0,
  )
  const own = useSettingsPart((state) => state.part)
  const show = (id: string) => {
    // The sections are on the page at once, so that it can scroll to one.
    flushSync(() => useSettingsPart.setState({ part: null }))
    document.getElementById(id)?.scrollIntoView({ block: 'start' })
  }
  return (
    <div className="grid min-h-0 grid-cols-[clamp(160px,17%,232px)_minmax(0,1fr)]">
      <nav aria-label="Settings" className="flex flex-col border-line border-r bg-bg-1 py-2.5">
        <h1 className="side-heading px-3.5 pb-1.5">Settings</h1>
        <PartButton part="setup" title="Your setup" waiting={waiting} amount={0} />
        {PARTS.map(([id, title]) => (
          <Fragment key={id}>
            <button
              type="button"
              aria-current={own === null && id === current ? 'true' : undefined}
              onClick={() => show(id)}
              className={classNames(
                'px-3.5 py-1 text-left text-sm focus-visible:-outline-offset-2',
                own === null && id === current ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
              )}
            >
              {title}
            </button>
            {id === 'programs' && <PermissionsButton />}
          </Fragment>
        ))}
        <McpButton />
        <HooksButton />
        <p className="mt-auto px-3.5 pt-4 text-fg-2 text-xs">Troupe {version}</p>
      </nav>
      {own === 'setup' && <SetupPage />}
      {own === 'permissions' && <PermissionsPage />}
      {own === 'mcp' && <McpSettings />}
      {own === 'hooks' && <HooksSettings />}
      {/* Positioned: text for screen readers inside must not extend the window. */}
      <main ref={page} hidden={own !== null} className="relative min-h-0 overflow-y-auto">
        <div className="mx-auto max-w-[760px] px-8 pt-6 pb-[30vh]">
          <AccessSettings />
          <ModelSettings />
          <ProviderSettings />
          <ProgramSettings />
          <SandboxSettings />
          <PluginSettings />
          <CoordinationSettings />
          <LimitsSettings />
          <WorkersSettings />
          <WorktreeSettings />
          <AppearanceSettings />
        </div>
      </main>
    </div>
  )
}

function PermissionsButton() {
  const amount = useSettingsFiles(
    (store) => store.rules?.entries.filter(({ list }) => list !== 'additionalDirectories').length ?? 0,
  )
  return <PartButton part="permissions" title="Permissions" waiting={0} amount={amount} />
}

/** MCP servers have a page of their own: a list and the selected server. */
function McpButton() {
  const waiting = useMcp((store) => store.state?.servers.filter(MARKED.waiting).length ?? 0)
  const amount = useMcp((store) => store.state?.servers.length ?? 0)
  return <PartButton part="mcp" title="MCP servers" waiting={waiting} amount={amount} />
}

function HooksButton() {
  const waiting = useHooks((store) => store.state?.entries.filter(isWaiting).length ?? 0)
  const amount = useHooks((store) => store.state?.entries.length ?? 0)
  return <PartButton part="hooks" title="Hooks" waiting={waiting} amount={amount} />
}

interface PartButtonProps {
  readonly part: SettingsPart
  readonly title: string
  readonly waiting: number
  readonly amount: number
}

function PartButton({ part, title, waiting, amount }: PartButtonProps) {
  const isShown = useSettingsPart((state) => state.part === part)
  return (
    <button
      type="button"
      aria-current={isShown ? 'true' : undefined}
      onClick={() => showSettingsPart(part)}
      className={classNames(
        'flex items-center gap-2 px-3.5 py-1 text-left text-sm focus-visible:-outline-offset-2',
        isShown ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      {title}
      <span className="ml-auto flex items-center gap-2 font-mono text-fg-2 text-xs">
        {waiting > 0 && (
          <>
            <Dot status="needs-you" />
            <span className="sr-only">{waiting} waiting, </span>
          </>
        )}
        {amount > 0 && amount}
      </span>
    </button>
  )
}

/** The section on the screen: the last section whose heading has passed the top. */
function useCurrentPart(page: RefObject<HTMLElement | null>): string {
  const [current, setCurrent] = useState<string>(PARTS[0][0])
  useEffect(() => {
    const element = page.current
    if (element === null) return
    const update = () => {
      const passed = PARTS.filter(
        ([id]) => (document.getElementById(id)?.getBoundingClientRect().top ?? 0) < 140,
      )
      setCurrent(passed.at(-1)?.[0] ?? PARTS[0][0])
    }
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [page])
  return current
}
