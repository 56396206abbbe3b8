/** How many panels fit, and their positions. All lengths in px. */

import { type AgentState, needsUser } from '../../../shared/state/agent-state.ts'
import type { Layout } from '../../stores/stage-store.ts'

export interface StageSize {
  readonly width: number
  readonly height: number
}

export const PANEL_MIN_WIDTH = 360
/** A lower panel shows too little below its header. */
export const PANEL_MIN_HEIGHT = 190
const TILE_MIN_WIDTH = 190
/** Below this width of the stage, two columns: three would be too narrow to read. */
const WIDE = 1200
const MAX_COLUMNS = 4
const MAX_ROWS = 2
const MAX_PANELS = 8

/** The number of panels that fit in the area that the tiles leave. */
export function capacityOf(layout: Exclude<Layout, 'free'>, { width, height }: StageSize): number {
  if (layout === 'focus') return 1
  if (layout === 'columns') return Math.min(MAX_PANELS, fittingIn(width))
  const rows = Math.max(1, Math.floor(height / PANEL_MIN_HEIGHT))
  const columns = gridColumnsIn(width)
  return columns * Math.min(rows, MAX_ROWS)
}

/** The number of columns for `count` panels. */
export function columnsOf(layout: Exclude<Layout, 'free'>, count: number, width: number): number {
  if (layout === 'focus' || count <= 1) return 1
  if (layout === 'columns') return Math.min(count, fittingIn(width))
  return Math.min(gridColumnsIn(width), Math.max(2, Math.ceil(count / MAX_ROWS)))
}

/** The number of columns that a panel takes: the last panel fills its row. */
export function spanOf(index: number, count: number, columns: number): number {
  return index === count - 1 ? columns - (index % columns) : 1
}

function fittingIn(width: number): number {
  return Math.max(1, Math.floor(width / PANEL_MIN_WIDTH))
}

function gridColumnsIn(width: number): number {
  return Math.min(width < WIDE ? 2 : MAX_COLUMNS, fittingIn(width))
}

export function tileColumnsOf(width: number): number {
  return Math.max(1, Math.min(6, Math.floor(width / TILE_MIN_WIDTH)))
}

/**
 * The number of tiles: at most four rows, and no more than their share of the stage shows whole. A cell for queued and finished
 * agents takes the last place.
 */
export function tileCapacityOf({ width, height }: StageSize, hasFold: boolean): number {
  const rows = Math.max(1, Math.min(TILE_ROWS, Math.floor((height * TILES_SHARE) / TILE_HEIGHT)))
  return rows * tileColumnsOf(width) - (hasFold ? 1 : 0)
}

const TILE_ROWS = 4
const TILE_HEIGHT = 73
/** Of the height of the stage; the style of the tiles has the same. */
const TILES_SHARE = 0.45

export type Edge = 'left' | 'right' | 'above' | 'below'

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Drop {
  readonly point: { readonly x: number; readonly y: number }
  /** The panel under the pointer. */
  readonly target: Box
  /** The panels that are not dragged, including the target. */
  readonly staying: readonly Box[]
  readonly stage: StageSize
}

/** The edge of the target where a dropped panel lands: the nearest edge with room for one more panel. */
export function landingEdge({ point, target, staying, stage }: Drop): Edge {
  const middle = { x: target.x + target.width / 2, y: target.y + target.height / 2 }
  const inRow = staying.filter((box) => box.y <= middle.y && middle.y < box.y + box.height).length
  const inColumn = staying.filter((box) => box.x <= middle.x && middle.x < box.x + box.width).length
  const sides = (inRow + 1) * PANEL_MIN_WIDTH <= stage.width
  const stacked = (inColumn + 1) * PANEL_MIN_HEIGHT <= stage.height
  const distances: readonly (readonly [Edge, number])[] = [
    ['left', (point.x - target.x) / target.width],
    ['right', 1 - (point.x - target.x) / target.width],
    ['above', (point.y - target.y) / target.height],
    ['below', 1 - (point.y - target.y) / target.height],
  ]
  const open = distances.filter(([edge]) =>
    edge === 'left' || edge === 'right' ? sides || !stacked : stacked || !sides,
  )
  return open.reduce((nearest, one) => (one[1] < nearest[1] ? one : nearest))[0]
}

/** The neighbor of a panel in a direction: the panel whose middle is nearest on that side. Null at the border. */
export function neighborPanel(
  from: DOMRectReadOnly,
  others: readonly { readonly id: string; readonly box: DOMRectReadOnly }[],
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
): string | null {
  const middle = (box: DOMRectReadOnly) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 })
  const start = middle(from)
  let best: { id: string; cost: number } | null = null
  for (const { id, box } of others) {
    const { x, y } = middle(box)
    const along =
      key === 'ArrowLeft'
        ? start.x - x
        : key === 'ArrowRight'
          ? x - start.x
          : key === 'ArrowUp'
            ? start.y - y
            : y - start.y
    const across = Math.abs(key === 'ArrowLeft' || key === 'ArrowRight' ? y - start.y : x - start.x)
    if (along < 8) continue
    const cost = along + 2 * across
    if (best === null || cost < best.cost) best = { id, cost }
  }
  return best?.id ?? null
}

// * Chooses which agents get a panel, a tile or a line in the finished row. Panels keep their positions: an agent
// loses its panel only to an agent with a greater need, and never while the user works in the panel.

/** The need for a panel, from the greatest to the smallest. */
export type PanelNeed = 'needs-you' | 'failed' | 'working' | 'queued' | 'done'

const RANK: Readonly<Record<PanelNeed, number>> = {
  'needs-you': 0,
  failed: 1,
  working: 2,
  queued: 3,
  done: 4,
}

