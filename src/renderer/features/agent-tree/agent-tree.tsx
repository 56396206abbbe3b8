/** The agents of this conversation as a tree. */
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { doWith, offeredNow, pressedAction } from '../../stores/agent-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { recall, remember, useStage, useStageMemory } from '../../stores/stage-store.ts'
import { isShortcut } from '../../ui/platform.ts'
import { usePointerAtWork } from '../../ui/pointer-at-work.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { useStable } from '../../ui/use-stable.ts'
import { AgentRow } from './agent-row.tsx'
import { GroupRow } from './group-row.tsx'
import { layOutTree, sameLayout, type TreeLayout } from './tree-order.ts'

interface AgentTreeProps {
  /** Shows only dots, for a narrow window. */
  readonly compact?: boolean
  /** Around everything that moves when the tree gets shorter. */
  readonly around: RefObject<HTMLElement | null>
  readonly onOpen: (agentId: string) => void
  /** Starts a message to the agent. */
  readonly onWrite: (agentId: string) => void
}

export function AgentTree({ compact = false, around, onOpen, onWrite }: AgentTreeProps) {
  const [showEnded, setShowEnded] = useState<boolean | null>(null)
  const collapsed = useCollapsed()
  const current = useConversation(
    useStable((state) => layOutTree(state.agents, { showEnded, collapsed, groups: !compact }), sameLayout),
  )
  const tree = useRef<HTMLDivElement>(null)
  const { layout, ...watchFocus } = useStill(current, collapsed, around)
  const mainAgentId = useConversation((state) => state.record?.mainAgentId ?? null)
  const selected = useStage((state) => state.selectedAgentId) ?? mainAgentId
  const tabStop = shownRowOf(selected, layout) ?? layout.shown[0]?.agentId

  const focusRow = useCallback(
    (agentId: string) =>
      tree.current?.querySelector<HTMLElement>(`[data-agent-id="${CSS.escape(agentId)}"]`)?.focus(),
    [],
  )
  const keepFocus = useFocusInTree(layout, focusRow)

  const fold = useCallback(
    (agentId: string) => {
      toggleCollapsed(agentId)
      focusRow(agentId)
    },
    [focusRow],
  )
  const move = (from: number, to: Step) => {
    const { shown } = layout
    const node = shown[from]
    if (node === undefined) return
    if (node.branch === (to === 'in' ? 'collapsed' : to === 'out' ? 'open' : null))
      toggleCollapsed(node.agentId)
    else {
      const target = {
        next: shown[from + 1],
        previous: shown[from - 1],
        first: shown[0],
        last: shown.at(-1),
        out: shown.find((other) => other.agentId === node.parentId),
        in: node.branch === 'open' ? shown[from + 1] : undefined,
      }[to]
      if (target !== undefined) focusRow(target.agentId)
    }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const agentId = (event.target as HTMLElement).dataset['agentId']
    const from = layout.shown.findIndex((node) => node.agentId === agentId)
    if (agentId === undefined || from === -1) return
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
    const step = isPlain ? STEPS[event.key] : undefined
    const action = actionOf(agentId, event)
    if (step !== undefined) move(from, step)
    else if (isPlain && (event.key === 'Enter' || event.key === ' '))
      layout.shown[from]?.group === undefined ? onOpen(agentId) : fold(agentId)
    else if (action === 'write') onWrite(agentId)
    else if (action !== undefined && !event.repeat) doWith(agentId, action)
    else return
    event.preventDefault()
  }

  return (
    <div className="flex flex-col">
      <div
        ref={tree}
        role="tree"
        aria-label="Agents of this conversation"
        onKeyDown={onKeyDown}
        {...keepFocus}
        {...watchFocus}
        className="flex flex-col"
      >
        {layout.shown.map((node) =>
          node.group !== undefined ? (
            <GroupRow
              key={node.agentId}
              group={node.group}
              isOpen={node.branch === 'open'}
              tabStop={node.agentId === tabStop}
              compact={compact}
              onFold={fold}
            />
          ) : (
            <AgentRow
              key={node.agentId}
              agentId={node.agentId}
              depth={node.depth}
              selected={node.agentId === selected}
              tabStop={node.agentId === tabStop}
              branch={node.branch}
              hidden={node.hidden}
              compact={compact}
              isDense={layout.isDense && node.depth > 0}
              onFold={fold}
              onOpen={onOpen}
              onWrite={onWrite}
            />
          ),
        )}
      </div>
      {layout.foldable && (
        <button
          type="button"
          onClick={() => setShowEnded(layout.folded > 0)}
          className={classNames(
            'text-fg-2 text-xs hover:bg-bg-2 hover:text-fg-0 focus-visible:-outline-offset-2',
            compact ? 'mx-auto my-1 rounded-sm px-1 py-0.5' : 'px-3.5 py-1.5 pl-9 text-left',
          )}
          aria-label={
            layout.folded > 0
              ? `${compact ? '+' : ''}${layout.folded} ended: show them`
              : `${compact ? '−' : ''} Hide finished`
          }
        >
          {layout.folded > 0
            ? compact
              ? `+${layout.folded}`
              : `${layout.folded} ended`
            : compact
              ? '−'
              : 'Hide finished'}
        </button>
      )}
    </div>
  )
}

