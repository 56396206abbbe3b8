/** An agent on three lines: its task and time, its current action, its last words. A click opens its panel. */
import { AppWindow, FlaskConical, PanelRight } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { formLine } from '../../../shared/forms/form.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { lastSentence, plainLine } from '../../../shared/messages/text-of.ts'
import { type AgentState, needsUser } from '../../../shared/state/agent-state.ts'
import { isLimited } from '../../../shared/state/limit-wait.ts'
import {
  ACTION_LABELS,
  type AgentAction,
  doWith,
  pressedAction,
  SAVE_AS_CASE,
  saveAsCase,
  useBusyAction,
  useOfferedActions,
} from '../../stores/agent-actions.ts'
import { useAgent, useAgentName, useConversation } from '../../stores/conversation-store.ts'
import { changeDraft, draftOf, lineDraftKey } from '../../stores/draft-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { useLimitPlace } from '../../stores/limits-store.ts'
import { useLiveLine } from '../../stores/live-lines.ts'
import { openOwnWindow } from '../../stores/own-windows.ts'
import { revealLine } from '../../stores/stage-store.ts'
import { ACTION_ICONS, agentStyle, BADGE_ICONS } from '../../ui/agent-style.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { ariaShortcut } from '../../ui/kbd.tsx'
import { ContextMenu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { isShortcut, isTyping } from '../../ui/platform.ts'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { agentText, askedText, badgesOf, isPausing, markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { Worked } from '../../ui/text/times.tsx'
import { TodoCount } from './todo-line.tsx'

interface AgentTileProps {
  readonly agentId: string
  readonly onOpen: () => void
  /** The answers to what the agent asks, over the last line. */
  readonly answer?: ReactNode
}

export function AgentTile({ agentId, onOpen, answer }: AgentTileProps) {
  const agent = useAgent(agentId)
  const offered = useOfferedActions(agentId)
  const keysOf = useKeysOf()
  const readOnly = useConversation((state) => state.readOnly)
  if (agent === undefined) return null
  const hasAnswer = answer !== undefined && needsUser(agent) && !readOnly
  const act = (action: AgentAction) => {
    if (action === 'write') revealLine(agentId)
    else doWith(agentId, action)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    const action = pressedAction(offered, (keys) => isShortcut(event, keys))
    if (action !== undefined) {
      if (!event.repeat) act(action)
    } else if (isTyping(event) && offered.includes('write')) beginMessage(agentId, event.key)
    else return
    event.preventDefault()
  }
  return (
    <ContextMenu
      area={
        <div style={agentStyle(agent.definition.color)} className="group/tile relative grid min-w-0">
          <TileButton
            agent={agent}
            offered={offered}
            hasAnswer={hasAnswer}
            onOpen={onOpen}
            onKeyDown={onKeyDown}
          />
          <QuickActions agentId={agentId} offered={offered} onAct={act} />
          {hasAnswer && answer}
        </div>
      }
    >
      <MenuItem icon={PanelRight} keys="Enter" onSelect={onOpen}>
        Open panel
      </MenuItem>
      <MenuItem icon={AppWindow} onSelect={() => openOwnWindow(agentId)}>
        Open in own window
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
      <MenuSeparator />
      <MenuItem icon={FlaskConical} onSelect={() => saveAsCase(agentId)}>
        {SAVE_AS_CASE}
      </MenuItem>
    </ContextMenu>
  )
}

interface TileButtonProps {
  readonly agent: AgentState
  readonly offered: readonly AgentAction[]
  /** Whether the answers take the place of the last line. */
  readonly hasAnswer: boolean
  readonly onOpen: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function TileButton({ agent, offered, hasAnswer, onOpen, onKeyDown }: TileButtonProps) {
  const name = useAgentName(agent.id)
  const keysOf = useKeysOf()
  const [asked] = agent.requests
  const [form] = agent.forms
  const asks = needsUser(agent)
  const action = agent.action === null ? '' : `${agent.action.tool} ${agent.action.summary}`
  return (
    <button
      type="button"
      data-agent-tile={agent.id}
      aria-keyshortcuts={offered
        .map((one) => ariaShortcut(keysOf(ACTION_LABELS[one].keyAction) ?? ''))
        .join(' ')}
      onClick={onOpen}
      onKeyDown={onKeyDown}
      className={classNames(
        'grid h-full min-h-[4.5rem] min-w-0 grid-cols-[12px_minmax(0,1fr)] content-center items-center gap-x-2 border-agent border-l-2 bg-bg-1 px-2.5 py-[7px] text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2',
        asks && 'bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))]',
      )}
    >
      <Dot status={markOf(agent)} className="justify-self-center" />
      <span className="flex min-w-0 items-center gap-1.5 font-semibold text-fg-0">
        <AgentNameLine name={name} />
        {badgesOf(agent).map(({ kind, text, meaning }) => (
          <Badge key={kind} compact icon={BADGE_ICONS[kind]} text={text} meaning={meaning} />
        ))}
        <TodoCount todos={agent.todos} />
        <span className="sr-only">, {statusOf(agent)}: </span>
        <span className="flex-1" />
        <span aria-hidden="true" className="shrink-0 font-normal text-fg-2 text-xs">
          <Worked agent={agent} />
        </span>
      </span>
      <span
        dir="auto"
        className="col-start-2 min-h-[1lh] truncate text-left font-mono text-fg-1 text-xs leading-[1.5]"
      >
        {makeVisible(asked ? askedText(asked.subject) : form ? formLine(form.form) : action)}
      </span>
      {hasAnswer ? <span className="col-start-2 min-h-[1lh]" /> : <LastLine agent={agent} />}
    </button>
  )
}

/** The words that stream now, or the last message. Renders alone with each new words, and is laid out alone. */
function LastLine({ agent }: { readonly agent: AgentState }) {
  const live = useLiveLine(agent.id)
  const place = useLimitPlace(agent.id)
  const streamed = live === undefined || isStateFirst(agent) ? '' : plainLine(lastSentence(live))
  const text = streamed === '' ? lastLine(agent) : streamed
  return (
    <span className="relative col-start-2 h-[1lh]">
      <span
        dir="auto"
        data-last-line=""
        title={makeVisible(text)}
        className={classNames(
          'absolute inset-0 truncate text-left [contain:strict]',
          needsUser(agent) ? 'text-needs-you' : streamed === '' ? 'text-fg-2' : 'text-fg-1',
        )}
      >
        {makeVisible(text)}
        {place !== null && ` · ${place.place} of ${place.of}`}
      </span>
    </span>
  )
}

interface QuickActionsProps {
  readonly agentId: string
  readonly offered: readonly AgentAction[]
  readonly onAct: (action: AgentAction) => void
}

/** For the pointer only; keyboard users have the keys and the menu of the tile, without further tab stops. */
function QuickActions({ agentId, offered, onAct }: QuickActionsProps) {
  const busy = useBusyAction(agentId)
  const keysOf = useKeysOf()
  return (
    <span
      className={classNames(
        'absolute top-1 right-1 flex rounded-sm bg-bg-2 group-hover/tile:opacity-100',
        busy === null && 'opacity-0',
      )}
    >
      {quickActions(offered).map((action) => (
        <IconButton
          key={ACTION_LABELS[action].keyAction}
          tabIndex={-1}
          icon={ACTION_ICONS[action]}
          label={ACTION_LABELS[action].label}
          keys={keysOf(ACTION_LABELS[action].keyAction)}
          busy={busy !== null && ACTION_LABELS[busy].keyAction === ACTION_LABELS[action].keyAction}
          // The second click of a double click would undo the first.
          onClick={(event) => event.detail < 2 && onAct(action)}
        />
      ))}
    </span>
  )
}

/** At most two: pause, continue or resume, and stop. */
function quickActions(offered: readonly AgentAction[]): readonly AgentAction[] {
  return offered.filter((action) => ['pause', 'continue', 'resume', 'stop'].includes(action))
}

/** Adds the text to the agent's message and opens its panel there. The panel is not mounted yet to take the text. */
function beginMessage(agentId: string, text: string): void {
  const key = lineDraftKey(agentId)
  changeDraft(key, { text: draftOf(key).text + text })
  revealLine(agentId)
}

/** The status as text, for screen readers. */
function statusOf(agent: AgentState): string {
  if (isPausing(agent)) return 'pausing'
  return markOf(agent) === 'needs-you' ? 'waiting' : agent.status
}

/** Whether the state of the agent is more important than its words. */
function isStateFirst(agent: AgentState): boolean {
  return (
    needsUser(agent) ||
    agent.retry !== null ||
    agent.pauseWanted ||
    MATTERS.has(agent.status) ||
    agent.reachedLimit !== null
  )
}

/** The last text of the agent, or its state if the state is more important or the agent has no text. */
function lastLine(agent: AgentState): string {
  if (isStateFirst(agent)) return stateText(agent)
  const said = plainLine(agent.lastLine)
  if (said !== '') return said
  return agent.action?.running === true ? 'running' : agentText(agent)
}

/** With the reason of a failure: a tile has no transcript that shows it. */
function stateText(agent: AgentState): string {
  if (needsUser(agent) || agent.pauseWanted) return agentText(agent)
  if (isLimited(agent)) return agentText(agent)
  if (agent.retry !== null) return `retrying · ${agent.retry.failure.message}`
  return agent.status === 'failed' && agent.failure !== null ? agent.failure.message : agentText(agent)
}

const MATTERS: ReadonlySet<AgentState['status']> = new Set([
  'queued',
  'paused',
  'failed',
  'stopped',
  'interrupted',
])
