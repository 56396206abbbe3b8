/** The layout of the stage: which agents have a panel, a tile or a finished row, and the ways to change that. */
import { type RefObject, useCallback, useEffect, useState } from 'react'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { type Layout, recall, remember, type StageMemory, useStageMemory } from '../../stores/stage-memory.ts'
import type { Arrangement } from './arrange.ts'
import { atDefaultText, capacityOf, columnsOf, type Size } from './geometry.ts'
import { type Move, type PanelDrag, usePanelDrag } from './panel-drag.ts'
import { panelWithFocus, useFocusGiver, useReveals } from './stage-focus.ts'
import { useArrangement } from './use-arrangement.ts'
import { type Dock, useDock } from './use-dock.ts'
import { usePresence } from './use-presence.ts'
import { useSize } from './use-size.ts'

interface StageLayoutOptions {
  readonly agentIds: readonly string[]
  /** The element with the panels and the tiles. */
  readonly stage: RefObject<HTMLElement | null>
  /** The element with the panels only. */
  readonly panelArea: RefObject<HTMLElement | null>
}

export interface StageLayout {
  readonly layout: Layout
  /** The panels of the layouts that arrange themselves, and the first panels of the free layout. */
  readonly panels: readonly string[]
  readonly tiles: readonly string[]
  readonly finished: readonly string[]
  readonly pinned: readonly string[]
  readonly columns: number
  readonly width: number
  readonly dock: Dock
  readonly drag: PanelDrag
  readonly setLayout: (layout: Layout) => void
  /** Gives an agent a panel and the focus; `inside` selects an element in the panel that gets the focus. */
  readonly open: (agentId: string, inside?: string) => void
  readonly toggleFocus: (agentId: string) => void
}

export function useStageLayout({ agentIds, stage, panelArea }: StageLayoutOptions): StageLayout {
  const { layout, memory } = useRememberedLayout()
  const { size, panelSize } = useSizes(stage, panelArea)
  const presence = usePresence(stage)
  const dock = useDock()
  const giveFocus = useFocusGiver(stage)
  const [opened, setOpened] = useState<string | null>(null)
  const [beforeFocus, setBeforeFocus] = useState<Exclude<Layout, 'focus'>>('grid')
  const isFree = layout === 'free'
  const { handle, begin } = dock

  const automatic = isFree ? 'grid' : layout
  const arrangement = useArrangement({
    agentIds,
    // The height of the tiles is unknown until the tiles are chosen: the height of the last layout serves.
    capacity: capacityOf(automatic, {
      width: size.width,
      height: Math.min(size.height, panelSize.height + 8),
    }),
    pinned: memory.pinned,
    opened: layout === 'focus' ? (memory.focused ?? opened) : opened,
    inUse: presence.inUse,
    moment: presence.moment,
  })
  const shown = isFree ? undocked(arrangement, { agentIds, docked: dock.docked }) : arrangement

  const focusOn = useCallback(
    (agentId: string | null) => {
      if (layout !== 'focus') setBeforeFocus(layout)
      remember({ layout: 'focus', focused: agentId })
    },
    [layout],
  )
  const open = useCallback(
    (agentId: string, inside?: string) => {
      if (isFree) handle.current?.open(agentId)
      else if (layout === 'focus') remember({ focused: agentId })
      else setOpened(agentId)
      giveFocus(agentId, inside)
    },
    [isFree, layout, giveFocus, handle],
  )
  const toggleFocus = useCallback(
    (agentId: string) => {
      if (isFree) handle.current?.toggleMaximized(agentId)
      else if (layout === 'focus') remember({ layout: beforeFocus })
      else focusOn(agentId)
      giveFocus(agentId)
    },
    [isFree, layout, beforeFocus, focusOn, giveFocus, handle],
  )
  const onMove = useCallback(
    (move: Move) => {
      if (isFree) handle.current?.move(move)
      else begin(move)
    },
    [isFree, handle, begin],
  )
  const drag = usePanelDrag(stage, onMove)
  useReveals(agentIds, open, stage)

  return {
    layout,
    panels: arrangement.panels,
    tiles: shown.tiles,
    finished: shown.finished,
    pinned: memory.pinned,
    columns: columnsOf(automatic, arrangement.panels.length, size.width),
    width: size.width,
    dock,
    drag,
    setLayout: (next) => {
      const firstPanel = (isFree ? dock.docked : arrangement.panels)[0] ?? null
      if (next === 'focus') focusOn(panelWithFocus(stage.current) ?? firstPanel)
      else remember({ layout: next })
    },
    open,
    toggleFocus,
  }
}

/** The layout that this conversation had before, or the one of the settings. */
function useRememberedLayout(): { readonly layout: Layout; readonly memory: StageMemory } {
  const conversationId = useConversation((state) => state.conversationId)
  const byDefault = useSession((state) => state.settings.stageLayout)
  const memory = useStageMemory((state) => state.memory)
  useEffect(() => recall(conversationId), [conversationId])
  return { layout: memory.layout ?? byDefault, memory }
}

function useSizes(
  stage: RefObject<HTMLElement | null>,
  panelArea: RefObject<HTMLElement | null>,
): { readonly size: Size; readonly panelSize: Size } {
  const textSize = useSession((state) => state.settings.textSize)
  const stageSize = useSize(stage, { width: 800, height: 700 })
  const areaSize = useSize(panelArea, stageSize)
  return { size: atDefaultText(stageSize, textSize), panelSize: atDefaultText(areaSize, textSize) }
}

/** In the free layout an agent without a docked panel has a tile, or is in the finished row. */
function undocked(
  { panels, tiles, finished }: Arrangement,
  { agentIds, docked }: { readonly agentIds: readonly string[]; readonly docked: readonly string[] },
): Pick<Arrangement, 'tiles' | 'finished'> {
  const active = new Set([...panels, ...tiles])
  return {
    tiles: agentIds.filter((id) => active.has(id) && !docked.includes(id)),
    finished: finished.filter((id) => !docked.includes(id)),
  }
}
