/**
 * The stage: the agents of a conversation side by side. Focus, Columns and Grid arrange themselves by need;
 * dragging a panel makes the layout Free, in which everything stays where the person put it.
 */
import { UsersRound } from 'lucide-react'
import {
  type HTMLAttributes,
  type KeyboardEvent,
  lazy,
  memo,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { revealDone, selectAgent, useStage } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import type { DockHandle } from './free-docking.tsx'
import { capacityOf, columnsOf, neighbour, tileColumnsOf } from './geometry.ts'
import { type Move, usePanelDrag } from './panel-drag.ts'
import { type Layout, recall, remember, useStageMemory } from './stage-memory.ts'
import { useArrangement } from './use-arrangement.ts'
import { usePresence } from './use-presence.ts'
import { useSize } from './use-size.ts'

/** What a panel gets from the stage. */
export interface PanelControls {
  readonly onFocus: () => void
  readonly isFocused: boolean
  /** Left out in the free layout: there every panel stays. */
  readonly onPin?: () => void
  readonly isPinned?: boolean
  /** Only in the free layout: elsewhere panels come and go by themselves. */
  readonly onClose?: () => void
  readonly handle: HTMLAttributes<HTMLElement>
}

export interface StagePanelsProps {
  /** The agents to show, in the order of their start; without the main agent, which has its own place. */
  readonly agentIds: readonly string[]
  /** These three should stay the same functions from render to render. */
  readonly renderPanel: (agentId: string, controls: PanelControls) => ReactNode
  readonly renderTile: (agentId: string, onOpen: () => void) => ReactNode
  readonly renderFinished: (agentIds: readonly string[], isOpen: boolean, onToggle: () => void) => ReactNode
  /** Every transcript goes to its end and follows it. */
  readonly onFollow: () => void
}

const FreeDocking = lazy(async () => ({ default: (await import('./free-docking.tsx')).FreeDocking }))

const LAYOUTS = [
  { value: 'focus', label: 'Focus' },
  { value: 'columns', label: 'Columns' },
  { value: 'grid', label: 'Grid' },
  { value: 'free', label: 'Free' },
] as const

export function StagePanels(props: StagePanelsProps) {
  const { agentIds, renderPanel, renderTile, renderFinished, onFollow } = props
  const conversationId = useConversation((state) => state.conversationId)
  const usual = useSession((state) => state.settings.stageLayout)
  const memory = useStageMemory((state) => state.memory)
  useEffect(() => recall(conversationId), [conversationId])

  const layout: Layout = memory.layout ?? usual
  const stage = useRef<HTMLDivElement>(null)
  const room = useRef<HTMLDivElement>(null)
  const dock = useRef<DockHandle>(null)
  const size = useSize(stage, { width: 800, height: 700 })
  const roomSize = useSize(room, size)
  const presence = usePresence(stage)
  const [opened, setOpened] = useState<string | null>(null)
  const [before, setBefore] = useState<Layout>('grid')
  const [firstMove, setFirstMove] = useState<Move | null>(null)
  const [docked, setDocked] = useState<readonly string[]>([])
  const [alone, setAlone] = useState<string | null>(null)
  const [finishedOpen, setFinishedOpen] = useState(false)
  const giveFocus = useFocusGiver(stage)

  const automatic = layout === 'free' ? 'grid' : layout
  const arrangement = useArrangement({
    agentIds,
    // What tiles take is not known before it is known who is one: the room they left last time is near enough.
    capacity: capacityOf(automatic, {
      width: size.width,
      height: Math.min(size.height, roomSize.height + 8),
    }),
    pinned: memory.pinned,
    opened: layout === 'focus' ? (memory.focused ?? opened) : opened,
    inUse: presence.inUse,
    moment: presence.moment,
  })
  const free = layout === 'free'
  const panels = free ? docked : arrangement.panels
  const others = free
    ? [...arrangement.panels, ...arrangement.tiles].filter((id) => !docked.includes(id))
    : arrangement.tiles
  const tiles = free ? agentIds.filter((id) => others.includes(id)) : others
  const finished = free ? arrangement.finished.filter((id) => !docked.includes(id)) : arrangement.finished

  const setLayout = (next: Layout) => {
    if (layout !== 'focus') setBefore(layout)
    if (next === 'focus')
      remember({ layout: next, focused: panelWithFocus(stage.current) ?? panels[0] ?? null })
    else remember({ layout: next })
  }
  const open = useCallback(
    (agentId: string) => {
      if (free) dock.current?.open(agentId)
      else if (layout === 'focus') remember({ focused: agentId })
      else setOpened(agentId)
      giveFocus(agentId)
    },
    [free, layout, giveFocus],
  )
  const toggleFocus = useCallback(
    (agentId: string) => {
      if (free) dock.current?.toggleAlone(agentId)
      else if (layout === 'focus') remember({ layout: before === 'focus' ? 'grid' : before })
      else {
        setBefore(layout)
        remember({ layout: 'focus', focused: agentId })
      }
      giveFocus(agentId)
    },
    [free, layout, before, giveFocus],
  )
  const drag = usePanelDrag(
    stage,
    useCallback(
      (move: Move) => {
        if (free) dock.current?.move(move)
        else {
          setFirstMove(move)
          remember({ layout: 'free', dock: null })
        }
      },
      [free],
    ),
  )
  useReveals(agentIds, open, stage)

  const { handleOf } = drag
  const renderControlled = useCallback(
    (agentId: string) =>
      renderPanel(agentId, {
        onFocus: () => toggleFocus(agentId),
        isFocused: free ? alone === agentId : layout === 'focus',
        handle: handleOf(agentId),
        ...(free
          ? { onClose: () => dock.current?.close(agentId) }
          : { onPin: () => togglePin(agentId), isPinned: memory.pinned.includes(agentId) }),
      }),
    [renderPanel, toggleFocus, free, alone, layout, handleOf, memory.pinned],
  )
  const known = useMemo(() => new Set(agentIds), [agentIds])
  const columns = columnsOf(automatic, arrangement.panels.length, size.width)

  return (
    <section aria-label="Stage" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0">
      <header className="flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-2.5 text-sm">
        <h2 className="font-semibold text-fg-0">Stage</h2>
        <Segmented label="Layout of the panels" value={layout} options={LAYOUTS} onChange={setLayout} />
        <span className="flex-1" />
        <Button variant="quiet" className="-mr-1.5" disabled={agentIds.length === 0} onClick={onFollow}>
          Follow output
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the panels, which are focusable */}
      <div
        ref={stage}
        {...drag.area}
        onKeyDown={moveFocus}
        onFocus={(event) => selectAgent(panelOf(event.target))}
        className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      >
        {agentIds.length === 0 ? (
          <EmptyState icon={UsersRound} title="No agents yet">
            When the main agent splits its work, each of its agents gets a live panel here.
          </EmptyState>
        ) : (
          <>
            <div ref={room} className="flex min-h-0 min-w-0 flex-1 flex-col">
              {free ? (
                <Suspense fallback={null}>
                  <FreeDocking
                    key={conversationId}
                    ref={dock}
                    saved={memory.dock}
                    panels={arrangement.panels}
                    columns={columns}
                    firstMove={firstMove}
                    knownAgents={known}
                    renderPanel={renderControlled}
                    onChange={(ids, saved) => {
                      setFirstMove(null)
                      setDocked(ids)
                      remember({ dock: saved })
                    }}
                    onAlone={setAlone}
                  />
                </Suspense>
              ) : (
                <div
                  className="grid min-h-0 flex-1 auto-rows-[minmax(0,1fr)] gap-px bg-line"
                  style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
                >
                  {arrangement.panels.map((agentId, index) => (
                    <PanelFrame
                      key={agentId}
                      agentId={agentId}
                      wide={isLoneLast(index, arrangement.panels.length, columns)}
                      render={renderControlled}
                    />
                  ))}
                </div>
              )}
            </div>
            <Tiles ids={tiles} width={size.width} open={open} renderTile={renderTile} label="More agents" />
            {finished.length > 0 &&
              renderFinished(finished, finishedOpen, () => setFinishedOpen((shown) => !shown))}
            {finishedOpen && (
              <Tiles
                ids={finished}
                width={size.width}
                open={open}
                renderTile={renderTile}
                label="Finished agents"
              />
            )}
          </>
        )}
        {drag.mark !== null && (
          <div
            aria-hidden="true"
            style={drag.mark}
            className="pointer-events-none absolute z-20 border-2 border-accent bg-accent/12 transition-all duration-75"
          />
        )}
      </div>
    </section>
  )
}

