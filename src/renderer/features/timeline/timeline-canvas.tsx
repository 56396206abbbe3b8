/** The scale and the lanes of a timeline on one canvas, with what the pointer does there. */
import {
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { useAgentTitle } from '../../stores/conversation-store.ts'
import { CanvasColors } from './canvas-colors.ts'
import { type LaneRow, spanAt, xOf } from './lanes.ts'
import { paintLanes } from './paint-lanes.ts'
import { paintRuler } from './paint-ruler.ts'
import { contextOf } from './slow-picture.ts'
import { kindText, outcomeText, timesText } from './span-text.ts'
import {
  isSame,
  pan,
  type Range,
  selectSpan,
  spanKey,
  useLook,
  useTimelineStore,
  zoom,
} from './timeline-store.ts'

interface TimelineCanvasProps {
  readonly timeline: Timeline
  readonly rows: readonly LaneRow[]
  /** All that can be shown. */
  readonly whole: Range
  readonly rowHeight: number
  readonly barHeight: number
  readonly rulerHeight: number
  /** The list of the lanes, which scrolls. */
  readonly scroller: RefObject<HTMLElement | null>
  /** The moment that is replayed; null: none. */
  readonly cursor: number | null
  /** Moves the cursor; null: a drag moves the shown part. */
  readonly onCursor: ((at: number) => void) | null
  readonly onOpen: (span: Span) => void
}

/** How far from a span the pointer may be, in px. */
const SLACK = 3

export function TimelineCanvas(props: TimelineCanvasProps) {
  const { timeline, whole, rulerHeight } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(props)
  const [tip, setTip] = useState<Tip | null>(null)
  const schedule = usePainter(canvas, latest)
  useLayoutEffect(() => {
    latest.current = props
    schedule()
  })
  useWheel(canvas, latest)
  const drag = useRef<Drag | null>(null)

  const momentAt = (x: number) => {
    const { from, to } = useLook.getState().range ?? whole
    return from + (x / (canvas.current?.clientWidth || 1)) * (to - from)
  }
  const rowAt = (y: number) => {
    const { rows, rowHeight, scroller } = latest.current
    return y < rulerHeight
      ? undefined
      : rows[Math.floor((y - rulerHeight + (scroller.current?.scrollTop ?? 0)) / rowHeight)]
  }
  const placeOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }) => {
    const box = canvas.current?.getBoundingClientRect()
    return { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) }
  }
  const spanUnder = ({ x, y }: { readonly x: number; readonly y: number }) => {
    const row = rowAt(y)
    if (row === undefined) return null
    const slack = momentAt(SLACK) - momentAt(0)
    return spanAt(row, { at: momentAt(x), slack, hidden: useLook.getState().hidden })
  }
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button !== 0) return
    const place = placeOf(event)
    event.currentTarget.setPointerCapture(event.pointerId)
    // The keys then reach the spans.
    event.currentTarget.parentElement?.querySelector<HTMLElement>('[role="listbox"]')?.focus()
    event.preventDefault()
    const isCursor = props.onCursor !== null && isNearCursor(place, latest.current, canvas.current)
    drag.current = { ...place, moved: false, isCursor }
    if (isCursor) props.onCursor?.(momentAt(place.x))
  }
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const place = placeOf(event)
    const { current } = drag
    if (current === null) {
      const span = spanUnder(place)
      const { hovered } = useLook.getState()
      if (span === null ? hovered !== null : !isSame(span, hovered))
        useLook.setState({ hovered: span === null ? null : spanKey(span) })
      setTip(span === null ? null : { ...place, span })
      return
    }
    if (!current.moved && Math.abs(place.x - current.x) < SLACK && Math.abs(place.y - current.y) < SLACK)
      return
    setTip(null)
    if (current.isCursor) props.onCursor?.(momentAt(place.x))
    else {
      pan(momentAt(current.x) - momentAt(place.x), whole)
      const { scroller } = latest.current
      if (scroller.current !== null) scroller.current.scrollTop -= place.y - current.y
    }
    drag.current = { ...place, moved: true, isCursor: current.isCursor }
  }
  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>) => {
    const { current } = drag
    drag.current = null
    if (current === null || current.moved || current.isCursor) return
    const place = placeOf(event)
    const span = spanUnder(place)
    if (span !== null) selectSpan(span, whole)
    else
      useLook.setState({
        selected: null,
        agentId: rowAt(place.y)?.lane.agentId ?? useLook.getState().agentId,
      })
  }
  return (
    <>
      <canvas
        ref={canvas}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerLeave={() => {
          setTip(null)
          useLook.setState({ hovered: null })
        }}
        onDoubleClick={(event) => {
          const span = spanUnder(placeOf(event))
          if (span !== null) props.onOpen(span)
        }}
        className="absolute inset-0 size-full touch-none"
      />
      {tip !== null && <SpanTip tip={tip} origin={timeline.from} now={whole.to} canvas={canvas} />}
    </>
  )
}

interface Drag {
  readonly x: number
  readonly y: number
  readonly moved: boolean
  readonly isCursor: boolean
}

/** The flag of the cursor, and the scale, move the cursor. */
function isNearCursor(
  { x, y }: { readonly x: number; readonly y: number },
  { cursor, whole, rulerHeight }: TimelineCanvasProps,
  canvas: HTMLCanvasElement | null,
): boolean {
  if (y < rulerHeight) return true
  const range = useLook.getState().range ?? whole
  return cursor !== null && Math.abs(xOf(cursor, { range, width: canvas?.clientWidth ?? 0 }) - x) < SLACK + 2
}

