/** The header of a panel: color, status, name, task, turns, tokens and cost. */
import {
  AppWindow,
  Copy,
  Eye,
  GitBranch,
  type LucideIcon,
  Maximize2,
  Minimize2,
  Pin,
  PinOff,
  Search,
  ShieldCheck,
  ShieldOff,
  X,
} from 'lucide-react'
import { type HTMLAttributes, memo, type ReactNode } from 'react'
import { isClockRunning } from '../../../shared/events/lifecycle.ts'
import { totalTokens } from '../../../shared/events/model-requests.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  ACTION_LABELS,
  type AgentAction,
  useBusyAction,
  useOfferedActions,
  useRefusedStop,
} from '../../stores/agent-actions.ts'
import {
  UNSAVED,
  useAgentWriteFailure,
  useConversation,
  useNamesake,
} from '../../stores/conversation-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { ACTION_ICONS, BADGE_ICONS } from '../../ui/agent-style.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { useNow } from '../../ui/machine.ts'
import { Meter } from '../../ui/meter.tsx'
import { agentElapsed, agentText, badgesOf, displayName, markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { isExternal, pauseMeaning, reportedBy } from '../../ui/text/external-agent-text.ts'
import { count, formatDuration, formatTokens, moneyText } from '../../ui/text/format.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { ContextRing } from './agent-context.tsx'
import { LimitsButton, SpendingMeter } from './agent-limits.tsx'

interface PanelHeaderProps {
  readonly agent: AgentState
  readonly handle?: HTMLAttributes<HTMLElement>
  /** The controls: they replace the figures while the pointer or the focus is in the header. */
  readonly children: ReactNode
}

export function PanelHeader({ agent, handle, children }: PanelHeaderProps) {
  const { className, ...rest } = handle ?? {}
  const unsaved = useAgentWriteFailure(agent.id) !== null
  const namesake = useNamesake(agent.id) && agent.task !== ''
  const name = displayName(agent)
  const [title, more] = namesake ? [makeVisible(agent.task), name] : [name, makeVisible(agent.task)]
  return (
    <header
      {...rest}
      className={classNames(
        'group/head @container relative grid h-9 shrink-0 grid-cols-[10px_minmax(0,1fr)_auto] items-center gap-2 border-agent border-t-2 border-b border-b-line px-2.5',
        className,
      )}
    >
      <span className="grid place-items-center py-1" title={unsaved ? UNSAVED : agentText(agent)}>
        <Dot status={unsaved ? 'paused' : markOf(agent)} />
      </span>
      <div className="flex min-w-0 items-baseline gap-2 overflow-hidden">
        <h3
          dir="auto"
          className={classNames(
            'truncate font-semibold text-md',
            namesake ? 'min-w-0' : 'max-w-full shrink-0',
          )}
        >
          {title}
        </h3>
        {badgesOf(agent).map(({ kind, text, meaning }) => (
          <Badge
            key={kind}
            compact={kind === 'acp' || kind === 'acp-child' ? false : 'narrow'}
            icon={BADGE_ICONS[kind]}
            text={text}
            meaning={meaning}
          />
        ))}
        <span dir="auto" className={classNames('truncate text-fg-2 text-sm', namesake && 'shrink-[1000]')}>
          {more}
        </span>
      </div>
      {/* One cell, as wide as the wider of both: the controls never cover the task, and nothing moves. */}
      <div className="grid items-center justify-items-end *:[grid-area:1/1]">
        {isExternal(agent) ? <ExternalFigures agent={agent} /> : <Figures agent={agent} />}
        <div
          data-panel-controls=""
          className="pointer-events-none flex items-center gap-px bg-bg-1 opacity-0 focus-within:pointer-events-auto focus-within:opacity-100 group-hover/head:pointer-events-auto group-hover/head:opacity-100"
        >
          {agent.child === null && <LimitsButton agent={agent} />}
          {children}
        </div>
      </div>
    </header>
  )
}

const FIGURES =
  'flex items-center gap-[9px] whitespace-nowrap font-mono text-fg-2 text-xs tabular-nums group-has-[[data-panel-controls]:focus-within]/head:opacity-0 group-hover/head:pointer-events-none group-hover/head:opacity-0'

function Figures({ agent }: { readonly agent: AgentState }) {
  const tokens = totalTokens(agent.usage)
  // The extra turn for the report at the limit does not count.
  const turn = Math.min(agent.turn, agent.maxTurns)
  return (
    <div
      title={`${modelText(agent)} · turn ${turn} of ${agent.maxTurns} · ${count(tokens, 'token')}`}
      className={FIGURES}
    >
      <span>
        <span className="sr-only">Turn </span>
        {turn}/{agent.maxTurns}
      </span>
      {/* In a narrow panel the task needs the place; the numbers before it say the same. */}
      <span className="hidden @min-[460px]:block">
        <Meter value={turn} max={agent.maxTurns} />
      </span>
      <span className="relative flex gap-[9px]">
        <span>
          {formatTokens(tokens)}
          <span className="sr-only"> tokens</span>
        </span>
        <span>
          {agent.priced || agent.costUsd > 0 ? moneyText(agent.costUsd, agent.priced) : 'cost unknown'}
        </span>
        <SpendingMeter agent={agent} />
      </span>
      <ContextRing agent={agent} />
      <FolderMark agent={agent} />
      <Mark
        icon={agent.permissionMode === 'bypassPermissions' ? ShieldOff : ShieldCheck}
        text={`Permission mode: ${modeText(agent)}`}
      />
      {agent.definition.readOnly && <Mark icon={Eye} text="Read-only: can't change anything" />}
    </div>
  )
}

/** Time, tokens and cost, with a dash for what its program does not report, which has no turns either. */
function ExternalFigures({ agent }: { readonly agent: AgentState }) {
  const now = useNow(isClockRunning(agent))
  const tokens = totalTokens(agent.usage)
  const reported = reportedBy(agent)
  return (
    <div
      title={`${modelText(agent)} · ${reported.tokens ? count(tokens, 'token') : 'tokens not reported'} · ${reported.cost ? moneyText(agent.costUsd, true) : 'cost not reported'}`}
      className={FIGURES}
    >
      <span>
        <span className="sr-only">Worked for </span>
        {formatDuration(agentElapsed(agent, now))}
      </span>
      <span className="relative flex gap-[9px]">
        <Reported text={reported.tokens ? formatTokens(tokens) : null} what="tokens" />
        <Reported text={reported.cost ? moneyText(agent.costUsd, true) : null} what="cost" />
        {(reported.tokens || reported.cost) && <SpendingMeter agent={agent} />}
      </span>
      <FolderMark agent={agent} />
    </div>
  )
}

function Reported({ text, what }: { readonly text: string | null; readonly what: 'tokens' | 'cost' }) {
  if (text === null)
    return (
      <span>
        <span aria-hidden="true">–</span>
        <span className="sr-only">{what} not reported</span>
      </span>
    )
  return (
    <span>
      {text}
      {what === 'tokens' && <span className="sr-only"> tokens</span>}
    </span>
  )
}

/** The worktree or the folder that the agent works in, unless it is that of the conversation. */
function FolderMark({ agent }: { readonly agent: AgentState }) {
  const folder = useConversation((state) => state.record?.folder)
  const { worktree } = agent
  if (worktree !== null)
    return (
      <Mark
        icon={GitBranch}
        text={
          worktree.own
            ? `Has its own worktree, on the branch ${worktree.branch}`
            : `Works in the worktree of ${worktree.branch}`
        }
      />
    )
  if (folder === undefined || agent.cwd === folder) return null
  return <Mark icon={GitBranch} text={`Works in its own folder: ${lastPart(agent.cwd)}`} />
}

function Mark({ icon: Icon, text }: { readonly icon: LucideIcon; readonly text: string }) {
  return (
    <span className="grid place-items-center" title={text}>
      <Icon size={12} strokeWidth={1.75} role="img" aria-label={text} />
    </span>
  )
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path
}

/** The model, with the effort and the thinking that were chosen for it. */
function modelText({ model, effort, thinking }: Pick<AgentState, 'model' | 'effort' | 'thinking'>): string {
  const choices = [effort && `effort ${effort}`, thinking && `thinking ${thinking}`].filter(Boolean)
  return [model, ...choices].join(', ')
}

/** The buttons in the header of a panel. They render only if a button changes, not with every event. */
interface PanelControlsProps {
  readonly agentId: string
  readonly onAct: (action: AgentAction) => void
  readonly onFind: () => void
  readonly onCopy: () => void
  /** Undefined if the layout has no such action. */
  readonly onPin: (() => void) | undefined
  readonly isPinned: boolean
  readonly onFocus: (() => void) | undefined
  readonly isFocused: boolean
  readonly onClose: (() => void) | undefined
  /** Undefined in the agent's own window. */
  readonly onOwnWindow: (() => void) | undefined
}

/** Not in a narrow header. The message field, the keys and the menu in the tree do the same. */
const WIDE_ONLY = '@max-[34rem]:hidden'

export const PanelControls = memo(function PanelControls(props: PanelControlsProps) {
  const { agentId, onAct, onFind, onCopy, onPin, isPinned, onFocus, isFocused, onClose, onOwnWindow } = props
  const offered = useOfferedActions(agentId)
  const busy = useBusyAction(agentId)
  const refused = useRefusedStop(agentId)
  const keysOf = useKeysOf()
  const pauseHint = useConversation(({ agents }) => {
    const agent = agents.get(agentId)
    return agent === undefined || !isExternal(agent) ? null : pauseMeaning(agent)
  })
  return (
    <>
      {offered.map((action) => (
        <IconButton
          // Pause and continue share a shortcut, and so one button that keeps the focus.
          key={ACTION_LABELS[action].keyAction}
          icon={ACTION_ICONS[action]}
          className={action === 'write' || action === 'background' ? WIDE_ONLY : undefined}
          label={ACTION_LABELS[action].label}
          hint={action === 'pause' && pauseHint !== null ? pauseHint : undefined}
          keys={keysOf(ACTION_LABELS[action].keyAction)}
          busy={busy !== null && ACTION_LABELS[busy].keyAction === ACTION_LABELS[action].keyAction}
          // The second click of a double click would undo the first.
          onClick={(event) => event.detail < 2 && onAct(action)}
        />
      ))}
      {refused !== null && (
        <IconButton
          icon={ACTION_ICONS.stop}
          label={ACTION_LABELS.stop.label}
          hint={refused}
          disabled
          focusableWhenDisabled
        />
      )}
      <span aria-hidden="true" className="mx-1 h-3.5 w-px bg-line first:hidden" />
      <IconButton icon={Search} label="Find" keys="Mod F" className={WIDE_ONLY} onClick={onFind} />
      <IconButton icon={Copy} label="Copy transcript" onClick={onCopy} />
      {onOwnWindow && (
        <IconButton icon={AppWindow} label="Open in own window" className={WIDE_ONLY} onClick={onOwnWindow} />
      )}
      {onPin && (
        <IconButton
          icon={isPinned ? PinOff : Pin}
          label={isPinned ? 'Unpin' : 'Pin'}
          keys={keysOf('panel.pin')}
          pressed={isPinned}
          onClick={onPin}
        />
      )}
      {onFocus && (
        <IconButton
          icon={isFocused ? Minimize2 : Maximize2}
          label={isFocused ? 'Show all panels' : 'Focus'}
          keys={keysOf('panel.focus')}
          onClick={onFocus}
        />
      )}
      {onClose && <IconButton icon={X} label="Close panel" onClick={onClose} />}
    </>
  )
})
