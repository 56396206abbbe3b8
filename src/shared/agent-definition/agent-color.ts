/**
 * The colors of agents. A definition names one of eight colors, or a `#hex`. An agent at work has a hue that tells it from its
 * siblings: chosen at its start, far from the hues of the others, and never near the amber of "needs you".
 */

/** The names that definitions use. Two of them are near amber, and one has another name as a hue: see `HUES_OF_COLORS`. */
export const agentColors = ['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink'] as const

/** The hues of agents, in degrees of OKLCH as in tokens.css. None is between 15 and 110: amber is at 70 to 80. */
const HUES = {
  blue: 230,
  green: 150,
  pink: 338,
  purple: 302,
  lime: 112,
  teal: 188,
  red: 14,
  indigo: 266,
} as const
type Hue = keyof typeof HUES
const hues = Object.keys(HUES) as readonly Hue[]

const AMBER = { from: 15, to: 110 } as const

const HUES_OF_COLORS: Readonly<Record<string, Hue>> = { orange: 'red', yellow: 'lime', cyan: 'teal' }

/** The color to show for a definition, whatever else is shown: its own, or a stable choice derived from its name. */
export function stableColor(wanted: string | null, name: string): string {
  const lower = wanted?.trim().toLowerCase() ?? ''
  if (isHue(lower) || agentColors.some((color) => color === lower) || HEX.test(lower)) return lower
  return hues[hashOf(name) % hues.length] ?? 'blue'
}

/** An agent with the same parent. `isLive` is false once it has ended. */
export interface Sibling {
  readonly color: string
  readonly isLive: boolean
}

/**
 * The color of a new agent. The color that its definition names counts only if no sibling has one like it, and if it is not
 * near amber. Otherwise it gets the hue that is farthest from those of its siblings, of the hues that none of them has; if
 * all are taken, of those that only ended siblings have; then of those that the fewest have.
 */
export function siblingColor(wanted: string | null, siblings: readonly Sibling[]): string {
  // By color: hundreds of siblings have few.
  const uses = new Map<string, { all: number; live: number }>()
  for (const { color, isLive } of siblings) {
    const { all, live } = uses.get(color) ?? { all: 0, live: 0 }
    uses.set(color, { all: all + 1, live: isLive ? live + 1 : live })
  }
  const taken = [...uses].flatMap(([color, use]) => {
    const degrees = degreesOf(color)
    return degrees === null ? [] : [{ degrees, ...use }]
  })
  const own = ownColor(wanted)
  const isFree = ({ degrees }: { readonly degrees: number }) => !isAlike(degreesOf(own ?? ''), degrees)
  if (own !== null && !uses.has(own) && taken.every(isFree)) return own
  const ranked = hues.map((hue) => {
    const alike = taken.filter(({ degrees }) => isAlike(HUES[hue], degrees))
    return {
      hue,
      live: alike.reduce((sum, { live }) => sum + live, 0),
      all: alike.reduce((sum, { all }) => sum + all, 0),
      distance: Math.min(360, ...taken.map(({ degrees }) => distance(HUES[hue], degrees))),
    }
  })
  const first = ranked.toSorted((a, b) => a.live - b.live || a.all - b.all || b.distance - a.distance)[0]
  return first?.hue ?? 'blue'
}

/** Two hues closer than this are taken for one, in degrees. The eight hues are at least 36 apart. */
const ALIKE = 18

const isAlike = (one: number | null, other: number) => one !== null && distance(one, other) < ALIKE

/** The color that a definition names, if agents may have it. */
function ownColor(wanted: string | null): string | null {
  const lower = wanted?.trim().toLowerCase() ?? ''
  // The nearest hue of these two is another color, which nobody asked for.
  if (lower === 'orange' || lower === 'yellow') return null
  const hue = HUES_OF_COLORS[lower] ?? lower
  if (isHue(hue)) return hue
  const degrees = HEX.test(hue) ? degreesOf(hue) : null
  if (!HEX.test(hue) || (degrees !== null && degrees > AMBER.from && degrees < AMBER.to)) return null
  return hue
}

/** The hue of a color in degrees; null for a gray and for an unknown color. */
export function degreesOf(color: string): number | null {
  const hue = HUES_OF_COLORS[color] ?? color
  if (isHue(hue)) return HUES[hue]
  return HEX.test(hue) ? degreesOfHex(hue) : null
}

/** Between two hues, 0 to 180. */
function distance(one: number, other: number): number {
  const apart = Math.abs(one - other) % 360
  return Math.min(apart, 360 - apart)
}

const isHue = (name: string): name is Hue => Object.hasOwn(HUES, name)

const HEX = /^#[0-9a-f]{3}(?:[0-9a-f]{3})?$/

/** Below this chroma a color is a gray without a hue. */
const GRAY = 0.04

/** By way of OKLab; null for a gray. */
function degreesOfHex(hex: string): number | null {
  const digits =
    hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : hex.slice(1).match(/../g)
  const [r = 0, g = 0, b = 0] = (digits ?? []).map((pair) => linear(Number.parseInt(pair, 16) / 255))
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const green = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const blue = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  if (Math.hypot(green, blue) < GRAY) return null
  return ((Math.atan2(blue, green) * 180) / Math.PI + 360) % 360
}

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

function hashOf(name: string): number {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return hash
}
