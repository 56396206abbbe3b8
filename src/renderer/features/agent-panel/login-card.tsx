/** The ways to log in that an external agent offers, when it needs a login. It begins by itself after that. */

import { Copy, LogIn } from 'lucide-react'
import { Fragment } from 'react'
import type { ExternalAgent } from '../../../shared/external-agents/external-agent.ts'
import { hasHiddenCharacters, makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { useAgentTitle } from '../../stores/conversation-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { CommandText } from '../../ui/text/visible-text.tsx'
import { logIn, loginActionKey, useProgramActions } from './program-strip.tsx'

type Login = NonNullable<ExternalAgent['login']>
type Method = Login['methods'][number]

/** Renders nothing for an agent that needs no login. */
export function LoginCard({ agent }: { readonly agent: AgentState }) {
  const name = useAgentTitle(agent.id) ?? ''
  const login = agent.program?.login ?? null
  if (login === null) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      role="group"
      aria-label={`${name} needs a login`}
      className="m-2.5 flex flex-col gap-2 overflow-y-auto rounded-md border border-needs-you/50 bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))] px-2.5 py-2 text-sm"
    >
      <p className="text-fg-0" data-selectable="">
        <b className="font-semibold">{name}</b> needs a login.
      </p>
      {login.methods.length === 0 && (
        <p className="text-fg-1">
          It offers no way to log in from here. Start it in a terminal, log in there, then start this agent
          again.
        </p>
      )}
      {login.methods.map((method) => (
        <MethodRow key={method.id} agentId={agent.id} method={method} />
      ))}
      <p className="text-fg-2 text-xs">
        Troupe does not see the login: it stays with {agent.definition.name}, which then begins by itself. You
        can also log in with the program itself in a terminal, and start the agent again.
      </p>
    </div>
  )
}

interface MethodRowProps {
  readonly agentId: string
  readonly method: Method
}

function MethodRow({ agentId, method }: MethodRowProps) {
  const description = makeVisible(method.description)
  const text = description !== '' && (
    <span dir="auto" className="min-w-40 flex-1 whitespace-pre-wrap text-fg-1 wrap-anywhere">
      {description}
    </span>
  )
  if (method.kind === 'agent')
    return (
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1" data-selectable="">
        <LogInButton agentId={agentId} method={method} label={makeVisible(method.name)} />
        {text}
      </div>
    )
  return (
    <div className="flex flex-col gap-1" data-selectable="">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium text-fg-0">{makeVisible(method.name)}</span>
        {text}
      </p>
      {method.kind === 'environment' && <Variables names={method.variables} />}
      {method.kind === 'terminal' && (
        <div className="flex items-center gap-2">
          {method.command !== null && <CopyLine text={method.command} />}
          <LogInButton agentId={agentId} method={method} label="I’m logged in" />
        </div>
      )}
    </div>
  )
}

function LogInButton({ agentId, method, label }: MethodRowProps & { readonly label: string }) {
  const busy = useProgramActions((state) => state.busy.has(loginActionKey(agentId, method.id)))
  return (
    <Button
      disabled={busy}
      focusableWhenDisabled
      aria-busy={busy}
      onClick={(event) => event.detail < 2 && void logIn(agentId, method.id)}
    >
      {busy ? (
        <Spinner size={11} />
      ) : (
        method.kind === 'agent' && <LogIn size={12} strokeWidth={1.75} aria-hidden="true" />
      )}
      {label}
    </Button>
  )
}

function CopyLine({ text }: { readonly text: string }) {
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2 rounded-[5px] bg-bg-0 py-px pr-1 pl-2">
      <code
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, also from the keyboard
        tabIndex={0}
        className="max-h-24 min-w-0 flex-1 overflow-y-auto whitespace-pre-wrap rounded-sm font-mono text-fg-0 text-xs wrap-anywhere"
      >
        <CommandText>{text}</CommandText>
      </code>
      <IconButton icon={Copy} label="Copy command" onClick={() => void copyCommand(text)} />
    </span>
  )
}

function Variables({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <p className="text-fg-1">
      Save{' '}
      {names.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ' and '}
          <code className="font-mono text-fg-0 text-xs">{makeVisible(name)}</code>
        </Fragment>
      ))}{' '}
      under Settings › External agents, or set {names.length === 1 ? 'it' : 'them'} before you start Troupe. A
      definition of yours also names {names.length === 1 ? 'it' : 'them'} under{' '}
      <code className="font-mono text-fg-0 text-xs">env</code>. Then start the agent again.
    </p>
  )
}

/** What a terminal gets is what the user reads here. */
async function copyCommand(text: string): Promise<void> {
  if (hasHiddenCharacters(text)) {
    const why = 'The command has hidden characters, so it was not copied. Log in with the program itself.'
    showNotice({ level: 'error', text: why })
    return
  }
  const copied = await copyText(text)
  showNotice(
    copied
      ? { level: 'info', text: 'Command copied.' }
      : { level: 'error', text: 'The system did not allow copying.' },
  )
}