/** Paints at most once a frame. @returns asks for a new picture */
function usePainter(
  canvas: RefObject<HTMLCanvasElement | null>,
  latest: RefObject<TimelineCanvasProps>,
): () => void {
  const painter = useMemo(() => {
    let frame = 0
    let palette: CanvasColors | null = null
    const paint = () => {
      frame = 0
      const { current } = canvas
      if (current === null) return
      palette ??= new CanvasColors(current)
      paintTimeline(current, latest.current, palette)
    }
    return {
      schedule: () => {
        frame ||= requestAnimationFrame(paint)
      },
      stop: () => cancelAnimationFrame(frame),
    }
  }, [canvas, latest])
  useEffect(() => {
    const { schedule } = painter
    const { current } = canvas
    const { scroller } = latest.current
    const list = scroller.current
    const stops = [useLook.subscribe(schedule), useTimelineStore.subscribe(schedule)]
    const observer = new ResizeObserver(schedule)
    if (current !== null) observer.observe(current)
    list?.addEventListener('scroll', schedule)
    const dark = globalThis.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', schedule)
    // A theme of the settings is an attribute of the page.
    const theme = new MutationObserver(schedule)
    theme.observe(document.documentElement, { attributes: true })
    void document.fonts?.ready.then(schedule)
    return () => {
      for (const stop of stops) stop()
      observer.disconnect()
      theme.disconnect()
      dark.removeEventListener('change', schedule)
      list?.removeEventListener('scroll', schedule)
      painter.stop()
    }
  }, [painter, canvas, latest])
  return painter.schedule
}

function paintTimeline(canvas: HTMLCanvasElement, props: TimelineCanvasProps, palette: CanvasColors): void {
  const painted = contextOf(canvas, palette)
  if (painted === null) return
  const { context, width, height } = painted
  const { timeline, rows, whole, rowHeight, barHeight, rulerHeight, scroller, cursor } = props
  const { range: chosen, ...look } = useLook.getState()
  const range = chosen ?? whole
  context.save()
  context.beginPath()
  context.rect(0, rulerHeight, width, height - rulerHeight)
  context.clip()
  context.translate(0, rulerHeight)
  paintLanes(
    context,
    {
      ...{ timeline, rows, range, width, height: height - rulerHeight, rowHeight, barHeight, ...look },
      indexes: new Map(rows.map(({ lane }, index) => [lane.agentId, index])),
      scrollTop: scroller.current?.scrollTop ?? 0,
      now: whole.to,
    },
    palette,
  )
  context.restore()
  const { phases, from: origin } = timeline
  paintRuler(context, { phases, range, width, height: rulerHeight, origin, now: whole.to, cursor }, palette)
  if (cursor === null) return
  const x = Math.round(xOf(cursor, { range, width }))
  context.fillStyle = palette.of('color-mix(in oklab, var(--bg-0) 62%, transparent)')
  context.fillRect(x, rulerHeight, width - x, height)
  context.fillStyle = palette.of('var(--accent)')
  context.fillRect(x, rulerHeight - 1, 1, height)
}

/** The wheel zooms with Ctrl, and where there is nothing to scroll; it scrolls the lanes otherwise, and pans sideways. */
function useWheel(canvas: RefObject<HTMLCanvasElement | null>, latest: RefObject<TimelineCanvasProps>): void {
  useEffect(() => {
    const { current } = canvas
    const onWheel = (event: WheelEvent) => {
      const { whole, scroller, rulerHeight } = latest.current
      const { range } = useLook.getState()
      const { from, to } = range ?? whole
      const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
      const list = scroller.current
      const scrolls = list !== null && list.scrollHeight > list.clientHeight + 1
      const isOnScale = event.clientY - box.top < rulerHeight
      event.preventDefault()
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX
      if (Math.abs(sideways) > Math.abs(event.deltaY) || (event.shiftKey && sideways !== 0))
        pan((sideways / box.width) * (to - from), whole)
      else if (event.ctrlKey || event.metaKey || isOnScale || !scrolls) {
        const around = from + ((event.clientX - box.left) / box.width) * (to - from)
        zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.004), around, whole)
      } else list.scrollTop += event.deltaY
    }
    // A listener of React could not prevent the zoom of the page.
    current?.addEventListener('wheel', onWheel, { passive: false })
    return () => current?.removeEventListener('wheel', onWheel)
  }, [canvas, latest])
}

interface Tip {
  readonly x: number
  readonly y: number
  readonly span: Span
}

const TIP_WIDTH = 280

function SpanTip({
  tip: { x, y, span },
  origin,
  now,
  canvas,
}: {
  readonly tip: Tip
  readonly origin: number
  readonly now: number
  readonly canvas: RefObject<HTMLCanvasElement | null>
}) {
  const name = useAgentTitle(span.agentId)
  const [width, height] = [canvas.current?.clientWidth ?? 0, canvas.current?.clientHeight ?? 0]
  const title = 'title' in span ? span.title : ''
  const outcome = outcomeText(span)
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-10 rounded-md border border-line-strong bg-bg-2 px-2.5 py-1.5 text-fg-1 text-sm shadow-popup"
      style={{
        width: TIP_WIDTH,
        left: Math.max(4, Math.min(x + 14, width - TIP_WIDTH - 8)),
        ...(y > height - 110 ? { bottom: height - y + 12 } : { top: y + 16 }),
      }}
    >
      <p className="truncate">
        <span className="font-semibold text-fg-0">{name}</span> {kindText(span)}
      </p>
      {title !== '' && <p className="truncate font-mono text-fg-0 text-xs leading-5">{title}</p>}
      <p className="text-fg-2 text-xs tabular-nums">{timesText(span, { origin, now })}</p>
      {outcome !== '' && <p className="truncate text-fg-2 text-xs">{outcome}</p>}
    </div>
  )
}