/**
 * The layout, which stays as it is while the pointer is at work around the tree: rows go from group to group by themselves, and
 * all fold to one line when they are done. They also do not fold while the focus is among them. A group that the user folds
 * or opens shows at once.
 */
function useStill(current: TreeLayout, collapsed: readonly string[], around: RefObject<HTMLElement | null>) {
  const conversationId = useConversation((state) => state.conversationId)
  const { isAtWork } = usePointerAtWork(around)
  const [hasFocus, setFocus] = useState(false)
  const now = { layout: current, collapsed, conversationId }
  const [held, setHeld] = useState(now)
  const { kind, shown } = held.layout
  const moves = kind !== current.kind || kind === 'groups'
  const folds = kind !== current.kind && current.kind === 'all-done'
  const isSame = held.conversationId === conversationId && held.collapsed === collapsed && shown.length > 0
  const isHeld = isSame && ((moves && isAtWork) || (folds && hasFocus))
  if (
    !isHeld &&
    (held.layout !== current || held.collapsed !== collapsed || held.conversationId !== conversationId)
  )
    setHeld(now)
  return {
    layout: isHeld ? held.layout : current,
    onFocusCapture: () => setFocus(true),
    onBlurCapture: ({ relatedTarget, currentTarget }: FocusEvent) =>
      setFocus(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)),
  }
}

/** The collapsed agents of the shown conversation, as stored. */
function useCollapsed(): readonly string[] {
  const conversationId = useConversation((state) => state.conversationId)
  useEffect(() => recall(conversationId), [conversationId])
  return useStageMemory((state) => state.memory.collapsed)
}

function toggleCollapsed(agentId: string): void {
  const { collapsed } = useStageMemory.getState().memory
  remember({
    collapsed: collapsed.includes(agentId)
      ? collapsed.filter((id) => id !== agentId)
      : [...collapsed, agentId],
  })
}

/** The row of the agent, or of the nearest agent above it whose row is shown. */
function shownRowOf(agentId: string | null, { shown }: TreeLayout): string | undefined {
  const { agents } = useConversation.getState()
  for (let id = agentId; id !== null; id = agents.get(id)?.parentId ?? null)
    if (shown.some((node) => node.agentId === id)) return id
  return undefined
}

/** A focused row that folds passes the focus to the row that replaces it. */
function useFocusInTree({ shown }: TreeLayout, focusRow: (agentId: string) => void) {
  const last = useRef<{ readonly agentId: string; readonly at: number } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows come and go with the layout alone
  useLayoutEffect(() => {
    if (last.current === null) return
    const { agentId, at } = last.current
    const now = shown.findIndex((node) => node.agentId === agentId)
    if (now !== -1) last.current = { agentId, at: now }
    else if (document.activeElement === document.body) {
      const next = shown[Math.min(at, shown.length - 1)]
      if (next !== undefined) focusRow(next.agentId)
    }
  }, [shown])
  return {
    onFocus: (event: FocusEvent) => {
      const agentId = (event.target as HTMLElement).dataset['agentId']
      const at = shown.findIndex((node) => node.agentId === agentId)
      last.current = agentId === undefined || at === -1 ? null : { agentId, at }
    },
    onBlur: (event: FocusEvent) => {
      if (event.relatedTarget !== null) last.current = null
    },
  }
}

function actionOf(agentId: string, event: KeyboardEvent) {
  const agent = useConversation.getState().agents.get(agentId)
  return agent === undefined ? undefined : pressedAction(offeredNow(agent), (keys) => isShortcut(event, keys))
}

/** `in` opens a collapsed row or goes to its first child; `out` collapses an open row or goes to its parent. */
type Step = 'next' | 'previous' | 'first' | 'last' | 'in' | 'out'

const STEPS: Readonly<Record<string, Step>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
  ArrowLeft: 'out',
  ArrowRight: 'in',
}
