/** The color of an agent: one of eight, a `#hex`, or a stable choice derived from its name. */

export const agentColors = ['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink'] as const

export function stableColor(wanted: string | null, name: string): string {
  const lower = wanted?.trim().toLowerCase() ?? ''
  if (agentColors.some((color) => color === lower) || /^#[0-9a-f]{3}([0-9a-f]{3})?$/.test(lower)) return lower
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return agentColors[hash % agentColors.length] ?? 'blue'
}
