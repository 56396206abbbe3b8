/** Draws the arrows between lanes: starts, reports and messages. */
import type { Arrow } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import type { CanvasColors } from './canvas-colors.ts'
import { xOf } from './lanes.ts'
import type { Range, SpanKey } from './timeline-store.ts'

/** See `LanesPicture`. */
interface ArrowsPicture {
  readonly timeline: Timeline
  readonly indexes: ReadonlyMap<string, number>
  readonly range: Range
  readonly width: number
  readonly height: number
  readonly rowHeight: number
  readonly barHeight: number
  readonly scrollTop: number
  readonly agentId: string | null
  readonly selected: SpanKey | null
}

/** With more messages in view, only those of the selected agent are drawn: more would hide the lanes. */
const MOST_MESSAGES = 200

export function paintArrows(
  context: CanvasRenderingContext2D,
  picture: ArrowsPicture,
  palette: CanvasColors,
): void {
  const { timeline, range } = picture
  const inView = timeline.arrows.filter(({ at, toAt }) => toAt >= range.from && at <= range.to)
  const messages = inView.filter(({ kind }) => kind === 'message')
  const isFull = messages.length > MOST_MESSAGES
  for (const arrow of inView) {
    if (isFull && arrow.from !== picture.agentId && arrow.to !== picture.agentId) continue
    const [from, to] = [middleOf(arrow.from, picture), middleOf(arrow.to, picture)]
    if (from === null || to === null) continue
    if (Math.max(from, to) < 0 || Math.min(from, to) > picture.height) continue
    if (arrow.kind === 'message') paintMessage(context, { ...picture, arrow, from, to, palette })
    else paintBranch(context, { ...picture, arrow, from, to, palette })
  }
}

interface ArrowPicture extends ArrowsPicture {
  readonly arrow: Arrow
  /** The middles of its rows. */
  readonly from: number
  readonly to: number
  readonly palette: CanvasColors
}

/** The middle of an agent's row; null: it has none. */
function middleOf(agentId: string | null, { indexes, rowHeight, scrollTop }: ArrowsPicture): number | null {
  const index = agentId === null ? undefined : indexes.get(agentId)
  return index === undefined ? null : (index + 0.5) * rowHeight - scrollTop - 0.5
}

/** A start leads down from the parent, a report back up to it. */
function paintBranch(
  context: CanvasRenderingContext2D,
  { arrow, from, to, palette, ...picture }: ArrowPicture,
): void {
  const x = Math.round(xOf(arrow.at, picture))
  const isStart = arrow.kind === 'start'
  context.lineWidth = 1
  context.strokeStyle = palette.of(isStart ? 'var(--line-strong)' : 'var(--fg-3)')
  context.beginPath()
  if (isStart) {
    context.moveTo(x + 0.5, from + picture.barHeight / 2)
    context.lineTo(x + 0.5, to - 5)
    context.quadraticCurveTo(x + 0.5, to, x + 5.5, to)
  } else {
    context.setLineDash([1, 3])
    context.moveTo(x + 5.5, from - 5)
    context.lineTo(x + 5.5, to + 3)
  }
  context.stroke()
  context.setLineDash([])
}

function paintMessage(
  context: CanvasRenderingContext2D,
  { arrow, from, to, palette, ...picture }: ArrowPicture,
): void {
  const { selected, agentId } = picture
  const isPicked = selected !== null && arrow.from === agentId
  const down = to > from ? 1 : -1
  const [x1, x2] = [xOf(arrow.at, picture), xOf(arrow.toAt, picture)]
  const [y1, y2] = [from + (down * picture.barHeight) / 2, to - down * (picture.barHeight / 2 + 1)]
  const half = (y1 + y2) / 2
  const color = palette.of(isPicked ? 'var(--fg-0)' : 'var(--fg-1)')
  context.strokeStyle = color
  context.fillStyle = color
  context.lineWidth = isPicked ? 1.75 : 1.25
  context.beginPath()
  context.arc(x1, y1, 2.2, 0, 2 * Math.PI)
  context.fill()
  context.beginPath()
  context.moveTo(x1, y1)
  context.bezierCurveTo(x1, half, x2, half, x2, y2 - down * 3)
  context.stroke()
  context.beginPath()
  context.moveTo(x2, y2 + down)
  context.lineTo(x2 - 3.2, y2 - down * 5)
  context.lineTo(x2 + 3.2, y2 - down * 5)
  context.fill()
}
