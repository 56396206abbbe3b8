/**
 * The quiet notice of a newer version in the status bar. It stays until the user installs the version or puts it off. Where
 * this program can't install it, the notice has the command that does.
 */
import type { UpdateFound, UpdateState } from '../../../shared/updates/contract.ts'
import { openLink, showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { installAndRestart, looksForUpdates, putOffUpdate, showUpdates, useUpdate } from './updates-store.ts'

export function UpdateNotice() {
  const isOn = useSession((state) => looksForUpdates(state.settings))
  const state = useUpdate()
  const text = noticeText(state)
  if (!isOn || text === null) return null
  const isBusy = isWorking(state)
  return (
    <div
      role="status"
      aria-label="Update"
      className="flex h-5 min-w-0 items-center gap-2 rounded-sm border border-line-strong bg-bg-2 px-1 font-normal font-sans text-xs"
    >
      {isBusy && <Spinner />}
      <button
        type="button"
        title="Show what is new, in Settings"
        onClick={showUpdates}
        className="shrink-0 px-1 text-fg-0 hover:underline focus-visible:-outline-offset-2"
      >
        {text}
      </button>
      {state.found?.kind === 'newer' && !isBusy && (
        <>
          <Install found={state.found} />
          <Action label="Later" onClick={() => void putOffUpdate()} />
        </>
      )}
    </div>
  )
}

export const isWorking = ({ work }: UpdateState): boolean => work === 'fetching' || work === 'installing'

function noticeText(state: UpdateState): string | null {
  const { found, isLater, work } = state
  if (found?.kind === 'installed') return `Troupe ${found.version} is installed and runs after a restart`
  if (found?.kind !== 'newer') return null
  if (work === 'fetching') return `Fetching Troupe ${found.version}…`
  if (work === 'installing') return `Installing Troupe ${found.version}…`
  return isLater ? null : `Troupe ${found.version} is available`
}

/** What gets the version onto this machine, here and in the settings. */
export function Install({ found: { way } }: { readonly found: Extract<UpdateFound, { kind: 'newer' }> }) {
  switch (way.kind) {
    case 'self':
      return <Action label="Install and restart" onClick={() => void installAndRestart()} />
    case 'fetch':
      return <Action label="Get the package" onClick={() => void openLink(way.url)} />
    case 'command':
      return (
        <>
          <code
            title={way.command}
            data-selectable=""
            className="min-w-0 max-w-80 shrink truncate font-mono text-fg-1"
          >
            {way.command}
          </code>
          <Action label="Copy command" onClick={() => void copy(way.command)} />
        </>
      )
  }
}

async function copy(text: string): Promise<void> {
  const isCopied = await copyText(text)
  showNotice(
    isCopied
      ? { level: 'info', text: 'Copied. Paste it into a terminal.' }
      : { level: 'error', text: `The clipboard refused. Type this in a terminal: ${text}` },
  )
}

function Action({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="shrink-0 rounded-[4px] bg-bg-3 px-1.5 font-medium text-fg-0 hover:bg-line focus-visible:-outline-offset-2"
    >
      {label}
    </button>
  )
}
