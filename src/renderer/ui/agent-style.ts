import type { CSSProperties } from 'react'

const AGENT_COLORS: ReadonlySet<string> = new Set([
  'red',
  'orange',
  'yellow',
  'green',
  'cyan',
  'blue',
  'purple',
  'pink',
])

/** The CSS color of an agent: one of eight names or a `#hex` value; neutral for other values. */
export function agentColor(color: string): string {
  if (AGENT_COLORS.has(color)) return `var(--agent-${color})`
  return /^#[0-9a-f]{3,8}$/i.test(color) ? color : 'var(--fg-1)'
}

/** Sets `--agent` for an element and its descendants: `bg-agent`, `border-agent`, `<Dot>`. */
export function agentStyle(color: string): CSSProperties {
  return { '--agent': agentColor(color) } as CSSProperties
}
