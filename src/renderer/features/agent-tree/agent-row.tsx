/** One agent of the tree: its mark, name, what it does and how long. Draws itself anew only when it changes. */
import { Copy, MessageSquare, PanelRight, Square } from 'lucide-react'
import type { AgentState } from '../../../shared/agent-state.ts'
import { isLive, needsUser } from '../../../shared/agent-state.ts'
import { agentElapsed, agentName, agentWords } from '../../stores/agent-words.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { showNotice } from '../../stores/notice-store.ts'
import { stopAgent } from '../../stores/session-store.ts'
import { useNow } from '../../stores/use-now.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { classNames } from '../../ui/class-names.ts'
import { copyText } from '../../ui/copy-text.ts'
import { Dot, type DotStatus } from '../../ui/dot.tsx'
import { formatDuration } from '../../ui/format.ts'
import { ContextMenu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'

interface AgentRowProps {
  readonly agentId: string
  readonly depth: number
  /** Another agent has the same name: then its task stands beside it. */
  readonly namesake: boolean
  readonly selected: boolean
  /** Whether Tab stops here; the arrow keys reach the others. */
  readonly tabStop: boolean
  readonly compact: boolean
  readonly onOpen: (agentId: string) => void
  readonly onWrite: (agentId: string) => void
}

export function AgentRow({
  agentId,
  depth,
  namesake,
  selected,
  tabStop,
  compact,
  onOpen,
  onWrite,
}: AgentRowProps) {
  const agent = useAgent(agentId)
  const liveChildren = useConversation((state) =>
    agent?.waitingFor === 'children' ? countLive(state.agents, agentId) : 0,
  )
  if (agent === undefined) return null
  const words = agentWords(agent, liveChildren)
  const name = agentName(agent)
  const row = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it handles the keys
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-label={compact ? `${name}: ${words}` : undefined}
      tabIndex={tabStop ? 0 : -1}
      data-agent-id={agentId}
      onClick={() => onOpen(agentId)}
      style={{
        ...agentStyle(agent.definition.color),
        paddingLeft: compact ? undefined : 14 + Math.min(depth, 4) * 14,
      }}
      className={classNames(
        'grid select-none items-center text-sm focus-visible:-outline-offset-2',
        compact
          ? 'mx-auto size-8 place-items-center rounded-md'
          : 'grid-cols-[14px_minmax(0,1fr)_auto] gap-2 py-1 pr-3.5 text-fg-1',
        selected ? 'bg-bg-3 text-fg-0' : 'hover:bg-bg-2',
      )}
    >
      <Dot status={dotOf(agent)} className="justify-self-center" />
      {!compact && <RowText agent={agent} name={name} task={namesake ? agent.task : ''} words={words} />}
    </div>
  )
  return (
    <ContextMenu
      area={
        compact ? (
          <Tooltip text={`${name} — ${words}`} side="right">
            {row}
          </Tooltip>
        ) : (
          row
        )
      }
    >
      <MenuItem icon={PanelRight} keys="Enter" onSelect={() => onOpen(agentId)}>
        {agent.parentId === null ? 'Show the conversation' : 'Show its panel'}
      </MenuItem>
      <MenuItem icon={MessageSquare} onSelect={() => onWrite(agentId)}>
        Write to it
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => void copyId(agentId)}>
        Copy its id
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Square} danger disabled={!isLive(agent)} onSelect={() => void stopAgent(agentId)}>
        Stop
      </MenuItem>
    </ContextMenu>
  )
}

interface RowTextProps {
  readonly agent: AgentState
  readonly name: string
  readonly task: string
  readonly words: string
}

function RowText({ agent, name, task, words }: RowTextProps) {
  const now = useNow(isLive(agent))
  return (
    <>
      <span className="min-w-0">
        <span className="block truncate">
          {name}
          {task !== '' && <span className="text-fg-2"> {task}</span>}
        </span>
        <span
          className={classNames(
            'block truncate text-xs',
            needsUser(agent) ? 'text-needs-you' : agent.status === 'failed' ? 'text-bad' : 'text-fg-2',
          )}
        >
          {words}
        </span>
      </span>
      <span className="font-mono text-fg-2 text-xs tabular-nums">
        {formatDuration(agentElapsed(agent, now))}
      </span>
    </>
  )
}

function dotOf(agent: AgentState): DotStatus {
  if (needsUser(agent)) return 'needs-you'
  if (agent.status === 'interrupted') return 'failed'
  if (agent.status === 'waiting') return agent.waitingFor === 'children' ? 'running' : 'waiting'
  return agent.status
}

function countLive(agents: ReadonlyMap<string, AgentState>, parentId: string): number {
  let live = 0
  for (const agent of agents.values()) if (agent.parentId === parentId && isLive(agent)) live += 1
  return live
}

async function copyId(agentId: string): Promise<void> {
  const copied = await copyText(agentId)
  showNotice(
    copied
      ? { level: 'info', text: 'Copied.' }
      : { level: 'error', text: 'The system did not allow copying.' },
  )
}
