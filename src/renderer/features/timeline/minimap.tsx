/** All of a timeline in a few px, with the shown part as a frame that can be moved. */
import { type PointerEvent, useEffect, useLayoutEffect, useRef } from 'react'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { DelayedCall } from '../../ui/machine.ts'
import { CanvasColors } from './canvas-colors.ts'
import type { LaneRow } from './lanes.ts'
import { paintSpans } from './paint-lanes.ts'
import { pan, type Range, showPart, useLook, useTimelineStore } from './timeline-store.ts'

interface MinimapProps {
  readonly timeline: Timeline
  readonly rows: readonly LaneRow[]
  readonly whole: Range
  readonly cursor: number | null
}

/** Between two pictures while agents work, in ms: the frame moves without a new picture. */
const PACE = 500

export function Minimap({ rows, whole, cursor }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const range = useLook((state) => state.range)
  const drag = useRef<{ readonly x: number; readonly edge: 'from' | 'to' | null } | null>(null)
  usePicture(canvas, { rows, whole })
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

/** Paints when the rows change, and now and then while spans arrive. */
function usePicture(
  canvas: { readonly current: HTMLCanvasElement | null },
  picture: Pick<MinimapProps, 'rows' | 'whole'>,
): void {
  const latest = useRef(picture)
  const palette = useRef<CanvasColors | null>(null)
  const paint = useRef(() => {
    const { current } = canvas
    if (current === null) return
    palette.current ??= new CanvasColors(current)
    paintMinimap(current, latest.current, palette.current)
  })
  useLayoutEffect(() => {
    latest.current = picture
  })
  const { rows } = picture
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are another picture
  useEffect(() => {
    const frame = requestAnimationFrame(paint.current)
    return () => cancelAnimationFrame(frame)
  }, [rows])
  useEffect(() => {
    const later = new DelayedCall(paint.current, PACE)
    const stop = useTimelineStore.subscribe(() => later.schedule())
    const observer = new ResizeObserver(paint.current)
    if (canvas.current !== null) observer.observe(canvas.current)
    return () => {
      stop()
      observer.disconnect()
      later.cancel()
    }
  }, [canvas])
}

function paintMinimap(
  canvas: HTMLCanvasElement,
  { rows, whole }: Pick<MinimapProps, 'rows' | 'whole'>,
  palette: CanvasColors,
): void {
  const context = canvas.getContext('2d')
  const [width, height] = [canvas.clientWidth, canvas.clientHeight]
  if (context === null || width === 0) return
  palette.refresh()
  const ratio = devicePixelRatio
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
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
