/** Draws lanes on a canvas: only the rows in view, and spans narrower than a pixel together as one pixel. */
import { type Span, type SpanKind, spanKinds } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import type { AgentColors, CanvasColors } from './canvas-colors.ts'
import { eachSpanIn, type LaneRow, xOf } from './lanes.ts'
import { paintArrows } from './paint-arrows.ts'
import { type HiddenKinds, isSame, type Range, type SpanKey } from './timeline-store.ts'

/** A picture of lanes. Lengths in px, times in ms since the epoch. */
export interface LanesPicture {
  readonly timeline: Timeline
  readonly rows: readonly LaneRow[]
  /** The indexes of the rows by agent. */
  readonly indexes: ReadonlyMap<string, number>
  readonly range: Range
  readonly width: number
  readonly height: number
  /** Of each row, and of a span in it. */
  readonly rowHeight: number
  readonly barHeight: number
  readonly scrollTop: number
  /** Where spans end that have not ended. */
  readonly now: number
  readonly agentId: string | null
  readonly selected: SpanKey | null
  readonly hovered: SpanKey | null
  readonly hidden: HiddenKinds
}

type Context = CanvasRenderingContext2D

export function paintLanes(context: Context, picture: LanesPicture, palette: CanvasColors): void {
  const { rows, height, width, rowHeight, scrollTop } = picture
  paintPhases(context, picture, palette)
  const first = Math.max(0, Math.floor(scrollTop / rowHeight))
  const last = Math.min(rows.length, Math.ceil((scrollTop + height) / rowHeight))
  for (let index = first; index < last; index++) {
    const row = rows[index] as LaneRow
    const top = index * rowHeight - scrollTop
    if (row.lane.agentId === picture.agentId) {
      context.fillStyle = palette.of('color-mix(in oklab, var(--fg-0) 4%, transparent)')
      context.fillRect(0, top, width, rowHeight)
    }
    context.fillStyle = palette.of('color-mix(in oklab, var(--line) 55%, transparent)')
    context.fillRect(0, top + rowHeight - 1, width, 1)
    paintSpans(context, row, { ...picture, middle: top + rowHeight / 2 - 0.5, palette })
  }
  if (!picture.hidden.has('arrows')) paintArrows(context, picture, palette)
}

/** The part of a picture that one lane needs. */
interface SpansPicture
  extends Pick<LanesPicture, 'range' | 'width' | 'barHeight' | 'now' | 'selected' | 'hovered' | 'hidden'> {
  /** The middle of the row. */
  readonly middle: number
  readonly palette: CanvasColors
}

