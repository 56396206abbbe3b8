/** A splitter between two parts of the window. Drag it or use the arrow keys; a double click resets it. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { classNames } from './text/class-names.ts'

interface SplitterProps {
  readonly label: string
  /** The edge of the resized part. */
  readonly edge?: 'right' | 'left' | 'top'
  /** The size of the part in px: the height for `top`, otherwise the width. */
  readonly size: number
  readonly min: number
  readonly max: number
  readonly onResize: (size: number) => void
  readonly onReset: () => void
}

const STEP = 16

const LINES = {
  right:
    'inset-y-0 right-0 w-[7px] translate-x-1/2 cursor-col-resize after:inset-y-0 after:left-1/2 after:w-[2px] after:-translate-x-1/2',
  left: 'inset-y-0 left-0 w-[7px] -translate-x-1/2 cursor-col-resize after:inset-y-0 after:left-1/2 after:w-[2px] after:-translate-x-1/2',
  top: 'inset-x-0 top-0 h-[7px] -translate-y-1/2 cursor-row-resize after:inset-x-0 after:top-1/2 after:h-[2px] after:-translate-y-1/2',
} as const

const GROWS = { right: 'ArrowRight', left: 'ArrowLeft', top: 'ArrowUp' } as const
const SHRINKS = { right: 'ArrowLeft', left: 'ArrowRight', top: 'ArrowDown' } as const

export function Splitter({ label, edge = 'right', size, min, max, onResize, onReset }: SplitterProps) {
  const [dragging, setDragging] = useState(false)
  const from = useRef({ at: 0, size: 0 })
  const resize = (next: number) => onResize(Math.round(Math.min(max, Math.max(min, next))))
  /** The pointer position in px in the direction in which the part grows. */
  const positionOf = (event: PointerEvent) =>
    edge === 'top' ? -event.clientY : edge === 'left' ? -event.clientX : event.clientX
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    from.current = { at: positionOf(event), size }
    setDragging(true)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (dragging) resize(from.current.size + positionOf(event) - from.current.at)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === SHRINKS[edge]) resize(size - STEP)
    else if (event.key === GROWS[edge]) resize(size + STEP)
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
      aria-orientation={edge === 'top' ? 'horizontal' : 'vertical'}
      aria-label={label}
      aria-valuenow={size}
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
        'absolute z-10 touch-none after:absolute after:bg-accent after:opacity-0 after:transition-opacity after:duration-100 hover:after:opacity-60',
        LINES[edge],
        dragging && 'after:opacity-100',
      )}
    />
  )
}
