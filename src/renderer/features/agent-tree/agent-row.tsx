/** One agent of the tree: dot, name, action and duration. Renders only when the agent changes. */
import { CirclePlay, Copy, PanelRight } from 'lucide-react'
import type { AgentState } from '../../../shared/agent-state.ts'
import { isLive, needsUser } from '../../../shared/agent-state.ts'
import { commandOf } from '../../../shared/commands.ts'
import { stoppedTogether } from '../../../shared/stopped-together.ts'
import { isClockRunning } from '../../../shared/work-time.ts'
import { continueAll, doWith, useBusyAction } from '../../stores/agent-actions.ts'
import { markOf } from '../../stores/agent-mark.ts'
import { agentElapsed, agentName, agentText, badgesOf } from '../../stores/agent-text.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { showNotice } from '../../stores/notice-store.ts'
import {
  ACTION_LABELS,
  type AgentAction,
  countLive as countLiveAgents,
  useOfferedActions,
} from '../../stores/offered-actions.ts'
import { useNow } from '../../stores/use-now.ts'
import { UNSAVED, useAgentWriteFailure } from '../../stores/write-failure-store.ts'
import { ACTION_ICONS, BADGE_ICONS } from '../../ui/agent-icons.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { AgentTitle } from '../../ui/agent-title.tsx'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { copyText } from '../../ui/copy-text.ts'
import { Dot } from '../../ui/dot.tsx'
import { formatDuration } from '../../ui/format.ts'
import { ariaShortcut } from '../../ui/kbd.tsx'
import { ContextMenu, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'

interface AgentRowProps {
  readonly agentId: string
  readonly depth: number
  /** Another agent has the same name; the row then shows the task. */
  readonly namesake: boolean
  readonly selected: boolean
  /** Whether the row is the tab stop; the arrow keys reach the other rows. */
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
  const offered = useOfferedActions(agentId)
  const busy = useBusyAction(agentId) !== null
  const unsaved = useAgentWriteFailure(agentId) !== null
  if (agent === undefined) return null
  const statusText = unsaved ? UNSAVED : agentText(agent, liveChildren)
  const act = (action: AgentAction) => (action === 'write' ? onWrite(agentId) : doWith(agentId, action))
  const kinds = badgesOf(agent).map(({ kind }) => kind)
  const name = agentName(agent)
  const row = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it handles the keys
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-label={compact ? `${[name, ...kinds].join(', ')}: ${statusText}` : undefined}
      aria-busy={busy}
      aria-keyshortcuts={offered.map((action) => ariaShortcut(ACTION_LABELS[action].keys)).join(' ')}
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
      {busy ? (
        <span className="grid place-items-center text-fg-2">
          <Spinner size={10} />
        </span>
      ) : (
        <Dot status={unsaved ? 'paused' : markOf(agent)} className="justify-self-center" />
      )}
      {!compact && (
        <RowText agent={agent} name={name} task={namesake ? agent.task : null} statusText={statusText} />
      )}
    </div>
  )
  return (
    <ContextMenu
      area={
        compact ? (
          <Tooltip text={`${name} — ${statusText}`} side="right">
            {row}
          </Tooltip>
        ) : (
          row
        )
      }
    >
      <MenuItem icon={PanelRight} keys="Enter" onSelect={() => onOpen(agentId)}>
        {agent.parentId === null ? 'Show the conversation' : 'Open panel'}
      </MenuItem>
      {offered.map((action) => (
        <MenuItem
          key={action}
          icon={ACTION_ICONS[action]}
          keys={ACTION_LABELS[action].keys}
          danger={action === 'stop'}
          onSelect={() => act(action)}
        >
          {ACTION_LABELS[action].label}
        </MenuItem>
      ))}
      {agent.parentId === null && <ContinueAll />}
      {offered.length === 0 && (
        <MenuNote>Another program runs this conversation. It can be read here, not continued.</MenuNote>
      )}
      <MenuSeparator />
      <MenuItem icon={Copy} onSelect={() => void copyId(agentId)}>
        Copy ID
      </MenuItem>
    </ContextMenu>
  )
}

/** For the menu of the main agent, while agents are paused, or the last stop or a crash ended some. */
function ContinueAll() {
  const isHeld = useConversation(
    ({ agents, readOnly }) =>
      !readOnly && (countLiveAgents(agents).paused > 0 || stoppedTogether(agents.values()).length > 0),
  )
  const { title, keys } = commandOf('continue-all')
  return isHeld ? (
    <MenuItem icon={CirclePlay} keys={keys} onSelect={() => void continueAll()}>
      {title}
    </MenuItem>
  ) : null
}

interface RowTextProps {
  readonly agent: AgentState
  readonly name: string
  readonly task: string | null
  readonly statusText: string
}

function RowText({ agent, name, task, statusText }: RowTextProps) {
  const now = useNow(isClockRunning(agent))
  return (
    <>
      <span className="min-w-0">
        <span className="flex items-center gap-1.5">
          <AgentTitle name={name} task={task} />
          {badgesOf(agent).map(({ kind, meaning }) => (
            <Badge key={kind} compact icon={BADGE_ICONS[kind]} text={kind} meaning={meaning} />
          ))}
        </span>
        <span
          className={classNames(
            'block truncate text-xs',
            needsUser(agent) ? 'text-needs-you' : agent.status === 'failed' ? 'text-bad' : 'text-fg-2',
          )}
        >
          {statusText}
        </span>
      </span>
      <span className="font-mono text-fg-2 text-xs tabular-nums">
        {formatDuration(agentElapsed(agent, now))}
      </span>
    </>
  )
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
