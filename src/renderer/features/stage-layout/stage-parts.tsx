/** The frame of a panel, and the tiles of agents without a panel. */
import { memo, type ReactNode } from 'react'
import { tileColumnsOf } from './geometry.ts'

interface PanelFrameProps {
  readonly agentId: string
  /** The number of columns. */
  readonly span: number
  readonly render: (agentId: string) => ReactNode
}

/** Renders a panel again only if its own controls change, not when another panel comes or goes. */
export const PanelFrame = memo(function PanelFrame({ agentId, span, render }: PanelFrameProps) {
  return (
    <div className="min-h-0 min-w-0" style={span > 1 ? { gridColumn: `span ${span}` } : undefined}>
      {render(agentId)}
    </div>
  )
})

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
