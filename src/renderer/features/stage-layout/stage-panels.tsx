/**
 * The stage: the agents of a conversation side by side. Focus, Columns and Grid arrange themselves by need;
 * dragging a panel makes the layout Free, in which everything stays where the person put it.
 */
import { UsersRound } from 'lucide-react'
import {
  type HTMLAttributes,
  lazy,
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
import { selectAgent } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import type { DockHandle } from './free-docking.tsx'
import { atUsualText, capacityOf, columnsOf } from './geometry.ts'
import { type Move, usePanelDrag } from './panel-drag.ts'
import { moveFocus, panelOf, panelWithFocus, useFocusGiver, useReveals } from './stage-focus.ts'
import { type Layout, recall, remember, useStageMemory } from './stage-memory.ts'
import { isLoneLast, PanelFrame, Tiles } from './stage-parts.tsx'
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
  const textSize = useSession((state) => state.settings.textSize)
  const stageSize = useSize(stage, { width: 800, height: 700 })
  const size = atUsualText(stageSize, textSize)
  const roomSize = atUsualText(useSize(room, stageSize), textSize)
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
    (agentId: string, inside?: string) => {
      if (free) dock.current?.open(agentId)
      else if (layout === 'focus') remember({ focused: agentId })
      else setOpened(agentId)
      giveFocus(agentId, inside)
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

function togglePin(agentId: string): void {
  const { pinned } = useStageMemory.getState().memory
  remember({
    pinned: pinned.includes(agentId) ? pinned.filter((id) => id !== agentId) : [...pinned, agentId],
  })
}
