/** The to-do list of an agent: a line with the progress and the current item, which opens to the list. */
import { ChevronRight } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { create } from 'zustand'
import type { Todo } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { isExternal } from '../../ui/text/external-agent-text.ts'
import { TodoList } from '../../ui/todo-list.tsx'

/** The agents whose list the user opened or closed. A panel is unmounted while its agent has a tile. */
const useOpenLists = create<{ readonly chosen: ReadonlyMap<string, boolean> }>()(() => ({
  chosen: new Map(),
}))

/**
 * Renders nothing for an agent without a to-do list. The plan of an external agent starts open in a
 * panel with room for it.
 */
export function TodoLine({ agentId }: { readonly agentId: string }) {
  const todos = useTodos(agentId)
  const color = useConversation(({ agents }) => agents.get(agentId)?.definition.color)
  const isWorking = useConversation(({ agents }) => {
    const agent = agents.get(agentId)
    return agent !== undefined && isLive(agent)
  })
  const isPlan = useConversation(({ agents }) => {
    const agent = agents.get(agentId)
    return agent !== undefined && isExternal(agent)
  })
  const line = useRef<HTMLDivElement>(null)
  const hasRoom = useHasRoom(line, todos.length > 0)
  const isOpen = useOpenLists(({ chosen }) => chosen.get(agentId) ?? (isPlan && hasRoom))
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  useEffect(() => {
    if (isOpen) list.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' })
  }, [isOpen])
  if (todos.length === 0 || color === undefined) return null
  const current = currentText(todos, isWorking)
  return (
    <div
      ref={line}
      style={agentStyle(color)}
      className="flex max-h-[45%] shrink-0 flex-col border-line border-b bg-bg-1"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        title={current}
        onClick={() => choose(agentId, !isOpen)}
        className="flex min-h-6 shrink-0 items-center gap-1.5 px-2.5 py-0.5 text-left text-fg-1 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
      >
        <ChevronRight
          size={12}
          strokeWidth={1.75}
          aria-hidden="true"
          className={classNames('shrink-0 text-fg-2', isOpen && 'rotate-90')}
        />
        {isPlan && <span className="shrink-0 font-medium text-fg-0">Plan</span>}
        <span className="shrink-0 tabular-nums">{progressOf(todos)}</span>
        <span className="sr-only"> to-dos done</span>
        {/* The open plan shows it. */}
        {!(isPlan && isOpen) && (
          <>
            <span aria-hidden="true" className="text-fg-2">
              ·
            </span>
            <span dir="auto" className="min-w-0 truncate">
              {current}
            </span>
          </>
        )}
      </button>
      {isOpen && (
        <TodoList
          ref={list}
          id={id}
          todos={todos}
          aria-label={isPlan ? 'Plan' : 'To-do list'}
          checks={isPlan}
          // A long list scrolls with the keyboard too.
          tabIndex={0}
          data-selectable=""
          className="min-h-0 overflow-y-auto px-2.5 pt-0.5 pb-2 focus-visible:-outline-offset-2"
        />
      )}
    </div>
  )
}

/** The height from which on a panel shows a whole plan and its transcript, in px. */
const ROOM = 300

/** Whether the panel around the line is high enough; true where heights can't be watched. */
function useHasRoom(line: { readonly current: HTMLElement | null }, isShown: boolean): boolean {
  const [hasRoom, setHasRoom] = useState(true)
  useEffect(() => {
    const panel = line.current?.closest('[data-agent-panel]')
    if (!isShown || panel == null || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(([entry]) => setHasRoom((entry?.contentRect.height ?? ROOM) >= ROOM))
    observer.observe(panel)
    return () => observer.disconnect()
  }, [line, isShown])
  return hasRoom
}

/** "3/7", for a tile; nothing for an agent without a to-do list. */
export function TodoCount({ todos }: { readonly todos: readonly Todo[] }) {
  if (todos.length === 0) return null
  return (
    <span className="ms-auto shrink-0 font-mono font-normal text-fg-2 text-xs tabular-nums">
      {doneOf(todos)}/{todos.length}
      <span className="sr-only"> to-dos done</span>
    </span>
  )
}

const NONE: readonly Todo[] = []

function useTodos(agentId: string): readonly Todo[] {
  return useConversation(({ agents }) => agents.get(agentId)?.todos ?? NONE)
}

function choose(agentId: string, open: boolean): void {
  useOpenLists.setState(({ chosen }) => ({ chosen: new Map(chosen).set(agentId, open) }))
}

const doneOf = (todos: readonly Todo[]) => todos.filter(({ status }) => status === 'completed').length

const progressOf = (todos: readonly Todo[]) => `${doneOf(todos)} of ${todos.length}`

function currentText(todos: readonly Todo[], isWorking: boolean): string {
  const current = todos.find(({ status }) => status === 'in_progress')
  const next = current ?? todos.find(({ status }) => status === 'pending')
  if (next === undefined) return 'all done'
  if (!isWorking) return `not done: ${makeVisible(next.content)}`
  return current === undefined
    ? `next: ${makeVisible(next.content)}`
    : makeVisible(current.activeForm || current.content)
}
