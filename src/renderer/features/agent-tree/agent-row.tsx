/** A row of the tree: an agent with its dot, name, action and duration. */

import {
  ChevronRight,
  CirclePlay,
  Copy,
  Equal,
  FlaskConical,
  ListCollapse,
  ListTree,
  PanelRight,
} from 'lucide-react'
import { memo } from 'react'
import { commandOf } from '../../../shared/commands/commands.ts'
import { type AgentName, nameText } from '../../../shared/state/agent-names.ts'
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import {
  ACTION_LABELS,
  type AgentAction,
  continueAll,
  countLive as countLiveAgents,
  doWith,
  SAVE_AS_CASE,
  saveAsCase,
  useBusyAction,
  useOfferedActions,
  useRefusedStop,
} from '../../stores/agent-actions.ts'
import {
  UNSAVED,
  useAgent,
  useAgentMention,
  useAgentName,
  useAgentWriteFailure,
  useConversation,
} from '../../stores/conversation-store.ts'
import { useOverlapText } from '../../stores/environments-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { useReadOnlyReason } from '../../stores/replay-store.ts'
import { ACTION_ICONS, agentStyle, BADGE_ICONS } from '../../ui/agent-style.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dot } from '../../ui/dot.tsx'
import { ariaShortcut } from '../../ui/kbd.tsx'
import { ContextMenu, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { agentText, badgesOf, markOf, needsLogin } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import { Worked } from '../../ui/text/times.tsx'
import { type AgentTreeNode, type HiddenAgents, hiddenText } from './tree-order.ts'

interface AgentRowProps {
  readonly agentId: string
  readonly depth: number
  readonly selected: boolean
  /** Whether the row is the tab stop; the arrow keys reach the other rows. */
  readonly tabStop: boolean
  readonly compact: boolean
  /** One line: the name and the time. */
  readonly isDense?: boolean
  readonly branch: AgentTreeNode['branch']
  readonly hidden: HiddenAgents | null
  /** Collapses or expands the row. */
  readonly onFold: (agentId: string) => void
  readonly onOpen: (agentId: string) => void
  readonly onWrite: (agentId: string) => void
}

/** Renders again only when its own agent or its own state in the tree changes: a conversation may have hundreds of agents. */
export const AgentRow = memo(function AgentRow({
  agentId,
  depth,
  selected,
  tabStop,
  compact,
  isDense = false,
  branch,
  hidden,
  onFold,
  onOpen,
  onWrite,
}: AgentRowProps) {
  const agent = useAgent(agentId)
  const title = useAgentName(agentId)
  const liveChildren = useConversation((state) =>
    agent?.waitingFor === 'children' ? countLive(state.agents, agentId) : 0,
  )
  const offered = useOfferedActions(agentId)
  const busy = useBusyAction(agentId) !== null
  const unsaved = useAgentWriteFailure(agentId) !== null
  const readOnly = useConversation((state) => state.readOnly)
  const keysOf = useKeysOf()
  if (agent === undefined) return null
  const statusText = unsaved ? UNSAVED : agentText(agent, liveChildren)
  const act = (action: AgentAction) => (action === 'write' ? onWrite(agentId) : doWith(agentId, action))
  const kinds = badgesOf(agent).map(({ text }) => text)
  const name = nameText(title)
  const hides = hidden === null ? [] : [hiddenText(hidden)]
  const row = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it handles the keys
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-label={
        compact ? `${[name, ...kinds].join(', ')}: ${[statusText, ...hides].join(', ')}` : undefined
      }
      aria-expanded={branch === 'none' ? undefined : branch === 'open'}
      aria-busy={busy}
      aria-keyshortcuts={offered
        .map((action) => ariaShortcut(keysOf(ACTION_LABELS[action].keyAction) ?? ''))
        .join(' ')}
      tabIndex={tabStop ? 0 : -1}
      data-agent-id={agentId}
      onClick={() => onOpen(agentId)}
      style={{
        ...agentStyle(agent.definition.color),
        paddingLeft: compact ? undefined : isDense ? 26 : indentOf(depth),
      }}
      className={classNames(
        'relative grid select-none items-center text-sm focus-visible:-outline-offset-2',
        compact
          ? 'mx-auto size-8 place-items-center rounded-md'
          : classNames(
              'grid-cols-[14px_minmax(0,1fr)] pr-3.5 text-fg-1',
              // A row out of view is neither styled nor laid out.
              isDense
                ? 'h-6 shrink-0 gap-1.5 [contain-intrinsic-size:auto_1.5rem] [content-visibility:auto]'
                : 'gap-2 py-1',
            ),
        selected ? 'bg-bg-3 text-fg-0' : 'hover:bg-bg-2',
      )}
    >
      {branch !== 'none' && !compact && (
        <Twisty isOpen={branch === 'open'} depth={depth} onClick={() => onFold(agentId)} />
      )}
      {busy ? (
        <span className="grid place-items-center text-fg-2">
          <Spinner size={10} />
        </span>
      ) : (
        <Dot
          status={compact && hidden?.needUser ? 'needs-you' : unsaved ? 'paused' : markOf(agent)}
          className="justify-self-center"
        />
      )}
      {!compact &&
        (isDense ? (
          <span className="flex min-w-0 items-center gap-2" title={`${name}: ${statusText}`}>
            <AgentNameLine name={title} />
            <span className="sr-only">{[...kinds, statusText].join(', ')}</span>
            <span className="flex-1" />
            <span className="shrink-0 text-fg-2 text-xs">
              <Worked agent={agent} />
            </span>
          </span>
        ) : (
          <RowText agent={agent} name={title} statusText={statusText} hidden={hidden} />
        ))}
    </div>
  )
  return (
    <ContextMenu
      area={
        compact ? (
          <Tooltip text={[`${name} — ${statusText}`, ...hides].join(' · ')} side="right">
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
          keys={keysOf(ACTION_LABELS[action].keyAction)}
          danger={action === 'stop'}
          onSelect={() => act(action)}
        >
          {ACTION_LABELS[action].label}
        </MenuItem>
      ))}
      {agent.parentId === null && <ContinueAll />}
      {branch !== 'none' && (
        <MenuItem
          icon={branch === 'open' ? ListCollapse : ListTree}
          keys={branch === 'open' ? '←' : '→'}
          onSelect={() => onFold(agentId)}
        >
          {branch === 'open' ? 'Collapse' : 'Expand'}
        </MenuItem>
      )}
      {offered.length === 0 && readOnly && <ReadOnlyNote />}
      {agent.child !== null && !readOnly && <ChildNote agent={agent} />}
      <MenuSeparator />
      <MenuItem icon={FlaskConical} onSelect={() => saveAsCase(agentId)}>
        {SAVE_AS_CASE}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => void copyId(agentId)}>
        Copy ID
      </MenuItem>
    </ContextMenu>
  )
})

