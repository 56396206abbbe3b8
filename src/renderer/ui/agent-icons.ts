/** The icons of what can be done with an agent, and of how it works. */
import {
  GitFork,
  GitPullRequestArrow,
  type LucideIcon,
  MessageSquare,
  Pause,
  Play,
  SendToBack,
  Square,
} from 'lucide-react'

export const ACTION_ICONS = {
  write: MessageSquare,
  pause: Pause,
  continue: Play,
  'go-on': Play,
  background: SendToBack,
  review: GitPullRequestArrow,
  stop: Square,
} as const satisfies Readonly<Record<string, LucideIcon>>

export const BADGE_ICONS = {
  background: SendToBack,
  fork: GitFork,
} as const satisfies Readonly<Record<string, LucideIcon>>
