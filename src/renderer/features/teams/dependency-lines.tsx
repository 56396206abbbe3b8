/**
 * Lines from the selected task to those it depends on, and to those that depend on it. Measured when the selection, the
 * tasks, the size or a scroll position changes, once a frame.
 */
import { type RefObject, useLayoutEffect, useState } from 'react'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'

interface DependencyLinesProps {
  readonly area: RefObject<HTMLDivElement | null>
  readonly task: TeamTask
  readonly tasks: readonly TeamTask[]
  readonly cardId: (taskId: string) => string
}

interface Line {
  readonly key: string
  readonly path: string
  /** Whether the task at its start is completed. */
  readonly isDone: boolean
}

export function DependencyLines({ area, task, tasks, cardId }: DependencyLinesProps) {
  const [lines, setLines] = useState<readonly Line[]>([])
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    let frame = 0
    const measure = () => {
      frame = 0
      setLines(linesOf(element, { task, tasks, cardId }))
    }
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(measure)
    }
    measure()
    element.addEventListener('scroll', later, { capture: true, passive: true })
    const observer = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(later)
    observer?.observe(element)
    return () => {
      cancelAnimationFrame(frame)
      element.removeEventListener('scroll', later, { capture: true })
      observer?.disconnect()
    }
  }, [area, task, tasks, cardId])
  return (
    <svg aria-hidden="true" className="pointer-events-none absolute inset-0 size-full overflow-hidden">
      {lines.map(({ key, path, isDone }) => (
        <path
          key={key}
          d={path}
          fill="none"
          strokeWidth={1.5}
          strokeDasharray={isDone ? undefined : '4 3'}
          className={isDone ? 'stroke-ok' : 'stroke-accent'}
        />
      ))}
    </svg>
  )
}

function linesOf(
  area: HTMLElement,
  { task, tasks, cardId }: Omit<DependencyLinesProps, 'area'>,
): readonly Line[] {
  const origin = area.getBoundingClientRect()
  const boxOf = (taskId: string) => document.getElementById(cardId(taskId))?.getBoundingClientRect()
  const pairs = [
    ...task.dependsOn.map((from) => [from, task.id] as const),
    ...tasks.filter(({ dependsOn }) => dependsOn.includes(task.id)).map(({ id }) => [task.id, id] as const),
  ]
  return pairs.flatMap(([from, to]) => {
    const [start, end] = [boxOf(from), boxOf(to)]
    if (start === undefined || end === undefined) return []
    const isDone = tasks.find(({ id }) => id === from)?.status === 'completed'
    return [{ key: `${from} ${to}`, isDone, path: pathBetween(start, end, origin) }]
  })
}

/** From the nearer side of one card to the nearer side of the other. Cards in one column: along their left edge. */
function pathBetween(start: DOMRect, end: DOMRect, origin: DOMRect): string {
  const middle = (box: DOMRect) => box.top + box.height / 2 - origin.top
  const [y1, y2] = [middle(start), middle(end)]
  if (Math.abs(start.left - end.left) < 8) {
    const x = start.left - origin.left
    return `M ${x} ${y1} C ${x - 12} ${y1}, ${x - 12} ${y2}, ${x} ${y2}`
  }
  const isRight = end.left > start.left
  const x1 = (isRight ? start.right : start.left) - origin.left
  const x2 = (isRight ? end.left : end.right) - origin.left
  const bend = (x1 + x2) / 2
  return `M ${x1} ${y1} C ${bend} ${y1}, ${bend} ${y2}, ${x2} ${y2}`
}
