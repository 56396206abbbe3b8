/** A line between two columns that can be dragged; the arrow keys move it too, a double click resets it. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'

interface SplitterProps {
  readonly label: string
  /** Width in px of the column at its left. */
  readonly width: number
  readonly min: number
  readonly max: number
  readonly onResize: (width: number) => void
  readonly onReset: () => void
}

const STEP = 16

export function Splitter({ label, width, min, max, onResize, onReset }: SplitterProps) {
  const [dragging, setDragging] = useState(false)
  const from = useRef({ x: 0, width: 0 })
  const resize = (next: number) => onResize(Math.round(Math.min(max, Math.max(min, next))))
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    from.current = { x: event.clientX, width }
    setDragging(true)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (dragging) resize(from.current.width + event.clientX - from.current.x)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') resize(width - STEP)
    else if (event.key === 'ArrowRight') resize(width + STEP)
    else if (event.key === 'Home') resize(min)
    else if (event.key === 'End') resize(max)
    else if (event.key === 'Enter') onReset()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is a widget, which <hr> is not
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
      onDoubleClick={onReset}
      onKeyDown={onKeyDown}
      className={classNames(
        'absolute inset-y-0 right-0 z-10 w-[7px] translate-x-1/2 cursor-col-resize touch-none',
        'after:absolute after:inset-y-0 after:left-1/2 after:w-[2px] after:-translate-x-1/2 after:bg-accent after:opacity-0 after:transition-opacity after:duration-100 hover:after:opacity-60',
        dragging && 'after:opacity-100',
      )}
    />
  )
}
