/** Settings › MCP servers: the servers of the folder by source, and the selected one. */
import { Plus } from 'lucide-react'
import { useContext, useEffect, useState } from 'react'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { reloadServers, selectServer, showServer, useMcp } from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useNow } from '../../ui/machine.ts'
import { Section, SettingsFrame, SettingsSearchContext } from '../../ui/setting-page.tsx'
import { FilePlace, Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { moveFocusInList } from '../../ui/use-focus.ts'
import { AddServer } from './add-server.tsx'
import {
  isTicking,
  MARKS,
  SERVER_SOURCE_TEXT,
  SOURCES,
  serverPlace,
  serverStatusText,
} from './server-text.ts'
import { ServerView } from './server-view.tsx'

export function McpSettings() {
  const folder = useSession((state) => state.folder)
  const state = useMcp((store) => store.state)
  const failure = useMcp((store) => store.failure)
  const selected = useMcp((store) => store.selected)
  const servers = state?.servers ?? []
  const [isAdding, setAdding] = useState(false)
  useEffect(reloadServers, [])
  const hasList = servers.length > 0 || (state?.problems.length ?? 0) > 0
  const shown = servers.find(({ name }) => name === selected) ?? firstOf(servers)
  return (
    <SettingsFrame
      title="MCP servers"
      sentence="A server gives agents tools. Servers of a project start only after you approve them."
      actions={
        <Button disabled={folder === null} onClick={() => setAdding(true)}>
          <Plus size={13} aria-hidden="true" /> Add a server…
        </Button>
      }
    >
      {isAdding && <AddServer server={null} onClose={() => setAdding(false)} />}
      <div
        className={classNames(
          'grid min-w-0 overflow-hidden rounded-lg border border-line',
          hasList && 'grid-cols-[clamp(180px,23%,256px)_minmax(0,1fr)]',
        )}
      >
        <aside hidden={!hasList} aria-label="Servers" className="border-line border-r bg-bg-1 py-2.5">
          <ServerList servers={servers} selected={shown?.name ?? null} />
          {state?.problems.map(({ file, line, message }) => (
            <p key={`${file} ${line} ${message}`} className="px-3.5 py-1.5 text-bad text-xs wrap-anywhere">
              <span className="font-mono">{serverPlace({ file, line })}</span> {message}
            </p>
          ))}
        </aside>
        <div className="flex min-w-0 flex-col px-5 py-4">
          {shown !== null ? (
            <ServerView key={shown.name} server={shown} />
          ) : (
            <EmptyState
              title={
                failure === null ? titleFor(state !== null, folder !== null) : 'MCP servers can’t be listed'
              }
            >
              {failure ?? (state === null && folder !== null ? <Spinner /> : HINT)}
            </EmptyState>
          )}
        </div>
      </div>
    </SettingsFrame>
  )
}

const HINT = 'A server gives agents tools. Servers of a project start only after you approve them.'

function titleFor(isLoaded: boolean, hasFolder: boolean): string {
  if (!hasFolder) return 'No folder is open'
  return isLoaded ? 'No MCP servers here' : 'Reading the servers'
}

/** A server that needs the user comes first. */
function firstOf(servers: readonly McpServerState[]): McpServerState | null {
  return servers.find(({ status }) => MARKS[status.kind] === 'needs-you') ?? servers[0] ?? null
}

interface ServerListProps {
  readonly servers: readonly McpServerState[]
  readonly selected: string | null
}

function ServerList({ servers, selected }: ServerListProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the servers
    <div onKeyDown={(event) => moveFocusInList(event, '[data-server]')?.click()}>
      {SOURCES.map(({ source, title }) => {
        const own = servers
          .filter((server) => server.source === source)
          .toSorted((one, other) => one.name.localeCompare(other.name))
        if (own.length === 0) return null
        const files = new Set(own.map(({ file }) => serverPlace({ file, line: null })))
        return (
          <section key={source} aria-label={title} className="pb-3">
            <h2 className="flex items-baseline justify-between gap-2 px-3.5 pb-1">
              <span className="side-heading">{title}</span>
              <span className="truncate font-mono text-fg-2 text-xs">
                {files.size === 1 ? [...files] : ''}
              </span>
            </h2>
            {own.map((server) => (
              <ServerRow key={server.name} server={server} isSelected={server.name === selected} />
            ))}
          </section>
        )
      })}
    </div>
  )
}

function ServerRow({
  server,
  isSelected,
}: {
  readonly server: McpServerState
  readonly isSelected: boolean
}) {
  const now = useNow(isTicking(server))
  const { name, status, tools } = server
  const mark = MARKS[status.kind]
  return (
    <button
      type="button"
      data-server={name}
      aria-current={isSelected ? 'true' : undefined}
      onClick={() => selectServer(name)}
      className={classNames(
        'grid w-full grid-cols-[12px_minmax(0,1fr)_auto] items-center gap-x-2 px-3.5 py-1.5 text-left text-sm [--agent:var(--ok)] focus-visible:-outline-offset-2',
        isSelected ? 'bg-bg-3' : 'hover:bg-bg-2',
      )}
    >
      <Dot status={mark} className="justify-self-center" />
      <span className="truncate font-medium text-fg-0">{name}</span>
      <span className="font-mono text-fg-2 text-xs">{tools.length > 0 && count(tools.length, 'tool')}</span>
      <span
        className={classNames(
          'col-span-2 col-start-2 truncate text-xs',
          mark === 'needs-you' ? 'text-needs-you' : mark === 'failed' ? 'text-bad' : 'text-fg-2',
        )}
      >
        {serverStatusText(server, now)}
      </span>
    </button>
  )
}

/** The servers as rows of a search, each with the way to its page. */
export function ServerRows() {
  const servers = useMcp((store) => store.state?.servers) ?? []
  const search = useContext(SettingsSearchContext)
  const now = useNow(servers.some(isTicking))
  const show = (name: string) => {
    // The page comes first: the search closes with it.
    search?.onShowPage()
    showServer(name)
  }
  return (
    <Section title="MCP servers">
      {servers.map((server) => {
        const { name, source, file, line, target, tools } = server
        return (
          <Row
            key={name}
            title={name}
            hint={`${serverStatusText(server, now)} · ${target}`}
            words={`mcp server ${source} ${tools.map((tool) => tool.name).join(' ')}`}
            place={<FilePlace source={SERVER_SOURCE_TEXT[source]} file={file} line={line} />}
          >
            <Button aria-label={`Show ${name}`} onClick={() => show(name)}>
              Show
            </Button>
          </Row>
        )
      })}
    </Section>
  )
}
