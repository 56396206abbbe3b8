/** The sandbox for commands: whether it runs here, and what commands may do in it. */
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { SandboxState } from '../../../shared/permissions/confinement.ts'
import type { SandboxSettings as SandboxValues } from '../../../shared/settings/sandbox-settings.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'

export function SandboxSection() {
  const sandbox = useSession((state) => state.settings.sandbox)
  const state = useSandboxState(sandbox.enabled)
  const off = !sandbox.enabled
  return (
    <Section title="Sandbox" isOnly>
      <SwitchRow
        title="Run commands in a sandbox"
        name="enabled"
        sandbox={sandbox}
        hint={aboutState(state)}
      />
      <SwitchRow
        title="Run them without asking"
        name="autoAllowBashIfSandboxed"
        sandbox={sandbox}
        disabled={off}
        hint="A command that can only touch its agent’s folder needs no permission. Rules that deny or ask still count."
      />
      <SwitchRow
        title="Let agents ask to leave it"
        name="allowUnsandboxedCommands"
        sandbox={sandbox}
        disabled={off}
        hint="For commands that need the network or write elsewhere. You are asked each time, unless a rule allows the command."
      />
      <WordsRow
        title="Allowed hosts"
        hint="Hosts that all commands reach: packages.example.com, *.example.com. Rules such as WebFetch(domain:example.com) allow their host too."
        name="sandbox.network.allowedDomains"
        values={sandbox.network.allowedDomains}
        disabled={off}
        patchOf={(allowedDomains) => ({
          ...sandbox,
          network: { ...sandbox.network, allowedDomains: [...allowedDomains] },
        })}
      />
      <WordsRow
        title="Local sockets"
        hint="Sockets of this machine that all commands reach: $SSH_AUTH_SOCK for your ssh agent, or a path. Whoever reaches the socket of Docker can do anything on this machine."
        name="sandbox.network.allowUnixSockets"
        values={sandbox.network.allowUnixSockets}
        disabled={off}
        patchOf={(allowUnixSockets) => ({
          ...sandbox,
          network: { ...sandbox.network, allowUnixSockets: [...allowUnixSockets] },
        })}
      />
      <WordsRow
        title="Folders to write to"
        hint="Further folders for all commands, such as ~/.npm or ~/.cache."
        name="sandbox.filesystem.allowWrite"
        values={sandbox.filesystem.allowWrite}
        disabled={off}
        patchOf={(allowWrite) => ({
          ...sandbox,
          filesystem: { ...sandbox.filesystem, allowWrite: [...allowWrite] },
        })}
      />
    </Section>
  )
}

function useSandboxState(enabled: boolean): SandboxState | null {
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

function aboutState(state: SandboxState | null): string {
  if (state === null) return 'Looking whether it can start here.'
  if (state.kind === 'on') return ['It runs on this machine.', state.note ?? ''].join(' ').trim()
  if (state.kind === 'off')
    return 'Off: a command that is not known to only read needs permission, or a rule.'
  return `${state.message} Until then, commands that can change something need permission.`
}

interface SwitchRowProps {
  readonly title: string
  readonly hint: string
  readonly name: 'enabled' | 'autoAllowBashIfSandboxed' | 'allowUnsandboxedCommands'
  readonly sandbox: SandboxValues
  readonly disabled?: boolean
}

function SwitchRow({ title, hint, name, sandbox, disabled = false }: SwitchRowProps) {
  const [error, change] = useChange()
  return (
    <Row title={title} name={`sandbox.${name}`} hint={hint} error={error}>
      <Switch
        label={title}
        checked={sandbox[name]}
        disabled={disabled}
        onChange={(on) => void change({ sandbox: { ...sandbox, [name]: on } })}
      />
    </Row>
  )
}

interface WordsRowProps {
  readonly title: string
  readonly hint: string
  /** The keys in the settings file. */
  readonly name: string
  readonly values: readonly string[]
  readonly disabled: boolean
  readonly patchOf: (values: readonly string[]) => SandboxValues
}

/** Words with spaces between: applied on Enter and on blur. A refused text stays, with the reason. */
function WordsRow({ title, hint, name, values, disabled, patchOf }: WordsRowProps) {
  const id = useId()
  const [error, change, setError] = useChange()
  const [typed, setTyped] = useState<string | null>(null)
  const shown = typed ?? values.join(' ')
  const take = async () => {
    if (typed === null) return
    await change({ sandbox: patchOf(typed.split(/[\s,]+/).filter((word) => word !== '')) })
  }
  const kept = values.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field follows the saved values
  useEffect(() => setTyped(null), [kept])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void take()
    else if (event.key === 'Escape' && typed !== null) {
      setTyped(null)
      setError(null)
      event.stopPropagation()
    }
  }
  return (
    <Row title={title} name={name} hint={hint} error={error}>
      <label htmlFor={id} className="sr-only">
        {title}
      </label>
      <input
        id={id}
        value={shown}
        disabled={disabled}
        spellCheck={false}
        placeholder="None"
        aria-invalid={error !== null || undefined}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => void take()}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} h-7 w-72! max-w-full font-mono text-sm disabled:opacity-45`}
      />
    </Row>
  )
}
