/**
 * The panel of one agent: who it is and how far it came on one line, its transcript, its questions, and a
 * line to write to it. What stands in it is given from outside.
 */
import { Copy, Maximize2, MessageSquare, Minimize2, Pin, PinOff, Search, Square, X } from 'lucide-react'
import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useRef } from 'react'
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import { command } from '../../bridge.ts'
import { agentWords } from '../../stores/agent-words.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { showFailure, showNotice } from '../../stores/notice-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { MessageLine } from './message-line.tsx'
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
  const { agentId, children, prompts, onFind, onCopy, onFocus, onPin, handle } = props
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const panel = useRef<HTMLElement>(null)
  const line = useRef<HTMLInputElement>(null)
  if (agent === undefined) return null

  const live = isLive(agent)
  const canStop = live && !readOnly
  const canWrite = !readOnly && (live || !agent.definition.oneShot)
  const stop = () => void stopAgent(agent)
  const write = () => line.current?.focus()
  const copy = () => {
    void onCopy().then((copied) =>
      showNotice(
        copied
          ? { level: 'info', text: `The transcript of ${agent.definition.name} is on the clipboard.` }
          : { level: 'error', text: 'The system refused to copy. Nothing is on the clipboard.' },
      ),
    )
  }
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    s: canStop ? stop : undefined,
    m: canWrite ? write : undefined,
    f: onFocus,
    p: onPin,
    '/': onFind,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea, [contenteditable]'))
      return
    const act = keys[event.key.toLowerCase()]
    if (act === undefined) return
    event.preventDefault()
    act()
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
      className="group/panel relative flex h-full min-h-0 min-w-0 flex-col overflow-hidden bg-bg-1 focus-visible:-outline-offset-2"
    >
      <PanelHeader agent={agent} {...(handle ? { handle } : {})}>
        {onPin && (
          <IconButton
            icon={props.isPinned ? PinOff : Pin}
            label={props.isPinned ? 'Let its place go to others' : 'Keep it in its place'}
            keys="P"
            pressed={props.isPinned ?? false}
            onClick={onPin}
          />
        )}
        {canWrite && <IconButton icon={MessageSquare} label="Write to it" keys="M" onClick={write} />}
        <IconButton icon={Search} label="Find in it" keys="/" onClick={onFind} />
        <IconButton icon={Copy} label="Copy the transcript" onClick={copy} />
        {onFocus && (
          <IconButton
            icon={props.isFocused ? Minimize2 : Maximize2}
            label={props.isFocused ? 'Back to all panels' : 'Show it alone'}
            keys="F"
            onClick={onFocus}
          />
        )}
        {canStop && <IconButton icon={Square} label="Stop it" keys="S" onClick={stop} />}
        {props.onClose && <IconButton icon={X} label="Close the panel" onClick={props.onClose} />}
      </PanelHeader>
      {children}
      <div className="max-h-[75%] shrink-0 overflow-y-auto px-2.5 pb-2.5 empty:hidden">{prompts}</div>
      {agent.status === 'queued' && agent.turn === 0 && <Queued />}
      {canWrite && <MessageLine agent={agent} ref={line} onLeave={() => panel.current?.focus()} />}
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

async function stopAgent(agent: AgentState): Promise<void> {
  const answer = await command('agent.stop', { agentId: agent.id, conversationId: agent.conversationId })
  if (!answer.ok) showFailure(answer.failure)
}
