/** Draws the scale of a timeline: phases above, times since the start below. */
import type { PhaseSpan } from '../../../shared/timeline/span.ts'
import { formatDuration } from '../../ui/text/format.ts'
import type { CanvasColors } from './canvas-colors.ts'
import { xOf } from './lanes.ts'
import type { Range } from './timeline-store.ts'

interface RulerPicture {
  readonly phases: readonly PhaseSpan[]
  readonly range: Range
  readonly width: number
  readonly height: number
  /** The time that the scale calls 0:00, ms since the epoch. */
  readonly origin: number
  readonly now: number
  /** The moment under the cursor; null: none. */
  readonly cursor: number | null
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000] as const
/** What a step of the scale may be, in ms. */
const STEPS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 4, 8, 12, 24, 48, 120, 240, 480].map((hours) => hours * HOUR),
]
/** The least distance of two times, in px. */
const APART = 54

export function paintRuler(
  context: CanvasRenderingContext2D,
  picture: RulerPicture,
  palette: CanvasColors,
): void {
  const { range, width, height, origin, cursor } = picture
  context.fillStyle = palette.of('var(--bg-1)')
  context.fillRect(0, 0, width, height)
  context.fillStyle = palette.of('var(--line)')
  context.fillRect(0, height - 1, width, 1)
  paintPhaseNames(context, picture, palette)
  const step = STEPS.find((ms) => (ms / (range.to - range.from)) * width >= APART) ?? (STEPS.at(-1) as number)
  const cursorX = cursor === null ? null : xOf(cursor, picture)
  context.textAlign = 'center'
  context.font = CODE
  const first = Math.floor((range.from - origin) / step) - 1
  for (let index = first; origin + index * step <= range.to; index++) {
    const at = origin + index * step
    const x = xOf(at, picture)
    context.fillStyle = palette.of('var(--line-strong)')
    context.fillRect(Math.round(x), height - 7, 1, 7)
    for (const part of [1 / 3, 2 / 3])
      context.fillRect(Math.round(xOf(at + step * part, picture)), height - 4, 1, 4)
    if (index < 1 || (cursorX !== null && Math.abs(x - cursorX) < 46)) continue
    context.fillStyle = palette.of('var(--fg-2)')
    context.fillText(timeOf(index * step, step), x, height - 12)
  }
  if (cursor !== null && cursorX !== null) paintFlag(context, { ...picture, x: cursorX }, palette)
  context.textAlign = 'left'
}

const CODE = '450 10.5px "JetBrains Mono Variable", "JetBrains Mono", monospace'
const WORDS = '450 11px "Inter Variable", Inter, sans-serif'

/** "2:41", and with steps below a second "2:41.4". */
export function timeOf(ms: number, step: number = SECOND): string {
  const digits = step >= SECOND ? 0 : step >= 100 ? 1 : 2
  const rounded = Math.round(ms / (SECOND / 10 ** digits)) * (SECOND / 10 ** digits)
  const rest = digits === 0 ? '' : ((rounded % SECOND) / SECOND).toFixed(digits).slice(1)
  return `${formatDuration(rounded)}${rest}`
}

function paintPhaseNames(
  context: CanvasRenderingContext2D,
  picture: RulerPicture,
  palette: CanvasColors,
): void {
  const { phases, now, width } = picture
  context.font = WORDS
  context.textAlign = 'left'
  for (const { phase, from, to } of phases) {
    const start = Math.max(0, xOf(from, picture) + 1)
    const end = Math.min(width, xOf(to ?? now, picture) - 1)
    if (end - start < 3) continue
    context.fillStyle = palette.of('var(--bg-3)')
    context.beginPath()
    context.roundRect(start, 4, end - start, 16, 3)
    context.fill()
    if (end - start < 60) continue
    context.fillStyle = palette.of('var(--fg-1)')
    context.fillText(phase.charAt(0).toUpperCase() + phase.slice(1), start + 6, 12.5)
    if (end - start < 150) continue
    context.fillStyle = palette.of('var(--fg-2)')
    context.textAlign = 'right'
    context.fillText(formatDuration((to ?? now) - from), end - 6, 12.5)
    context.textAlign = 'left'
  }
}

function paintFlag(
  context: CanvasRenderingContext2D,
  { x: wanted, cursor, origin, width, height }: RulerPicture & { readonly x: number },
  palette: CanvasColors,
): void {
  const text = timeOf((cursor ?? origin) - origin, SECOND / 10)
  const half = text.length * 3.3 + 5
  const x = Math.max(half, Math.min(wanted, width - half))
  context.fillStyle = palette.of('var(--accent)')
  context.beginPath()
  context.roundRect(x - half, height - 16, 2 * half, 15, [3, 3, 0, 0])
  context.fill()
  context.fillStyle = palette.of('var(--on-accent)')
  context.fillText(text, x, height - 8)
}
