/** The icons of agent actions and badges. */
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
