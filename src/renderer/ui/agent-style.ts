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

/** The CSS colour of an agent: one of the eight by name, a `#hex` as it is, neutral for anything else. */
export function agentColor(color: string): string {
  if (AGENT_COLORS.has(color)) return `var(--agent-${color})`
  return /^#[0-9a-f]{3,8}$/i.test(color) ? color : 'var(--fg-1)'
}

/** Sets `--agent` for an element and what lies in it: `bg-agent`, `border-agent`, `<Dot>`. */
export function agentStyle(color: string): CSSProperties {
  return { '--agent': agentColor(color) } as CSSProperties
}
