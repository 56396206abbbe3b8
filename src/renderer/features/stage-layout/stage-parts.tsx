/** The frame of a panel, and the tiles of agents without a panel. */
import { memo, type ReactNode } from 'react'
import { tileColumnsOf } from './geometry.ts'

interface PanelFrameProps {
  readonly agentId: string
  readonly wide: boolean
  readonly render: (agentId: string) => ReactNode
}

/** Renders a panel again only if its own controls change, not when another panel comes or goes. */
export const PanelFrame = memo(function PanelFrame({ agentId, wide, render }: PanelFrameProps) {
  return <div className={wide ? 'col-span-full min-h-0 min-w-0' : 'min-h-0 min-w-0'}>{render(agentId)}</div>
})

/** The last panel of an odd number spans its row. */
export function isLoneLast(index: number, count: number, columns: number): boolean {
  return columns === 2 && count > 2 && count % 2 === 1 && index === count - 1
}

interface TilesProps {
  readonly ids: readonly string[]
  readonly width: number
  readonly label: string
  readonly open: (agentId: string) => void
  readonly renderTile: (agentId: string, onOpen: () => void) => ReactNode
}

export const Tiles = memo(function Tiles({ ids, width, label, open, renderTile }: TilesProps) {
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
