/** One MCP server: its state, its approval, its tools and its log. */
import { Copy, Power, RotateCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { McpLogLine, McpServerState } from '../../../shared/mcp/mcp.ts'
import { actOnServer, removeServer, useMcp } from '../../stores/mcp-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { count, timeText } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { useNow } from '../../ui/use-now.ts'
import { AddServer, placeOfServer } from './add-server.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { AsksModelRow } from './asks-model-row.tsx'
import { isTicking, placeOf, statusText } from './server-text.ts'
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
          <code className="font-mono text-fg-2 text-xs" title={server.file ?? undefined}>
            {placeOf(server)}
          </code>
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
  return <Chip>{statusText(server, now)}</Chip>
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
