/** How many panels fit, and how they stand. All lengths in px. */
import type { Layout } from './stage-memory.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** A size as it would be if the text had its usual size: larger text leaves less room. `textSize`: percent. */
export function atUsualText({ width, height }: Size, textSize: number): Size {
  return { width: (width * 100) / textSize, height: (height * 100) / textSize }
}

export const PANEL_MIN_WIDTH = 360
/** A panel lower than this shows too little to be worth its header. */
export const PANEL_MIN_HEIGHT = 190
const TILE_MIN_WIDTH = 190
const MOST_PANELS = 4

/** Panels that fit next to and above each other in the room that the tiles leave. */
export function capacityOf(layout: Exclude<Layout, 'free'>, { width, height }: Size): number {
  if (layout === 'focus') return 1
  const columns = Math.max(1, Math.floor(width / PANEL_MIN_WIDTH))
  if (layout === 'columns') return Math.min(MOST_PANELS, columns)
  const rows = Math.max(1, Math.floor(height / PANEL_MIN_HEIGHT))
  return Math.max(
    1,
    Math.min(MOST_PANELS, Math.min(2, columns) * Math.min(rows, columns === 1 ? 2 : MOST_PANELS)),
  )
}

/** The columns of so many panels. */
export function columnsOf(layout: Exclude<Layout, 'free'>, count: number, width: number): number {
  if (layout === 'focus' || count <= 1) return 1
  const fitting = Math.max(1, Math.floor(width / PANEL_MIN_WIDTH))
  return layout === 'columns' ? Math.min(count, fitting) : Math.min(2, fitting)
}

export function tileColumnsOf(width: number): number {
  return Math.max(1, Math.min(6, Math.floor(width / TILE_MIN_WIDTH)))
}

export type Edge = 'left' | 'right' | 'above' | 'below'

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Where a panel that is dropped on another would go: to the edge that is nearest, of those at which there
 * is room for one more. `beside`: the panels that stay where they are, the target included.
 */
export function landingEdge(
  point: { x: number; y: number },
  target: Box,
  beside: readonly Box[],
  stage: Size,
): Edge {
  const middle = { x: target.x + target.width / 2, y: target.y + target.height / 2 }
  const inRow = beside.filter((box) => box.y <= middle.y && middle.y < box.y + box.height).length
  const inColumn = beside.filter((box) => box.x <= middle.x && middle.x < box.x + box.width).length
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

/** The neighbour of a panel in a direction: the nearest whose middle lies that way. Null at the border. */
export function neighbour(
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
