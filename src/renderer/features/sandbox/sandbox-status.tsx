/** Whether commands run in the sandbox on this machine: its state, the word in the status bar, and how to install it. */
import { useEffect, useState } from 'react'
import type { SandboxState } from '../../../shared/permissions/confinement.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/text/copy-text.ts'

/** Null: not known yet. Asked again when the switch was used. */
export function useSandboxState(enabled: boolean): SandboxState | null {
  const [state, setState] = useState<SandboxState | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is another one after the switch was used
  useEffect(() => {
    let stale = false
    void command('sandbox.state', {}).then((answer) => {
      if (!stale && answer.ok && answer.value !== undefined) setState(answer.value)
    })
    return () => {
      stale = true
    }
  }, [enabled])
  return state
}

/** In the status bar while the user wants the sandbox and it can't start. A press shows why, and what to do. */
export function SandboxStatus() {
  const enabled = useSession((state) => state.settings.sandbox.enabled)
  const state = useSandboxState(enabled)
  if (!enabled || state === null || !('message' in state)) return null
  return (
    <button
      type="button"
      title={state.message}
      onClick={() => showSettingsPart('sandbox')}
      className="shrink-0 hover:text-fg-0 hover:underline focus-visible:-outline-offset-2"
    >
      no sandbox
    </button>
  )
}

/** Shows the command that installs what is missing, to be copied into a terminal. */
export function InstallCommand({ command: text }: { readonly command: string }) {
  const [isShown, setShown] = useState(false)
  const [copied, setCopied] = useState(false)
  if (!isShown)
    return (
      <div className="py-2">
        <Button onClick={() => setShown(true)}>Show install command</Button>
      </div>
    )
  return (
    <div className="flex items-center gap-2 py-2">
      <code
        data-selectable=""
        className="rounded-sm border border-line bg-bg-0 px-2 py-1 font-mono text-fg-0 text-xs wrap-anywhere"
      >
        {text}
      </code>
      <Button onClick={() => void copyText(text).then(setCopied)}>{copied ? 'Copied' : 'Copy'}</Button>
    </div>
  )
}