/** Draws the spans of one lane, and the ends of its runs. */
export function paintSpans(context: Context, row: LaneRow, picture: SpansPicture): void {
  const { lane, found } = row
  const { range, width, barHeight, now, hidden, middle, palette } = picture
  const colors = palette.ofAgent(lane.color)
  const look = { colors, palette, top: Math.round(middle - barHeight / 2), height: barHeight }
  const scale = width / (range.to - range.from)
  const pixel = new PixelBin((x, kind) =>
    paintSpan(context, { ...look, kind, x, width: 1, name: '', failed: false }),
  )
  eachSpanIn(lane, range, (span) => {
    if (hidden.has(span.kind)) return
    const start = (span.from - range.from) * scale
    const length = ((span.to ?? now) - span.from) * scale
    const dimmed = found !== null && !found.has(span)
    if (length < 1 && span.kind !== 'retry') {
      if (!dimmed) pixel.add(start, length, span.kind)
      return
    }
    if (dimmed) context.globalAlpha = 0.25
    const x = Math.max(start, -8)
    const end = Math.min(start + Math.max(length, span.kind === 'retry' ? 3 : 1), width + 8)
    paintSpan(context, {
      ...look,
      ...{ kind: span.kind, x: x + 0.5, width: Math.max(length < 3 ? length : 2, end - x - 1) },
      ...{ name: labelOf(span), failed: 'outcome' in span && span.outcome === 'failed' },
    })
    context.globalAlpha = 1
    const isSelected = isSame(span, picture.selected)
    if (isSelected || isSame(span, picture.hovered)) {
      context.strokeStyle = palette.of(isSelected ? 'var(--fg-0)' : 'var(--fg-2)')
      context.lineWidth = isSelected ? 2 : 1
      context.beginPath()
      context.roundRect(x - 1.5, look.top - 2, Math.max(3, end - x) + 3, barHeight + 4, 4)
      context.stroke()
    }
  })
  pixel.flush()
  if (barHeight < 6) return
  for (const end of lane.ends) {
    const x = (end.at - range.from) * scale + 5
    if (x < -6 || x > width + 6) continue
    const isBad = end.status === 'failed'
    context.strokeStyle = isBad ? palette.of('var(--bad)') : colors.mark
    context.fillStyle = isBad ? context.strokeStyle : palette.of('var(--bg-0)')
    context.lineWidth = 1.5
    context.beginPath()
    const radius = Math.min(3.5, barHeight / 3)
    if (isBad) context.rect(x - radius, middle - radius, 2 * radius, 2 * radius)
    else context.arc(x, middle, radius, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  }
}

/** Spans of one pixel: the kind with the most time gives the pixel its look. */
class PixelBin {
  private readonly paint: (x: number, kind: SpanKind) => void
  private readonly ms = new Float64Array(spanKinds.length)
  private x = Number.NaN

  constructor(paint: (x: number, kind: SpanKind) => void) {
    this.paint = paint
  }

  add(start: number, length: number, kind: SpanKind): void {
    const x = Math.floor(start)
    if (x !== this.x) {
      this.flush()
      this.x = x
    }
    const index = spanKinds.indexOf(kind)
    // A span without length shows too, where nothing else does.
    this.ms[index] = (this.ms[index] ?? 0) + length + 1e-6
  }

  flush(): void {
    let most = -1
    for (let index = 0; index < this.ms.length; index++) {
      const time = this.ms[index] ?? 0
      if (time > 0 && (most < 0 || time > (this.ms[most] ?? 0))) most = index
    }
    const kind = spanKinds[most]
    if (kind !== undefined) this.paint(this.x, kind)
    this.ms.fill(0)
  }
}

interface SpanLook {
  readonly kind: SpanKind
  readonly colors: AgentColors
  readonly palette: CanvasColors
  readonly x: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly name: string
  readonly failed: boolean
}

function paintSpan(context: Context, look: SpanLook): void {
  const { kind, colors, palette, x, top, width, height } = look
  switch (kind) {
    case 'model':
    case 'tool':
      context.fillStyle = colors[kind]
      fillBar(context, look)
      if (look.failed) {
        context.fillStyle = palette.of('var(--bad)')
        context.fillRect(x, top + height - 2, width, 2)
      }
      if (kind === 'tool') paintLabel(context, look, palette.of('light-dark(white, oklch(0.16 0.01 265))'))
      return
    case 'user':
      context.fillStyle = width < 4 || height < 6 ? palette.of('var(--needs-you)') : palette.ofWait(context)
      fillBar(context, look)
      return
    case 'agents':
      context.fillStyle = colors.line
      context.fillRect(x, top + height / 2 - 1, width, height < 8 ? 1 : 2)
      return
    case 'queued':
    case 'paused':
    case 'retry':
      context.strokeStyle = palette.of(
        kind === 'retry' ? 'color-mix(in oklab, var(--bad) 75%, transparent)' : 'var(--fg-3)',
      )
      context.lineWidth = 1
      context.setLineDash(kind === 'queued' ? [1, 2] : kind === 'retry' ? [3, 2] : [])
      context.strokeRect(x + 0.5, top + 0.5, Math.max(1, width - 1), height - 1)
      context.setLineDash([])
      if (kind === 'retry') paintLabel(context, look, palette.of('var(--bad)'))
  }
}

function fillBar(context: Context, { x, top, width, height }: SpanLook): void {
  if (width < 5) {
    context.fillRect(x, top, width, height)
    return
  }
  context.beginPath()
  context.roundRect(x, top, width, height, 3)
  context.fill()
}

/** In px; about, since measuring each label costs more than drawing it. */
const CHARACTER = 5.6

function paintLabel(context: Context, { kind, x, top, width, height, name }: SpanLook, color: string): void {
  const isStatus = kind === 'retry'
  const room = Math.floor((width - (isStatus ? 2 : 8)) / CHARACTER)
  if (height < 11 || room < Math.min(isStatus ? 3 : 6, name.length)) return
  context.fillStyle = color
  context.textAlign = isStatus ? 'center' : 'left'
  const text = name.length > room ? `${name.slice(0, room - 1)}…` : name
  context.fillText(text, isStatus ? x + width / 2 : x + 4, top + height / 2 + 0.5)
}

const labelOf = (span: Span) =>
  span.kind === 'tool' ? span.title || span.name : span.kind === 'retry' ? span.name : ''

function paintPhases(context: Context, picture: LanesPicture, palette: CanvasColors): void {
  for (const [index, { from, to }] of picture.timeline.phases.entries()) {
    const [start, end] = [xOf(from, picture), xOf(to ?? picture.now, picture)]
    if (index % 2 === 1) {
      context.fillStyle = palette.of('color-mix(in oklab, var(--fg-0) 2.2%, transparent)')
      context.fillRect(start, 0, end - start, picture.height)
    }
    context.fillStyle = palette.of('var(--line)')
    context.fillRect(Math.round(end) - 1, 0, 1, picture.height)
  }
}
