/** The layout of the stage: which agents have a panel, a tile or a finished row, and the ways to change that. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import {
  type Layout,
  noteShown,
  recall,
  remember,
  type StageMemory,
  useStageMemory,
} from '../../stores/stage-store.ts'
import { usePointerAtWork } from '../../ui/pointer-at-work.ts'
import type { DockHandle } from './free-docking.tsx'
import {
  type Arrangement,
  arrange,
  type Candidate,
  capacityOf,
  columnsOf,
  hold,
  needOf,
  type StageSize,
  sameArrangement,
} from './geometry.ts'
import { type Move, type PanelDrag, usePanelDrag } from './panel-drag.ts'
import { panelWithFocus, useFocusGiver, useReveals } from './stage-focus.ts'

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
  readonly queued: readonly string[]
  readonly finished: readonly string[]
  readonly pinned: readonly string[]
  readonly columns: number
  readonly size: StageSize
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
  const revision = useStageMemory((state) => state.revision)
  const [arranged, setArranged] = useState(revision)
  if (arranged !== revision) {
    setArranged(revision)
    setOpened(null)
  }
  const [beforeFocus, setBeforeFocus] = useState<Exclude<Layout, 'focus'>>('grid')
  const isFree = layout === 'free'
  const { handle, begin } = dock

  const automatic = isFree ? 'grid' : layout
  const arrangement = useArrangement({
    agentIds,
    isFree,
    // The height of the tiles is unknown until the tiles are chosen: the height of the last layout serves.
    capacity: capacityOf(automatic, {
      width: size.width,
      height: Math.min(size.height, panelSize.height + 8),
    }),
    pinned: memory.pinned,
    opened: layout === 'focus' ? (memory.focused ?? opened) : opened,
    inUse: presence.inUse,
    isHeld: presence.isHeld,
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
    queued: shown.queued,
    finished: shown.finished,
    pinned: memory.pinned,
    columns: columnsOf(automatic, arrangement.panels.length, size.width),
    size,
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
): { readonly size: StageSize; readonly panelSize: StageSize } {
  const size = useSize(stage, { width: 800, height: 700 })
  return { size, panelSize: useSize(panelArea, size) }
}

/** In the free layout an agent without a docked panel has a tile, or is in the finished row. */
function undocked(
  { panels, tiles, queued, finished }: Arrangement,
  { agentIds, docked }: { readonly agentIds: readonly string[]; readonly docked: readonly string[] },
): Omit<Arrangement, 'panels'> {
  const active = new Set([...panels, ...tiles])
  const isUndocked = (id: string) => !docked.includes(id)
  return {
    tiles: agentIds.filter((id) => active.has(id) && isUndocked(id)),
    queued: queued.filter(isUndocked),
    finished: finished.filter(isUndocked),
  }
}

/** The current arrangement. The object stays the same until the arrangement changes. */
interface ArrangementOptions {
  readonly agentIds: readonly string[]
  /** Whether the user arranges the panels. */
  readonly isFree: boolean
  readonly capacity: number
  readonly pinned: readonly string[]
  readonly opened: string | null
  /** The panels that the pointer or the focus is in, read at the time of the decision. */
  readonly inUse: () => ReadonlySet<string>
  /** Whether nothing may move now, read at the time of the decision. */
  readonly isHeld: () => boolean
  /** A new value repeats the decision. */
  readonly moment: string
}

const NONE: Arrangement = { panels: [], tiles: [], queued: [], finished: [] }

function useArrangement(options: ArrangementOptions): Arrangement {
  const { agentIds, isFree, capacity, pinned, opened, inUse, isHeld, moment } = options
  const needs = useConversation(
    useShallow((state) =>
      agentIds.map((id) => {
        const agent = state.agents.get(id)
        return agent === undefined ? 'done' : needOf(agent)
      }),
    ),
  )
  const last = useRef(NONE)
  const wanted = useStageMemory((state) => state.wanted)
  // What the user chose: a change of it moves panels also below the pointer.
  const choice = useMemo(() => ({ capacity, pinned, opened, wanted }), [capacity, pinned, opened, wanted])
  const lastChoice = useRef(choice)
  // biome-ignore lint/correctness/useExhaustiveDependencies: see `moment`
  const arrangement = useMemo(() => {
    const agents = agentIds.map((id, index): Candidate => ({ id, need: needs[index] ?? 'done' }))
    const next =
      choice === lastChoice.current && isHeld()
        ? hold(last.current, agents, capacity)
        : arrange({
            agents,
            panels: wanted ?? last.current.panels,
            capacity,
            pinned: new Set(pinned),
            opened,
            inUse: inUse(),
          })
    return sameArrangement(next, last.current) ? last.current : next
  }, [agentIds, needs, choice, inUse, isHeld, moment])
  useLayoutEffect(() => {
    last.current = arrangement
    lastChoice.current = choice
    if (!isFree || wanted !== null) noteShown(arrangement.panels)
  }, [arrangement, choice, isFree, wanted])
  return arrangement
}

