/** The tools of a server, and which agents have them; a missing one says why. Arrow keys move between the cells. */
import { Check } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import type { AgentCatalog } from '../../../shared/agent-definition/agent-catalog.ts'
import { effectiveTools } from '../../../shared/agent-definition/effective-tools.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Tooltip } from '../../ui/popover.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'

interface Column {
  readonly name: string
  readonly color: string
  /** By the tool's name as agents call it: why the agent lacks it. */
  readonly missing: ReadonlyMap<string, string>
}

const CELL = 'border-line border-t px-2.5 py-1.5'

export function ToolsTable({ server }: { readonly server: McpServerState }) {
  const catalog = useCatalog()
  const columns = useMemo(() => (catalog === null ? [] : columnsOf(server, catalog)), [server, catalog])
  const [at, setAt] = useState({ row: 0, column: 0 })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = {
      row: clamp(at.row + step[0], server.tools.length),
      column: clamp(at.column + step[1], columns.length),
    }
    setAt(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-cell="${next.row} ${next.column}"]`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the cells
    <div onKeyDown={onKeyDown} className="overflow-x-auto rounded-md border border-line bg-bg-1">
      <table
        aria-label={`Tools of ${server.name} and the agents that have them`}
        className="w-full border-collapse text-left text-sm"
      >
        <thead>
          <tr className="text-fg-1">
            <th scope="col" className="sticky left-0 bg-bg-1 px-2.5 py-1.5 font-medium">
              Tool
            </th>
            <th scope="col" className="w-full min-w-52 px-2.5 py-1.5 font-medium max-[1200px]:hidden">
              Description
            </th>
            {columns.map(({ name, color }) => (
              <th key={name} scope="col" style={agentStyle(color)} className="px-2.5 py-1.5 font-medium">
                <span className="flex items-center justify-center gap-1.5 whitespace-nowrap">
                  <span aria-hidden="true" className="size-1.5 rounded-full bg-agent" />
                  {name}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {server.tools.map((tool, row) => (
            <tr key={tool.name}>
              <th
                scope="row"
                className={`${CELL} sticky left-0 whitespace-nowrap bg-bg-1 font-mono font-normal text-xs`}
              >
                <VisibleText>{tool.name}</VisibleText>
              </th>
              <td
                className={`${CELL} max-w-0 truncate text-fg-1 max-[1200px]:hidden`}
                title={tool.description}
              >
                <VisibleText>{summaryOf(tool)}</VisibleText>
              </td>
              {columns.map((column, index) => (
                <td key={column.name} className={`${CELL} text-center`}>
                  <Cell
                    agent={column.name}
                    tool={tool.name}
                    missing={column.missing.get(toolName(server.name, tool.name)) ?? null}
                    id={`${row} ${index}`}
                    isCurrent={at.row === row && at.column === index}
                    onFocus={() => setAt({ row, column: index })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CellProps {
  readonly agent: string
  readonly tool: string
  /** Why the agent lacks the tool; null: it has it. */
  readonly missing: string | null
  readonly id: string
  readonly isCurrent: boolean
  readonly onFocus: () => void
}

function Cell({ agent, tool, missing, id, isCurrent, onFocus }: CellProps) {
  const text = missing === null ? `${agent} has ${tool}` : `${agent} does not have ${tool}: ${missing}`
  return (
    <Tooltip text={text}>
      <button
        type="button"
        data-cell={id}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={text}
        onFocus={onFocus}
        className="inline-grid h-5 min-w-8 place-items-center rounded-sm hover:bg-bg-3"
      >
        {missing === null ? (
          <Check size={13} strokeWidth={2} aria-hidden="true" className="text-ok" />
        ) : (
          <span aria-hidden="true" className="text-fg-2">
            –
          </span>
        )}
      </button>
    </Tooltip>
  )
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function clamp(at: number, length: number): number {
  return Math.max(0, Math.min(length - 1, at))
}

function summaryOf({ description, onlyReads, unusable }: McpServerState['tools'][number]): string {
  if (unusable !== undefined) return `Not used: ${unusable}`
  const first = description.trim().split('\n')[0] ?? ''
  return [first, onlyReads ? 'only reads' : ''].filter((part) => part !== '').join('; ')
}

function toolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

const MAIN = 'main'

/** The main agent, and every agent that can be started. */
function columnsOf(
  server: McpServerState,
  { entries, conditions, ...known }: AgentCatalog,
): readonly Column[] {
  const named = server.tools.map((tool) => ({ ...tool, id: toolName(server.name, tool.name) }))
  // A server that is not connected now has the tools of its last connection.
  const tools = [...new Set([...known.tools, ...named.map(({ id }) => id)])]
  const readingTools = [
    ...conditions.readingTools,
    ...named.filter((one) => one.onlyReads).map(({ id }) => id),
  ]
  const unusable = named.flatMap((tool) =>
    tool.unusable === undefined ? [] : [[tool.id, tool.unusable] as const],
  )
  const mainFirst = entries.toSorted((a, b) => Number(b.name === MAIN) - Number(a.name === MAIN))
  return mainFirst.flatMap(({ name, color, source, content, state }) => {
    if (content === null || (state !== 'offered' && state !== 'hidden')) return []
    const agent = { name, source, offered: true, tools, conditions: { ...conditions, readingTools } }
    const blocked = effectiveTools(content, agent).blocked.map((one) => [one.tool, one.because] as const)
    const label = name === MAIN ? 'Main agent' : name
    return [{ name: label, color, missing: new Map([...blocked, ...unusable]) }]
  })
}

/** Null until the first answer. */
function useCatalog(): AgentCatalog | null {
  const folder = useSession((state) => state.folder?.path ?? null)
  const definitions = useSession((state) => state.definitions)
  const [catalog, setCatalog] = useState<AgentCatalog | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: changed definitions change the catalog
  useEffect(() => {
    if (folder === null) return
    let stale = false
    void command('definition.catalog', { folder }).then((answer) => {
      if (!stale && answer.ok) setCatalog(answer.value ?? null)
    })
    return () => {
      stale = true
    }
  }, [folder, definitions])
  return catalog
}
