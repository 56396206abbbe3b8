/** One MCP server: its state, its approval, its tools and its log. */
import { Copy, Globe, KeyRound, type LucideIcon, Package, Power, RotateCw, Terminal } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { McpLogLine, McpServerState } from '../../../shared/mcp/mcp.ts'
import { actOnServer, removeServer, useMcp } from '../../stores/mcp-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { useNow } from '../../ui/machine.ts'
import { FilePlace } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { count, timeText } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { AddServer, placeOfServer } from './add-server.tsx'
import {
  type DefinitionFact,
  definitionFacts,
  definitionPatch,
  isTicking,
  SERVER_SOURCE_TEXT,
  serverDefinitionText,
  serverPlace,
  serverStatusText,
} from './server-text.ts'
import { ToolsTable } from './tools-table.tsx'

export function ServerView({ server }: { readonly server: McpServerState }) {
  const { name, status, tools, version, protocol, target, pid } = server
  const facts = [
    version,
    protocol === null ? null : `protocol ${protocol}`,
    pid === null ? null : `process ${pid}`,
  ]
  return (
    <div className="grid gap-5">
      <header className="grid gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-semibold text-fg-0 text-lg wrap-anywhere">{name}</h2>
          <StatusChip server={server} />
          <Chip mono>{server.transport}</Chip>
          <FilePlace source={SERVER_SOURCE_TEXT[server.source]} file={server.file} line={server.line} />
          <span className="ml-auto flex gap-1.5">
            <Actions server={server} />
            <EditActions server={server} />
          </span>
        </div>
        <p className="font-mono text-fg-1 text-xs wrap-anywhere" data-selectable="">
          <VisibleText>{target}</VisibleText>
        </p>
        {facts.some((fact) => fact !== null) && (
          <p className="font-mono text-fg-2 text-xs">{facts.filter((fact) => fact !== null).join(' · ')}</p>
        )}
        {status.kind === 'failed' && (
          <p className="text-bad text-sm wrap-anywhere" data-selectable="">
            <VisibleText>{status.message}</VisibleText>
          </p>
        )}
      </header>
      {status.kind === 'waits' && <ApprovalCard key={name} server={server} former={status.former} />}
      {tools.length > 0 && (
        <section aria-labelledby="mcp-tools" className="grid gap-2">
          <h3 id="mcp-tools" className="font-semibold text-fg-0 text-md">
            Tools and the agents that have them{' '}
            <span className="font-mono font-normal text-fg-2 text-xs">{count(tools.length, 'tool')}</span>
          </h3>
          <ToolsTable key={name} server={server} />
        </section>
      )}
      {status.kind !== 'waits' && <AsksModelRow key={name} server={server} />}
      <Log name={name} lines={server.log} />
    </div>
  )
}

function StatusChip({ server }: { readonly server: McpServerState }) {
  const now = useNow(isTicking(server))
  const { kind } = server.status
  if (kind === 'waits' || kind === 'sign-in')
    return <Chip tone="needs-you">{kind === 'waits' ? 'waits for you' : 'sign-in needed'}</Chip>
  if (kind === 'failed') return <Chip tone="bad">failed</Chip>
  if (kind === 'connected') return <Chip tone="ok">connected</Chip>
  return <Chip>{serverStatusText(server, now)}</Chip>
}

/** For servers in the files that the form writes. */
function EditActions({ server }: { readonly server: McpServerState }) {
  const [isEditing, setEditing] = useState(false)
  if (placeOfServer(server) === null) return null
  const remove = (origin: HTMLElement) => {
    origin.closest<HTMLElement>('main')?.focus()
    void removeServer(server.name)
  }
  return (
    <>
      <Button variant="quiet" onClick={() => setEditing(true)}>
        Edit…
      </Button>
      <Button variant="quiet" onClick={(event) => remove(event.currentTarget)}>
        Remove
      </Button>
      {isEditing && <AddServer server={server} onClose={() => setEditing(false)} />}
    </>
  )
}

/** A server that waits has the actions of its card. */
function Actions({ server: { name, status } }: { readonly server: McpServerState }) {
  const busy = useMcp((state) => state.busy.has(name))
  const button = { disabled: busy, focusableWhenDisabled: true } as const
  if (status.kind === 'waits') return null
  if (status.kind === 'off')
    return (
      <Button {...button} onClick={() => void actOnServer('approve', name)}>
        <Power size={13} aria-hidden="true" /> Turn on
      </Button>
    )
  return (
    <>
      <Button
        {...button}
        onClick={() => void actOnServer(status.kind === 'idle' ? 'test' : 'reconnect', name)}
      >
        <RotateCw size={13} aria-hidden="true" />{' '}
        {status.kind === 'idle' ? 'Test' : status.kind === 'sign-in' ? 'Sign in…' : 'Reconnect'}
      </Button>
      <Button {...button} onClick={() => void actOnServer('refuse', name)}>
        <Power size={13} aria-hidden="true" /> Turn off
      </Button>
    </>
  )
}

interface LogProps {
  readonly name: string
  readonly lines: readonly McpLogLine[]
}