function ReadOnlyNote() {
  return <MenuNote>{useReadOnlyReason()}</MenuNote>
}

/** What can't be done with a subagent of an external agent. */
function ChildNote({ agent }: { readonly agent: AgentState }) {
  const name = useAgentMention(agent.parentId) ?? 'the agent that started it'
  const refused = useRefusedStop(agent.id)
  return (
    <MenuNote>
      Only {name} can send it messages. {refused}
    </MenuNote>
  )
}

/** For the menu of the main agent, while agents are paused, or the last stop or a crash ended some. */
function ContinueAll() {
  const isHeld = useConversation(
    ({ agents, readOnly }) =>
      !readOnly && (countLiveAgents(agents).paused > 0 || stoppedTogether(agents.values()).length > 0),
  )
  const { title } = commandOf('continue-all')
  const keys = useKeysOf()('continue-all')
  return isHeld ? (
    <MenuItem icon={CirclePlay} keys={keys} onSelect={() => void continueAll()}>
      {title}
    </MenuItem>
  ) : null
}

interface TwistyProps {
  readonly isOpen: boolean
  readonly depth: number
  readonly onClick: () => void
}

/** For the pointer. The row has the state for screen readers, and the arrow keys do the same. */
function Twisty({ isOpen, depth, onClick }: TwistyProps) {
  return (
    <span
      aria-hidden="true"
      data-twisty=""
      title={isOpen ? 'Collapse' : 'Expand'}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
      style={{ left: indentOf(depth) - 14 }}
      className="absolute inset-y-0 grid w-3.5 place-items-center text-fg-2 hover:text-fg-0"
    >
      <ChevronRight size={12} strokeWidth={2} className={isOpen ? 'rotate-90' : undefined} />
    </span>
  )
}

/** In px. */
const indentOf = (depth: number) => 14 + Math.min(depth, 4) * 14

interface RowTextProps {
  readonly agent: AgentState
  readonly name: AgentName
  readonly statusText: string
  readonly hidden: HiddenAgents | null
}

function RowText({ agent, name, statusText, hidden }: RowTextProps) {
  const overlap = useOverlapText(agent.id)
  return (
    <span className="min-w-0">
      <span className="flex items-center gap-1.5">
        <AgentNameLine name={name} />
        {overlap !== null && (
          <span title={overlap} className="inline-grid shrink-0 place-items-center text-needs-you">
            <Equal size={11} strokeWidth={1.75} role="img" aria-label="same lines" />
          </span>
        )}
        {badgesOf(agent).map(({ kind, text, meaning }) => (
          <Badge key={kind} compact icon={BADGE_ICONS[kind]} text={text} meaning={meaning} />
        ))}
      </span>
      {/* The time stands beside the action, so that the whole line above is the name's. */}
      <span className="flex items-baseline gap-2">
        <span
          className={classNames(
            'min-w-0 flex-1 truncate text-xs',
            needsUser(agent) || needsLogin(agent)
              ? 'text-needs-you'
              : agent.status === 'failed'
                ? 'text-bad'
                : 'text-fg-2',
          )}
        >
          {statusText}
        </span>
        <span className="shrink-0 text-fg-2 text-xs">
          <Worked agent={agent} />
        </span>
      </span>
      {hidden !== null && (
        <span
          className={classNames(
            'block truncate text-xs',
            hidden.needUser > 0 ? 'text-needs-you' : hidden.failed > 0 ? 'text-bad' : 'text-fg-2',
          )}
        >
          {hiddenText(hidden)}
        </span>
      )}
    </span>
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
