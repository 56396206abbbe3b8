/** A mark for each attempt. One drawing for all: a grid may have ten thousand of them. */
import { memo } from 'react'
import type { AttemptState, CaseAttempt } from '../../../shared/agent-tests/agent-tests.ts'
import { classNames } from '../../ui/text/class-names.ts'

/** px. Many attempts get narrower marks, so that the cell stays as wide. */
const HEIGHT = 11
const WIDEST = 7
const GAP = 2
const MOST_WIDTH = 92

interface AttemptTicksProps {
  readonly attempts: readonly CaseAttempt[]
  /** Attempts to come, which are drawn empty. */
  readonly more: number
}

export const AttemptTicks = memo(
  function AttemptTicks({ attempts, more }: AttemptTicksProps) {
    const all = attempts.length + more
    if (all === 0) return null
    const step = Math.min(WIDEST + GAP, MOST_WIDTH / all)
    const gap = step < 4 ? step / 4 : GAP
    const marks = (wanted: readonly AttemptState[]) =>
      attempts.flatMap(({ state }, at) => (wanted.includes(state) ? [at] : []))
    const path = (at: readonly number[], inset = 0) =>
      at.map((index) => mark(index * step + inset, step - gap - 2 * inset, inset)).join('')
    const empty = [
      ...marks(['waiting', 'stopped']),
      ...Array.from({ length: more }, (_, at) => attempts.length + at),
    ]
    const layers = [
      { states: marks(['passed']), look: 'fill-[color-mix(in_oklab,var(--ok)_75%,var(--bg-1))]', inset: 0 },
      { states: marks(['failed']), look: 'fill-bad', inset: 0 },
      { states: marks(['running', 'checking']), look: 'fill-accent pulse-soft', inset: 0 },
      { states: empty, look: 'fill-none stroke-line-strong', inset: step < 4 ? 0 : 0.5 },
      {
        states: marks(['broken']),
        look: 'fill-none stroke-bad [stroke-dasharray:2_1.5]',
        inset: step < 4 ? 0 : 0.5,
      },
    ]
    const width = all * step - gap
    return (
      <svg
        aria-hidden="true"
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        className="shrink-0"
      >
        {layers.map(({ states, look, inset }) =>
          states.length === 0 ? null : (
            <path key={look} d={path(states, inset)} className={classNames(look)} />
          ),
        )}
      </svg>
    )
  },
  (before, after) =>
    before.more === after.more &&
    before.attempts.length === after.attempts.length &&
    before.attempts.every(({ state }, at) => state === after.attempts[at]?.state),
)

/** A rectangle with round corners. */
function mark(x: number, width: number, inset: number): string {
  const radius = Math.min(1.5, width / 3)
  const [w, h] = [width - 2 * radius, HEIGHT - 2 * inset - 2 * radius]
  const arc = (dx: number, dy: number) => `a${radius} ${radius} 0 0 1 ${dx} ${dy}`
  return `M${x + radius} ${inset}h${w}${arc(radius, radius)}v${h}${arc(-radius, radius)}h${-w}${arc(-radius, -radius)}v${-h}${arc(radius, -radius)}z`
}
