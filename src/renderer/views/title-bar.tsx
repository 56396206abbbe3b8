/** The bar at the top: folder, branch, palette, coordinator mode, permission mode and running agents. */

import { Drama, GitBranch, ShieldQuestion, Waypoints } from 'lucide-react'
import { ModePicker } from '../features/composer/composer-actions.tsx'
import { toggleCoordinator, useCoordinates } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { useKeysOf } from '../stores/keys-store.ts'
import { showOverlay } from '../stores/overlay-store.ts'
import { askAboutTrust } from '../stores/session-feed.ts'
import { useRoom, useSession } from '../stores/session-store.ts'
import { showSettingsPart } from '../stores/settings-store.ts'
import { ChipButton } from '../ui/chip.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Tooltip } from '../ui/popover.tsx'
import { count } from '../ui/text/format.ts'
import { AgentsMenu } from './agents-menu.tsx'
import { FolderMenu } from './folder-menu.tsx'

export function TitleBar() {
  const room = useRoom()
  const folderOpen = useSession((state) => state.folder !== null)
  return (
    <header className="grid grid-cols-[minmax(0,1fr)_minmax(9rem,min(20rem,20vw))_minmax(max-content,1fr)] items-center gap-3 border-line border-b bg-bg-1 px-3">
      <div className="flex min-w-0 items-center gap-3">
        <Logo />
        <FolderMenu />
        <Branch />
      </div>
      <PaletteButton short={room !== 'wide'} />
      <div className="flex min-w-0 items-center justify-end gap-3">
        <RehearsalChip />
        <TrustChip />
        {folderOpen && <CoordinatorButton compact={room === 'narrow'} />}
        {room !== 'narrow' && folderOpen && <ModePicker side="bottom" />}
        <AgentsMenu />
      </div>
    </header>
  )
}

function Branch() {
  const branch = useSession((state) => state.folder?.gitBranch ?? null)
  const dirty = useSession((state) => state.folder?.dirtyFiles ?? 0)
  if (branch === null) return null
  const text = dirty === 0 ? 'No uncommitted changes' : `${count(dirty, 'file')} with uncommitted changes`
  return (
    <Tooltip text={`${branch}: ${text}`}>
      {/* Text without a box: it is no button. */}
      <span
        role="img"
        aria-label={`Branch ${branch}. ${text}`}
        className="flex min-w-0 max-w-56 shrink items-center gap-1.5 font-mono text-fg-1 text-xs"
      >
        <GitBranch size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
        <span className="truncate">{branch}</span>
        {dirty > 0 && <span className="text-fg-2">±{dirty}</span>}
      </span>
    </Tooltip>
  )
}

function PaletteButton({ short }: { readonly short: boolean }) {
  const keysOf = useKeysOf()
  return (
    <button
      type="button"
      onClick={() => showOverlay('palette')}
      className="flex h-[1.625rem] min-w-0 items-center justify-between gap-2 rounded-md border border-line bg-bg-0 px-2 text-fg-2 text-sm transition-colors duration-100 hover:border-line-strong hover:text-fg-1"
    >
      <span className="truncate">{short ? 'Go to…' : 'Go to agent, file, command…'}</span>
      <Kbd keys={keysOf('palette') ?? ''} />
    </button>
  )
}

/** Marks a conversation that a script answers, so that no user mistakes the script for a model. */
function RehearsalChip() {
  const chosen = useSession((state) => state.access.kind === 'rehearsal')
  const rehearsed = useConversation((state) => state.record?.rehearsal)
  if (!(rehearsed ?? chosen)) return null
  return (
    <Tooltip text="A script answers, not a model. Choose a model in Settings.">
      <ChipButton icon={Drama} onClick={() => showSettingsPart('access')}>
        Rehearsal
      </ChipButton>
    </Tooltip>
  )
}

function TrustChip() {
  const folder = useSession((state) => state.folder)
  if (folder === null || folder.trusted) return null
  return (
    <Tooltip text="This folder is not trusted. Agents can only read.">
      <ChipButton icon={ShieldQuestion} onClick={() => askAboutTrust(folder.path)}>
        Read only
      </ChipButton>
    </Tooltip>
  )
}

/** Switches coordinator mode, and shows whether it is on. `compact`: only the icon. */
export function CoordinatorButton({ compact }: { readonly compact: boolean }) {
  const keysOf = useKeysOf()
  const isOn = useCoordinates()
  const hasBegun = useConversation(({ conversationId }) => conversationId !== null)
  const isScratch = useConversation(({ record }) => record?.scratch === true)
  return (
    <Tooltip
      text={`Coordinator mode is ${isOn ? 'on' : 'off'}${hasBegun ? '' : ' for this new conversation'}. A coordinator only plans, gives the work to agents and merges it.`}
      keys={keysOf('coordinator-mode')}
    >
      <ChipButton
        icon={Waypoints}
        aria-label="Coordinator mode"
        aria-pressed={isOn}
        disabled={isScratch}
        onClick={toggleCoordinator}
        className="aria-pressed:border-accent aria-pressed:bg-bg-3 aria-pressed:text-fg-0 aria-pressed:[&>svg]:text-accent"
      >
        {!compact && 'Coordinator'}
      </ChipButton>
    </Tooltip>
  )
}

const BARS = ['var(--agent-blue)', 'var(--agent-green)', 'var(--agent-red)', 'var(--agent-purple)']

/** The logo: four bars and the name. */
function Logo() {
  return (
    <span className="flex shrink-0 items-center gap-2 font-[650] text-fg-0 text-md tracking-[-0.01em]">
      <span aria-hidden="true" className="inline-flex gap-0.5">
        {BARS.map((color) => (
          <span key={color} className="h-3.5 w-[5px] rounded-[2px]" style={{ background: color }} />
        ))}
      </span>
      Troupe
    </span>
  )
}