interface PanelFrameProps {
  readonly agentId: string
  readonly wide: boolean
  readonly render: (agentId: string) => ReactNode
}

/** A panel is drawn again only if its own controls change, not when another one comes or goes. */
const PanelFrame = memo(function PanelFrame({ agentId, wide, render }: PanelFrameProps) {
  return <div className={wide ? 'col-span-full min-h-0 min-w-0' : 'min-h-0 min-w-0'}>{render(agentId)}</div>
})

/** The last of an odd number has the whole of its row. */
function isLoneLast(index: number, count: number, columns: number): boolean {
  return columns === 2 && count > 2 && count % 2 === 1 && index === count - 1
}

interface TilesProps {
  readonly ids: readonly string[]
  readonly width: number
  readonly label: string
  readonly open: (agentId: string) => void
  readonly renderTile: (agentId: string, onOpen: () => void) => ReactNode
}

const Tiles = memo(function Tiles({ ids, width, label, open, renderTile }: TilesProps) {
  if (ids.length === 0) return null
  return (
    <ul
      aria-label={label}
      className="grid max-h-[36%] shrink-0 gap-px overflow-y-auto overflow-x-hidden border-line border-t bg-bg-1"
      style={{ gridTemplateColumns: `repeat(${tileColumnsOf(width)}, minmax(0, 1fr))` }}
    >
      {ids.map((id) => (
        <li key={id} className="grid min-w-0 shadow-[0_0_0_1px_var(--line)]">
          {renderTile(id, () => open(id))}
        </li>
      ))}
    </ul>
  )
})