export function needOf(agent: AgentState): PanelNeed {
  if (needsUser(agent)) return 'needs-you'
  switch (agent.status) {
    case 'failed':
    case 'interrupted':
      return 'failed'
    case 'queued':
      return 'queued'
    case 'completed':
    case 'stopped':
      return 'done'
    case 'running':
    case 'waiting':
    case 'paused':
      return agent.waitingFor === 'message' ? 'done' : 'working'
  }
}

export interface Candidate {
  readonly id: string
  readonly need: PanelNeed
}

export interface Arrangement {
  /** In the order of their positions. */
  readonly panels: readonly string[]
  readonly tiles: readonly string[]
  /** Agents without a panel that wait for a slot. */
  readonly queued: readonly string[]
  readonly finished: readonly string[]
}

export interface ArrangeOptions {
  /** In the order in which they were started. */
  readonly agents: readonly Candidate[]
  /** The current panels. */
  readonly panels: readonly string[]
  /** The number of panels that fit; at least one. */
  readonly capacity: number
  readonly pinned: ReadonlySet<string>
  /** The agent that the user opened last: treated as pinned. */
  readonly opened: string | null
  /** The panels that the pointer or the focus is in: they stay for now. */
  readonly inUse: ReadonlySet<string>
}

export function arrange(options: ArrangeOptions): Arrangement {
  const { agents, capacity } = options
  const needs = new Map(agents.map((agent) => [agent.id, agent.need]))
  const needIn = (id: string) => needs.get(id) ?? 'done'
  const stays = (id: string) => options.pinned.has(id) || options.opened === id || options.inUse.has(id)
  const panels = options.panels.filter((id) => needs.has(id))
  while (panels.length > capacity) panels.splice(leastNeedy(panels, needIn, stays) ?? panels.length - 1, 1)

  const placed = new Set(panels)
  const wanted = agents
    .filter((agent) => !placed.has(agent.id))
    .sort((a, b) => priority(a, options) - priority(b, options))
  for (const agent of wanted) {
    if (panels.length < capacity) {
      panels.push(agent.id)
      continue
    }
    const slot = leastNeedy(panels, needIn, stays)
    if (priority(agent, options) < 0) panels[slot ?? panels.length - 1] = agent.id
    else if (slot !== null && replaces(agent.need, needIn(panels[slot] ?? ''), panels.map(needIn)))
      panels[slot] = agent.id
  }

  // A first arrangement follows the order in which the agents started.
  if (options.panels.length === 0) panels.sort((a, b) => indexIn(agents, a) - indexIn(agents, b))

  const withPanel = new Set(panels)
  const others = agents.filter((agent) => !withPanel.has(agent.id))
  const idsOf = (isIn: (need: PanelNeed) => boolean) =>
    others.filter(({ need }) => isIn(need)).map(({ id }) => id)
  return {
    panels,
    // There may be more than fit: an agent that needs the user has a tile rather than another one.
    tiles: [
      ...idsOf((need) => need === 'needs-you'),
      ...idsOf((need) => need === 'failed' || need === 'working'),
    ],
    queued: idsOf((need) => need === 'queued'),
    finished: idsOf((need) => need === 'done'),
  }
}

/**
 * The arrangement while the user works with the pointer: nothing that is shown moves. New agents take free panels; otherwise
 * they come after the tiles, or are counted with the queued and finished ones.
 */
export function hold(before: Arrangement, agents: readonly Candidate[], capacity: number): Arrangement {
  const known = new Map(agents.map(({ id, need }) => [id, need]))
  const panels = before.panels.filter((id) => known.has(id))
  const tiles = before.tiles.filter((id) => known.has(id))
  const shown = new Set([...panels, ...tiles])
  const [queued, finished]: [string[], string[]] = [[], []]
  for (const { id, need } of agents) {
    if (shown.has(id)) continue
    if (need === 'done') finished.push(id)
    else if (panels.length < capacity) panels.push(id)
    else if (need === 'queued') queued.push(id)
    else tiles.push(id)
  }
  return { panels, tiles, queued, finished }
}

function indexIn(agents: readonly Candidate[], id: string): number {
  return agents.findIndex((agent) => agent.id === id)
}

/** Whether two arrangements are equal. */
export function sameArrangement(a: Arrangement, b: Arrangement): boolean {
  const same = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((id, index) => id === other[index])
  return (
    same(a.panels, b.panels) &&
    same(a.tiles, b.tiles) &&
    same(a.queued, b.queued) &&
    same(a.finished, b.finished)
  )
}

/** The user's choice outranks every need. */
function priority(agent: Candidate, { opened, pinned }: ArrangeOptions): number {
  if (agent.id === opened || pinned.has(agent.id)) return -1
  return RANK[agent.need]
}

/** The index of the panel with the smallest need; of equals the last, so that the first panels stay put. */
function leastNeedy(
  panels: readonly string[],
  needIn: (id: string) => PanelNeed,
  stays: (id: string) => boolean,
): number | null {
  let least: number | null = null
  panels.forEach((id, index) => {
    if (stays(id)) return
    if (least === null || RANK[needIn(id)] >= RANK[needIn(panels[least] ?? '')]) least = index
  })
  return least
}

/** Whether an agent with `need` replaces one with `other`. Failures never replace the last working agent. */
function replaces(need: PanelNeed, other: PanelNeed, shown: readonly PanelNeed[]): boolean {
  if (RANK[need] >= RANK[other]) return false
  if (need === 'queued') return false
  if (need === 'failed' && other === 'working') return shown.filter((one) => one === 'working').length > 1
  return true
}
