/** All of a timeline in a few px, with the shown part as a frame that can be moved. */
import { type PointerEvent, useRef } from 'react'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import type { CanvasColors } from './canvas-colors.ts'
import type { LaneRow } from './lanes.ts'
import { paintSpans } from './paint-lanes.ts'
import { contextOf, useSlowPicture } from './slow-picture.ts'
import { pan, type Range, showPart, useLook } from './timeline-store.ts'

interface MinimapProps {
  readonly timeline: Timeline
  readonly rows: readonly LaneRow[]
  readonly whole: Range
  readonly cursor: number | null
}

export function Minimap({ rows, whole, cursor }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const range = useLook((state) => state.range)
  const drag = useRef<{ readonly x: number; readonly edge: 'from' | 'to' | null } | null>(null)
  useSlowPicture(canvas, (current, colors) => paintMinimap(current, { rows, whole }, colors), rows)
  const length = whole.to - whole.from
  const share = (at: number) => `${(((at - whole.from) / length) * 100).toFixed(3)}%`
  const shown = range ?? whole
  const msOf = (px: number) => (px / (canvas.current?.clientWidth || 1)) * length

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const { left } = event.currentTarget.getBoundingClientRect()
    const at = whole.from + msOf(event.clientX - left)
    const near = msOf(6)
    const edge = Math.abs(at - shown.from) < near ? 'from' : Math.abs(at - shown.to) < near ? 'to' : null
    if (edge === null && (at < shown.from || at > shown.to)) pan(at - (shown.from + shown.to) / 2, whole)
    drag.current = { x: event.clientX, edge }
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (drag.current === null) return
    const by = msOf(event.clientX - drag.current.x)
    const { edge } = drag.current
    drag.current = { x: event.clientX, edge }
    if (edge === null) pan(by, whole)
    else {
      const now = useLook.getState().range ?? whole
      const next = { ...now, [edge]: Math.max(whole.from, Math.min(now[edge] + by, whole.to)) }
      if (next.to > next.from) showPart(next, whole)
    }
  }
  return (
    <div
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        drag.current = null
      }}
      className="relative my-1 touch-none overflow-hidden rounded-[3px] bg-bg-0"
    >
      <canvas ref={canvas} className="absolute inset-0 size-full" />
      {[
        { left: 0, right: `calc(100% - ${share(shown.from)})` },
        { left: share(shown.to), right: 0 },
      ].map((veil, index) => (
        <div key={index === 0 ? 'before' : 'after'} className="absolute inset-y-0 bg-bg-0/62" style={veil} />
      ))}
      <div
        className="absolute inset-y-0 rounded-[3px] border border-line-strong bg-fg-0/5"
        style={{ left: share(shown.from), right: `calc(100% - ${share(shown.to)})` }}
      >
        <span className="-left-px -translate-y-1/2 absolute top-1/2 h-4 w-[5px] cursor-ew-resize rounded-xs bg-fg-2" />
        <span className="-right-px -translate-y-1/2 absolute top-1/2 h-4 w-[5px] cursor-ew-resize rounded-xs bg-fg-2" />
      </div>
      {cursor !== null && (
        <div className="absolute inset-y-0 w-px bg-accent" style={{ left: share(cursor) }} />
      )}
    </div>
  )
}

function paintMinimap(
  canvas: HTMLCanvasElement,
  { rows, whole }: Pick<MinimapProps, 'rows' | 'whole'>,
  palette: CanvasColors,
): void {
  const painted = contextOf(canvas, palette)
  if (painted === null) return
  const { context, width, height } = painted
  const step = (height - 4) / Math.max(1, rows.length)
  const base = { range: whole, width, now: whole.to, selected: null, hovered: null, hidden: HIDDEN, palette }
  for (const [index, row] of rows.entries())
    paintSpans(context, row, {
      ...base,
      barHeight: Math.min(2, Math.max(1, step)),
      middle: 2 + (index + 0.5) * step,
    })
}

/** What would be noise in so little height. */
const HIDDEN = new Set(['agents', 'queued', 'retry', 'paused'] as const)
