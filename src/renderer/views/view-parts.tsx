/** The icon and the component of each view. The registry in `src/shared/commands/views.ts` has the rest. */
import {
  ChartNoAxesGantt,
  GitPullRequestArrow,
  History,
  LayoutGrid,
  type LucideIcon,
  Mails,
  Server,
  Settings,
  SquarePen,
  TextSearch,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { View } from '../../shared/commands/views.ts'
import type { FirstQuestion } from './first-run/first-question.ts'
import { StageView } from './stage/stage-view.tsx'

interface ViewParts {
  readonly icon: LucideIcon
  readonly component: ComponentType
  /** The name in an error message: "Something broke in the stage". */
  readonly name: string
  /** The questions of the first run that hide the view until they are answered. */
  readonly waitsFor: readonly FirstQuestion[]
}

export const importSettings = () => import('./settings/settings-page.tsx')
const SettingsPage = lazy(async () => ({ default: (await importSettings()).SettingsPage }))
const AgentsView = lazy(async () => ({ default: (await import('./agents/agents-view.tsx')).AgentsView }))
export const importSearch = () => import('./search/search-view.tsx')
const SearchView = lazy(async () => ({ default: (await importSearch()).SearchView }))
const ConversationsView = lazy(async () => ({
  default: (await import('./conversations/conversations-view.tsx')).ConversationsView,
}))
const TeamsView = lazy(async () => ({ default: (await import('./teams/teams-view.tsx')).TeamsView }))
const TimelineView = lazy(async () => ({
  default: (await import('./timeline/timeline-view.tsx')).TimelineView,
}))
const EnvironmentsView = lazy(async () => ({
  default: (await import('./environments/environments-view.tsx')).EnvironmentsView,
}))
const ReviewView = lazy(async () => ({ default: (await import('./review/review-view.tsx')).ReviewView }))

export const VIEW_PARTS: Readonly<Record<View, ViewParts>> = {
  stage: {
    icon: LayoutGrid,
    component: StageView,
    name: 'the stage',
    waitsFor: ['folder', 'trust', 'access'],
  },
  agents: { icon: SquarePen, component: AgentsView, name: 'the agents', waitsFor: ['folder', 'trust'] },
  timeline: {
    icon: ChartNoAxesGantt,
    component: TimelineView,
    name: 'the timeline',
    waitsFor: ['folder', 'trust'],
  },
  review: {
    icon: GitPullRequestArrow,
    component: ReviewView,
    name: 'the review',
    waitsFor: ['folder', 'trust'],
  },
  environments: {
    icon: Server,
    component: EnvironmentsView,
    name: 'the environments',
    waitsFor: ['folder', 'trust'],
  },
  teams: { icon: Mails, component: TeamsView, name: 'the teams', waitsFor: ['folder', 'trust'] },
  conversations: { icon: History, component: ConversationsView, name: 'the conversations', waitsFor: [] },
  search: { icon: TextSearch, component: SearchView, name: 'the search', waitsFor: [] },
  settings: { icon: Settings, component: SettingsPage, name: 'the settings', waitsFor: [] },
}
