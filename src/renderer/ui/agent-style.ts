import {
  AppWindow,
  GitFork,
  GitPullRequestArrow,
  type LucideIcon,
  MessageSquare,
  PanelsTopLeft,
  Pause,
  Play,
  Plug,
  RotateCw,
  SendToBack,
  Server,
  Square,
  SquareTerminal,
} from 'lucide-react'
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
  'lime',
  'teal',
  'indigo',
])

/** The CSS color of an agent: a known name or a `#hex` value; neutral for other values. */
export function agentColor(color: string): string {
  if (AGENT_COLORS.has(color)) return `var(--agent-${color})`
  return /^#[0-9a-f]{3,8}$/i.test(color) ? color : 'var(--fg-1)'
}

/** Sets `--agent` for an element and its descendants: `bg-agent`, `border-agent`, `<Dot>`. */
export function agentStyle(color: string): CSSProperties {
  return { '--agent': agentColor(color) } as CSSProperties
}

/** The icons of agent actions and badges. */
export const ACTION_ICONS = {
  write: MessageSquare,
  retry: RotateCw,
  pause: Pause,
  continue: Play,
  resume: Play,
  background: SendToBack,
  review: GitPullRequestArrow,
  stop: Square,
} as const satisfies Readonly<Record<string, LucideIcon>>

/** Where an agent runs. */
export const BACKING_ICONS = {
  'in-process': AppWindow,
  pane: PanelsTopLeft,
  tmux: SquareTerminal,
  remote: Server,
  acp: Plug,
  'acp-child': Plug,
} as const satisfies Readonly<Record<string, LucideIcon>>

export const BADGE_ICONS = {
  background: SendToBack,
  fork: GitFork,
  ...BACKING_ICONS,
} as const satisfies Readonly<Record<string, LucideIcon>>