function togglePin(agentId: string): void {
  const { pinned } = useStageMemory.getState().memory
  remember({
    pinned: pinned.includes(agentId) ? pinned.filter((id) => id !== agentId) : [...pinned, agentId],
  })
}

function panelOf(target: EventTarget | null): string | null {
  if (!(target instanceof Element)) return null
  return target.closest<HTMLElement>('[data-agent-panel]')?.dataset['agentPanel'] ?? null
}

function panelWithFocus(stage: HTMLElement | null): string | null {
  return stage?.contains(document.activeElement) ? panelOf(document.activeElement) : null
}

/** Arrow keys on a panel go to the one beside it. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event
  if (key !== 'ArrowLeft' && key !== 'ArrowRight' && key !== 'ArrowUp' && key !== 'ArrowDown') return
  if (!(target instanceof HTMLElement) || target.dataset['agentPanel'] === undefined) return
  const panels = [...currentTarget.querySelectorAll<HTMLElement>('[data-agent-panel]')]
  const boxes = panels
    .filter((panel) => panel !== target)
    .map((panel) => ({ id: panel.dataset['agentPanel'] ?? '', box: panel.getBoundingClientRect() }))
  const next = neighbour(target.getBoundingClientRect(), boxes, key)
  if (next === null) return
  event.preventDefault()
  panels.find((panel) => panel.dataset['agentPanel'] === next)?.focus()
}

/** Moves the focus to the panel of an agent as soon as it is there. */
function useFocusGiver(stage: { readonly current: HTMLElement | null }): (agentId: string) => void {
  const wanted = useRef<string | null>(null)
  const [, setAsked] = useState(0)
  useEffect(() => {
    if (wanted.current === null) return
    const panel = stage.current?.querySelector<HTMLElement>(
      `[data-agent-panel="${CSS.escape(wanted.current)}"]`,
    )
    if (!panel) return
    wanted.current = null
    panel.focus({ preventScroll: true })
  })
  return useCallback((agentId: string) => {
    wanted.current = agentId
    setAsked((count) => count + 1)
  }, [])
}

/** Does what the tree, a card or a list of questions asks for: shows a panel, or the question in it. */
function useReveals(
  agentIds: readonly string[],
  open: (agentId: string) => void,
  stage: { readonly current: HTMLElement | null },
): void {
  const reveal = useStage((state) => state.reveal)
  useEffect(() => {
    if (reveal === null || !agentIds.includes(reveal.agentId)) return
    revealDone(reveal)
    open(reveal.agentId)
    if (reveal.kind === 'prompt')
      // The panel comes first; its question then takes the focus from it.
      requestAnimationFrame(() =>
        stage.current?.querySelector<HTMLElement>(`[data-prompt="${CSS.escape(reveal.promptId)}"]`)?.focus(),
      )
  }, [reveal, agentIds, open, stage])
}