/** The free layout as the docking library last reported it. */
interface Dock {
  readonly handle: RefObject<DockHandle | null>
  /** The agents that have a panel. */
  readonly docked: readonly string[]
  /** The agent whose panel fills the stage. */
  readonly maximized: string | null
  /** The move that began the free layout, until the library has made it. */
  readonly firstMove: Move | null
  /** Switches to the free layout with a move. */
  readonly begin: (move: Move) => void
  readonly onChange: (panels: readonly string[], saved: unknown) => void
  readonly onMaximize: (agentId: string | null) => void
}

function useDock(): Dock {
  const handle = useRef<DockHandle>(null)
  const [docked, setDocked] = useState<readonly string[]>([])
  const [maximized, setMaximized] = useState<string | null>(null)
  const [firstMove, setFirstMove] = useState<Move | null>(null)
  const begin = useCallback((move: Move) => {
    setFirstMove(move)
    remember({ layout: 'free', dock: null })
  }, [])
  return {
    handle,
    docked,
    maximized,
    firstMove,
    begin,
    onChange: (panels, saved) => {
      setFirstMove(null)
      setDocked(panels)
      noteShown(panels)
      remember({ dock: saved })
    },
    onMaximize: setMaximized,
  }
}

/**
 * What the user works in, and what therefore keeps its place. A panel with the pointer or the focus in it stays. While the
 * pointer is at work over the stage, everything stays. While it rests over the tiles, everything stays too, and requests
 * are answered on the tiles; while it rests elsewhere, other agents take the panels that are not in use.
 */
interface Presence {
  readonly inUse: () => ReadonlySet<string>
  readonly isHeld: () => boolean
  /** Changes shortly after the user left a panel, and when the pointer begins to work or to rest. */
  readonly moment: string
}

/** A panel stays for this time after the user left it. In ms. */
const GRACE_PERIOD = 1500

function usePresence(stage: RefObject<HTMLElement | null>): Presence {
  const [moment, setMoment] = useState(0)
  const inUse = useCallback(() => {
    const panels = [...(stage.current?.querySelectorAll<HTMLElement>('[data-agent-panel]') ?? [])]
    return new Set(
      panels
        .filter((panel) => panel.contains(document.activeElement) || panel.matches(':hover'))
        .map((panel) => panel.dataset['agentPanel'] ?? ''),
    )
  }, [stage])
  useEffect(() => {
    const element = stage.current
    if (element === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setMoment((count) => count + 1), GRACE_PERIOD)
    }
    element.addEventListener('pointerout', later)
    element.addEventListener('focusout', later)
    return () => {
      clearTimeout(timer)
      element.removeEventListener('pointerout', later)
      element.removeEventListener('focusout', later)
    }
  }, [stage])
  const { isAtWork, isAtWorkNow } = usePointerAtWork(stage)
  const isHeld = useCallback(
    () => isAtWorkNow() || (stage.current?.querySelector('[data-tiles]:hover') ?? null) !== null,
    [stage, isAtWorkNow],
  )
  return { inUse, isHeld, moment: `${moment} ${isAtWork}` }
}

/** The current size of an element, in px. */
function useSize(element: RefObject<HTMLElement | null>, initial: StageSize): StageSize {
  const [size, setSize] = useState(initial)
  useLayoutEffect(() => {
    const observed = element.current
    if (observed === null) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = observed
      if (width === 0 || height === 0) return
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }))
    }
    measure()
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(measure)
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element])
  return size
}
