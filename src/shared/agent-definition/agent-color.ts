/** The color of an agent: one of eight, a `#hex`, or a stable choice derived from its name. */

export const agentColors = ['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink'] as const

export function stableColor(wanted: string | null, name: string): string {
  const lower = wanted?.trim().toLowerCase() ?? ''
  if (agentColors.some((color) => color === lower) || /^#[0-9a-f]{3}([0-9a-f]{3})?$/.test(lower)) return lower
  return agentColors[hashOf(name) % agentColors.length] ?? 'blue'
}

/** Visits all eight colors, neighbors far apart. */
const STEP = 3

/** The color of an agent with `before` earlier agents of the same definition; eight agents in a row differ. */
export function siblingColor(
  { color, name }: { readonly color: string | null; readonly name: string },
  before: number,
): string {
  const first = stableColor(color, name)
  if (before % agentColors.length === 0) return first
  const named = agentColors.map(String).indexOf(first)
  const start = named === -1 ? hashOf(name) : named
  return agentColors[(start + before * STEP) % agentColors.length] ?? first
}

function hashOf(name: string): number {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return hash
}
