/** A small canvas with all of a timeline: painted now and then while spans arrive, not with each of them. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { DelayedCall } from '../../ui/machine.ts'
import { CanvasColors } from './canvas-colors.ts'
import { useTimelineStore } from './timeline-store.ts'

type Paint = (canvas: HTMLCanvasElement, colors: CanvasColors) => void

/** Between two pictures while agents work, in ms. */
const PACE = 500

/** @param changed paints at once when it changes */
export function useSlowPicture(
  canvas: RefObject<HTMLCanvasElement | null>,
  paint: Paint,
  changed: unknown,
): void {
  const latest = useRef(paint)
  const colors = useRef<CanvasColors | null>(null)
  const run = useRef(() => {
    const { current } = canvas
    if (current === null) return
    colors.current ??= new CanvasColors(current)
    latest.current(current, colors.current)
  })
  useLayoutEffect(() => {
    latest.current = paint
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changed is another picture
  useEffect(() => {
    const frame = requestAnimationFrame(run.current)
    return () => cancelAnimationFrame(frame)
  }, [changed])
  useEffect(() => {
    const later = new DelayedCall(run.current, PACE)
    const stop = useTimelineStore.subscribe(() => later.schedule())
    const observer = new ResizeObserver(run.current)
    if (canvas.current !== null) observer.observe(canvas.current)
    const theme = new MutationObserver(run.current)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      stop()
      observer.disconnect()
      theme.disconnect()
      later.cancel()
    }
  }, [canvas])
}

interface Painted {
  readonly context: CanvasRenderingContext2D
  /** In px. */
  readonly width: number
  readonly height: number
}

/** The empty canvas in its size and in the colors of the theme; null: it can't be seen. */
export function contextOf(canvas: HTMLCanvasElement, colors: CanvasColors): Painted | null {
  const context = canvas.getContext('2d')
  const [width, height] = [canvas.clientWidth, canvas.clientHeight]
  if (context === null || width === 0) return null
  colors.refresh()
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)]
  if (canvas.width !== wide) canvas.width = wide
  if (canvas.height !== high) canvas.height = high
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
  context.clearRect(0, 0, width, height)
  context.font = '500 10px "Inter Variable", Inter, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  return { context, width, height }
}