/** Stays at the newest line, at the end, unless the user scrolled up. */
function Log({ name, lines }: LogProps) {
  const area = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines were added, or it is another server's log
  useEffect(() => {
    if (area.current !== null && atEnd.current) area.current.scrollTop = area.current.scrollHeight
  }, [name, lines])
  if (lines.length === 0) return null
  const copy = () =>
    void copyText(
      lines.map(({ at, kind, text }) => `${new Date(at).toISOString()} ${kind} ${text}`).join('\n'),
    ).then((copied) =>
      showNotice(
        copied
          ? { level: 'info', text: 'Log copied.' }
          : { level: 'error', text: 'Copying failed. The clipboard is unchanged.' },
      ),
    )
  return (
    <section aria-labelledby="mcp-log" className="grid gap-2">
      <div className="flex items-baseline gap-2">
        <h3 id="mcp-log" className="font-semibold text-fg-0 text-md">
          Log
        </h3>
        <span className="font-mono text-fg-2 text-xs">{count(lines.length, 'line')}, newest last</span>
        <Button variant="quiet" className="ml-auto" onClick={copy}>
          <Copy size={13} aria-hidden="true" /> Copy
        </Button>
      </div>
      <div
        ref={area}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24
        }}
        role="log"
        aria-live="off"
        aria-label={`Log of ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        data-selectable=""
        className="grid max-h-96 grid-cols-[auto_auto_minmax(0,1fr)] content-start gap-x-4 overflow-y-auto rounded-md border border-line bg-bg-1 px-3 py-2 font-mono text-fg-1 text-xs leading-[1.6]"
      >
        {lines.map(({ at, kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are added at the end
          <div key={index} className="contents">
            <span className="text-fg-2">{timeText(at)}</span>
            <span className={kind === 'error' || kind === 'denied' ? 'text-bad' : 'text-fg-2'}>{kind}</span>
            <span className="wrap-anywhere">
              <VisibleText>{text}</VisibleText>
            </span>
          </div>
        ))}
      </div>
    </section>
  )
}

/** What a server that waits for approval would run, compared with the definition that was approved. */
const ICONS: Readonly<Record<DefinitionFact['kind'], LucideIcon>> = {
  version: Package,
  variable: KeyRound,
  program: Terminal,
  address: Globe,
}

interface ApprovalCardProps {
  readonly server: McpServerState
  /** The approved definition; null: the server is new. */
  readonly former: unknown
}

function ApprovalCard({ server, former }: ApprovalCardProps) {
  const { name, definition } = server
  const busy = useMcp((state) => state.busy.has(name))
  const card = useRef<HTMLElement>(null)
  const facts = useMemo(() => definitionFacts(definition), [definition])
  const isNew = former === null
  const act = (action: 'approve' | 'refuse') => {
    // The buttons go away with the card.
    card.current?.closest<HTMLElement>('main')?.focus()
    void actOnServer(action, name)
  }
  return (
    <section
      ref={card}
      aria-label={`Approval of ${name}`}
      className="@container grid gap-2.5 rounded-md border border-needs-you/50 bg-needs-you/6 p-3 text-sm"
    >
      <div>
        <h3 className="font-semibold text-fg-0 text-md">
          {isNew ? 'This server is new' : 'Its definition is not the one you approved'}
        </h3>
        <p className="text-fg-1">
          It is defined in <code className="font-mono text-xs">{serverPlace(server)}</code>. Nothing of it has
          run
          {isNew ? '.' : ' since the change.'}
        </p>
      </div>
      <div className="grid gap-3 @[42rem]:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {isNew ? (
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            data-selectable=""
            aria-label={`Definition of ${name}`}
            className="max-h-72 overflow-auto whitespace-pre rounded-[6px] bg-bg-0 px-2.5 py-2 font-mono text-[0.71875rem] text-fg-1 leading-[1.55]"
          >
            <VisibleText>{serverDefinitionText(name, definition)}</VisibleText>
          </section>
        ) : (
          <div className="max-h-72 min-h-0 overflow-auto">
            <DiffView
              patch={definitionPatch(name, former, definition)}
              label={`Changes of the definition of ${name}`}
            />
          </div>
        )}
        <ul className="grid content-start gap-1.5">
          {facts.map(({ kind, title, text }) => {
            const Icon = ICONS[kind]
            return (
              <li key={title} className="flex gap-2 text-fg-1">
                <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 shrink-0 text-fg-2" />
                <span className="min-w-0 wrap-anywhere">
                  <strong className="font-semibold text-fg-0">
                    <VisibleText>{title}</VisibleText>
                  </strong>{' '}
                  <VisibleText>{text}</VisibleText>
                </span>
              </li>
            )
          })}
        </ul>
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Button disabled={busy} focusableWhenDisabled onClick={() => act('approve')}>
          Approve and start
        </Button>
        <Button disabled={busy} focusableWhenDisabled onClick={() => act('refuse')}>
          Keep off
        </Button>
      </div>
    </section>
  )
}

/** Whether a server may ask the model while it answers a call. */
export function AsksModelRow({ server: { name, status } }: { readonly server: McpServerState }) {
  const allowed = useSession((state) => state.settings.mcpSampling)
  const [error, change] = useChange()
  const set = async (may: boolean) => {
    const others = allowed.filter((other) => other !== name)
    await change({ mcpSampling: may ? [...others, name] : others })
    // A server learns of it when it connects.
    if (status.kind === 'connected') await actOnServer('reconnect', name)
  }
  return (
    <div className="flex items-center gap-4 rounded-md border border-line bg-bg-1 px-3 py-2.5">
      <div className="grid min-w-0 gap-0.5">
        <h3 className="font-medium text-fg-0 text-sm">May ask the model</h3>
        <p className="text-fg-2 text-xs">
          While it answers a call of an agent, the server may send questions to the agent’s model. Their
          tokens count as the agent’s. Off: such a question is refused.
        </p>
        {error !== null && (
          <p role="alert" className="text-bad text-xs">
            {error}
          </p>
        )}
      </div>
      <span className="ml-auto">
        <Switch
          label={`${name} may ask the model`}
          checked={allowed.includes(name)}
          onChange={(may) => void set(may)}
        />
      </span>
    </div>
  )
}
