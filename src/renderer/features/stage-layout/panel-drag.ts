/** Dragging a panel by its header to an edge of another panel. */
import { type DragEvent, type HTMLAttributes, type RefObject, useMemo, useState } from 'react'
import { type Edge, landingEdge } from './geometry.ts'

/** The drop of a panel at an edge of another panel. */
export interface Move {
  readonly agentId: string
  readonly target: string
  readonly edge: Edge
}

/** The area where the panel would land, in px within the stage. */
interface DropMark {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface PanelDrag {
  /** The attributes of a panel's header. */
  handleOf(agentId: string): HTMLAttributes<HTMLElement>
  /** The attributes of the element around all panels. */
  readonly area: HTMLAttributes<HTMLElement>
  /** Null unless a panel is dragged over a valid target. */
  readonly mark: DropMark | null
}

const TYPE = 'application/x-troupe-panel'

export function usePanelDrag(stage: RefObject<HTMLElement | null>, onMove: (move: Move) => void): PanelDrag {
  const [mark, setMark] = useState<DropMark | null>(null)
  const handlers = useMemo(() => {
    let dragged: string | null = null
    const landingOf = (event: DragEvent): (Move & { readonly box: DOMRect }) | null => {
      const panel =
        event.target instanceof Element ? event.target.closest<HTMLElement>('[data-agent-panel]') : null
      const target = panel?.dataset['agentPanel']
      if (dragged === null || !panel || target === undefined || target === dragged) return null
      const area = stage.current
      if (area === null) return null
      const box = panel.getBoundingClientRect()
      const staying = [...area.querySelectorAll<HTMLElement>('[data-agent-panel]')].filter(
        (other) => other.dataset['agentPanel'] !== dragged,
      )
      const edge = landingEdge({
        point: { x: event.clientX, y: event.clientY },
        target: box,
        staying: staying.map((other) => other.getBoundingClientRect()),
        stage: area.getBoundingClientRect(),
      })
      return { agentId: dragged, target, box, edge }
    }
    return {
      handleOf: (agentId: string): HTMLAttributes<HTMLElement> => ({
        draggable: true,
        className: 'cursor-grab active:cursor-grabbing',
        onDragStart: (event) => {
          dragged = agentId
          event.dataTransfer.setData(TYPE, agentId)
          event.dataTransfer.effectAllowed = 'move'
        },
        onDragEnd: () => {
          dragged = null
          setMark(null)
        },
      }),
      area: {
        onDragOver: (event: DragEvent) => {
          const landing = landingOf(event)
          if (landing === null) {
            setMark(null)
            return
          }
          event.preventDefault()
          event.dataTransfer.dropEffect = 'move'
          setMark(markOf(landing.box, landing.edge, stage.current?.getBoundingClientRect()))
        },
        onDrop: (event: DragEvent) => {
          const landing = landingOf(event)
          setMark(null)
          if (landing === null) return
          event.preventDefault()
          onMove({ agentId: landing.agentId, target: landing.target, edge: landing.edge })
        },
      },
    }
  }, [stage, onMove])
  return { ...handlers, mark }
}

/** The half of the panel at the edge. */
function markOf(panel: DOMRect, edge: Edge, stage: DOMRect | undefined): DropMark {
  const wide = edge === 'above' || edge === 'below'
  const width = wide ? panel.width : panel.width / 2
  const height = wide ? panel.height / 2 : panel.height
  return {
    left: panel.x - (stage?.x ?? 0) + (edge === 'right' ? panel.width / 2 : 0),
    top: panel.y - (stage?.y ?? 0) + (edge === 'below' ? panel.height / 2 : 0),
    width,
    height,
  }
}
