/**
 * The panel of one agent: header, transcript, permission requests and message field. The view passes in the
 * transcript and the requests.
 */
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useLayoutEffect,
  useRef,
} from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  type AgentAction,
  doWith,
  pressedAction,
  useOfferedActions,
  useRefusedStop,
} from '../../stores/agent-actions.ts'
import { useAgent, useAgentMention, useAgentTitle } from '../../stores/conversation-store.ts'
import { keysNow } from '../../stores/keys-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { ContextMenu } from '../../ui/menu.tsx'
import { isEditable, isFind, isShortcut, isTaken, isTyping } from '../../ui/platform.ts'
import { agentText, displayName } from '../../ui/text/agent-text.ts'
import { isExternal } from '../../ui/text/external-agent-text.ts'
import { AgentStanding } from './agent-standing.tsx'
import { CommandsLine } from './commands-line.tsx'
import { LoginCard } from './login-card.tsx'
import { MessageLine } from './message-line.tsx'
import { PanelControls, PanelMenuItems } from './panel-controls.tsx'
import { PanelHeader } from './panel-header.tsx'
import { ProgramStrip } from './program-strip.tsx'
import { TodoLine } from './todo-line.tsx'

export interface AgentPanelProps {
  readonly agentId: string
  /** The transcript. */
  readonly children: ReactNode
  /** The open permission requests: they stay visible at the foot, however the transcript is scrolled. */
  readonly requests?: ReactNode
  readonly onFind: () => void
  /** Copies the whole transcript; false if copying failed. */
  readonly onCopy: () => Promise<boolean>
  /** Toggles between this panel and all panels; absent if the panel is always alone. */
  readonly onFocus?: () => void
  readonly isFocused?: boolean
  /** Pins the panel; absent if panels have fixed positions. */
  readonly onPin?: () => void
  readonly isPinned?: boolean
  /** Closes the panel; the agent keeps running. Absent if the stage chooses the panels. */
  readonly onClose?: () => void
  /** Opens the panel in a window of its own; absent if it is in one. */
  readonly onOwnWindow?: () => void
  /** Attributes that make the header draggable. */
  readonly handle?: HTMLAttributes<HTMLElement>
}

export function AgentPanel(props: AgentPanelProps) {
  const { agentId, children, requests, onFocus, onPin, handle } = props
  const agent = useAgent(agentId)
  const offered = useOfferedActions(agentId)
  const refused = useRefusedStop(agentId)
  const name = useAgentTitle(agentId) ?? ''
  const panel = useRef<HTMLElement>(null)
  const line = useRef<HTMLInputElement>(null)
  const latest = useRef(props)
  latest.current = props

  const focusPanel = useCallback(() => panel.current?.focus(), [])
  const find = useCallback(() => latest.current.onFind(), [])
  const act = useCallback(
    (action: AgentAction) => {
      if (action === 'write') line.current?.focus()
      else doWith(agentId, action)
    },
    [agentId],
  )
  const copy = useCallback(() => void latest.current.onCopy().then(showCopied), [])
  const watchFocus = useFocusKept(panel, offered)
  if (agent === undefined) return null

  const commandOf = (event: KeyboardEvent): (() => void) | undefined => {
    const action = pressedAction(offered, (keys) => isShortcut(event, keys))
    if (action !== undefined) return () => act(action)
    if (refused !== null && isShortcut(event, keysNow('agent.stop') ?? ''))
      return () => showNotice({ level: 'info', text: refused })
    if (isFind(event)) return find
    if (isShortcut(event, keysNow('panel.focus') ?? '')) return onFocus
    return isShortcut(event, keysNow('panel.pin') ?? '') ? onPin : undefined
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Events of the panel's menus and dialogs also pass here, from elsewhere in the page.
    if (isTaken(event) || !isInside(event)) return
    const run = commandOf(event)
    if (run !== undefined) {
      event.preventDefault()
      if (!event.repeat) run()
    } else if (isTyping(event) && !isEditable(event.target)) line.current?.focus()
  }

  const controls = {
    ...{ agentId, onAct: act, onFind: find, onCopy: copy, onPin, onFocus },
    ...{ isPinned: props.isPinned ?? false, isFocused: props.isFocused ?? false },
    ...{ onClose: props.onClose, onOwnWindow: props.onOwnWindow },
  }
  const article = (
    <article
      ref={panel}
      data-agent-panel={agentId}
      data-request-scope=""
      // biome-ignore lint/a11y/noNoninteractiveTabindex: shortcuts and typing need the panel's focus, and arrow keys move between panels
      tabIndex={0}
      aria-label={`${name}, ${displayName(agent)}, ${agentText(agent)}`}
      style={agentStyle(agent.definition.color)}
      onKeyDown={onKeyDown}
      {...watchFocus}
      // Strict containment: a change in one panel causes no layout outside the panel.
      className="group/panel relative flex h-full min-h-0 min-w-0 flex-col bg-bg-1 [contain:strict] focus-visible:-outline-offset-2"
    >
      <PanelHeader agent={agent} {...(handle ? { handle } : {})}>
        <PanelControls {...controls} />
      </PanelHeader>
      {isExternal(agent) && <ProgramStrip agent={agent} />}
      <TodoLine agentId={agentId} />
      <CommandsLine agentId={agentId} />
      {children}
      <div className="flex max-h-[80%] min-h-0 flex-col empty:hidden">
        {requests}
        <LoginCard agent={agent} />
      </div>
      {agent.status === 'queued' && agent.turn === 0 && !agent.pauseWanted && <Queued />}
      <AgentStanding agentId={agentId} onGone={focusPanel} />
      {offered.includes('write') && (
        <MessageLine ref={line} agentId={agentId} name={name} onLeave={focusPanel} />
      )}
      {agent.child !== null && <ChildLine agent={agent} />}
    </article>
  )
  return (
    <ContextMenu area={article} within="header">
      <PanelMenuItems {...controls} />
    </ContextMenu>
  )
}

function isInside({ target, currentTarget }: KeyboardEvent): boolean {
  return target instanceof Node && currentTarget.contains(target)
}

function Queued() {
  return (
    <p className="pointer-events-none absolute inset-x-6 top-1/2 -translate-y-1/2 text-balance text-center text-fg-2 text-sm">
      Queued. Starts when a running agent ends.
    </p>
  )
}

/** In place of the message field of an agent that only the program above it can talk to. */
function ChildLine({ agent }: { readonly agent: AgentState }) {
  const name = useAgentMention(agent.parentId) ?? 'the agent that started it'
  return (
    <p className="flex min-h-8 shrink-0 items-center border-line border-t px-2.5 text-fg-2 text-sm">
      Only {name} can send it messages.
    </p>
  )
}

/** A focused button that is unmounted passes the focus to the panel. */
function useFocusKept(panel: { readonly current: HTMLElement | null }, offered: readonly AgentAction[]) {
  const inside = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: buttons unmount when the offered actions change
  useLayoutEffect(() => {
    if (inside.current && document.activeElement === document.body) panel.current?.focus()
  }, [offered, panel])
  return {
    onFocus: () => {
      inside.current = true
    },
    onBlur: () => {
      inside.current = false
    },
  }
}

function showCopied(copied: boolean): void {
  showNotice(
    copied
      ? { level: 'info', text: 'Transcript copied.' }
      : { level: 'error', text: 'Copying failed. The clipboard is unchanged.' },
  )
}
