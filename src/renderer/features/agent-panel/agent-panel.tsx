/**
 * The panel of one agent: who it is and how far it came on one line, its transcript, its questions, and a
 * line to write to it. What stands in it is given from outside.
 */
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useLayoutEffect,
  useRef,
} from 'react'
import { doWith } from '../../stores/agent-actions.ts'
import { agentWords } from '../../stores/agent-words.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { showNotice } from '../../stores/notice-store.ts'
import { type AgentAction, actionOfKey, useOfferedActions } from '../../stores/offered-actions.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { isFind } from '../../ui/platform.ts'
import { AgentStanding } from './agent-standing.tsx'
import { MessageLine } from './message-line.tsx'
import { PanelControls } from './panel-controls.tsx'
import { PanelHeader } from './panel-header.tsx'

export interface AgentPanelProps {
  readonly agentId: string
  /** Its transcript. */
  readonly children: ReactNode
  /** Its open questions: they stay in sight at the foot, wherever the transcript is scrolled to. */
  readonly prompts?: ReactNode
  readonly onFind: () => void
  /** Copies the whole transcript; false where the system refused. */
  readonly onCopy: () => Promise<boolean>
  /** Shows it alone, or together with the others again; left out where it always is alone. */
  readonly onFocus?: () => void
  readonly isFocused?: boolean
  /** Keeps its place however little it needs it; left out where places are not shared. */
  readonly onPin?: () => void
  readonly isPinned?: boolean
  /** Takes the panel away, the agent goes on; left out where panels come and go by themselves. */
  readonly onClose?: () => void
  /** What makes the header a handle for dragging. */
  readonly handle?: HTMLAttributes<HTMLElement>
}

export function AgentPanel(props: AgentPanelProps) {
  const { agentId, children, prompts, onFocus, onPin, handle } = props
  const agent = useAgent(agentId)
  const offered = useOfferedActions(agentId)
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
  const copy = useCallback(() => void latest.current.onCopy().then(sayCopied), [])
  const watchFocus = useFocusKept(panel, offered)
  if (agent === undefined) return null

  const keys: Readonly<Record<string, (() => void) | undefined>> = { f: onFocus, p: onPin, '/': find }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isFind(event) && !event.defaultPrevented) {
      event.preventDefault()
      return find()
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea, [contenteditable]'))
      return
    const action = actionOfKey(offered, event.key)
    const run = action === undefined ? keys[event.key.toLowerCase()] : () => act(action)
    if (run === undefined) return
    event.preventDefault()
    run()
  }

  return (
    <article
      ref={panel}
      data-agent-panel={agentId}
      data-prompt-scope=""
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys work while it has the focus, and arrows move on
      tabIndex={0}
      aria-label={`${agent.definition.name}: ${agent.task}, ${agentWords(agent)}`}
      style={agentStyle(agent.definition.color)}
      onKeyDown={onKeyDown}
      {...watchFocus}
      // Strictly contained: what changes in one panel lays out nothing outside of it.
      className="group/panel relative flex h-full min-h-0 min-w-0 flex-col bg-bg-1 [contain:strict] focus-visible:-outline-offset-2"
    >
      <PanelHeader agent={agent} {...(handle ? { handle } : {})}>
        <PanelControls
          agentId={agentId}
          onAct={act}
          onFind={find}
          onCopy={copy}
          onPin={onPin}
          isPinned={props.isPinned ?? false}
          onFocus={onFocus}
          isFocused={props.isFocused ?? false}
          onClose={props.onClose}
        />
      </PanelHeader>
      {children}
      <div className="max-h-[75%] shrink-0 overflow-y-auto px-2.5 pb-2.5 empty:hidden">{prompts}</div>
      {agent.status === 'queued' && agent.turn === 0 && !agent.pauseWanted && <Queued />}
      <AgentStanding agentId={agentId} onGone={focusPanel} />
      {offered.includes('write') && (
        <MessageLine ref={line} agentId={agentId} name={agent.definition.name} onLeave={focusPanel} />
      )}
    </article>
  )
}

function Queued() {
  return (
    <p className="pointer-events-none absolute inset-x-6 top-1/2 -translate-y-1/2 text-balance text-center text-fg-2 text-sm">
      Queued: it starts as soon as one of the agents that run now is done.
    </p>
  )
}

/** A button that goes away while it has the focus leaves it to the panel. */
function useFocusKept(panel: { readonly current: HTMLElement | null }, offered: readonly AgentAction[]) {
  const inside = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: buttons go away where something else is offered
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

function sayCopied(copied: boolean): void {
  showNotice(
    copied
      ? { level: 'info', text: 'The transcript is on the clipboard.' }
      : { level: 'error', text: 'The system refused to copy. Nothing is on the clipboard.' },
  )
}
