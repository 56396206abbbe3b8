/** The icons of agent actions and badges. */
import {
  GitFork,
  GitPullRequestArrow,
  type LucideIcon,
  MessageSquare,
  Pause,
  Play,
  RotateCw,
  SendToBack,
  Square,
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

export const BADGE_ICONS = {
  background: SendToBack,
  fork: GitFork,
} as const satisfies Readonly<Record<string, LucideIcon>>
