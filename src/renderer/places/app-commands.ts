/** Every command of the window: the palette lists them, keys and the menu run them. */
import {
  CirclePause,
  CirclePlay,
  CircleStop,
  FolderOpen,
  Gauge,
  GitBranch,
  GitMerge,
  GitPullRequestArrow,
  LayoutGrid,
  type LucideIcon,
  MessageSquarePlus,
  Package,
  PenLine,
  Settings,
  ShieldQuestion,
  SquarePen,
  SquareTerminal,
  SunMoon,
  Trash2,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import { type AgentState, isLive } from '../../shared/agent-state.ts'
import type { SettingsPatch } from '../../shared/settings.ts'
import { continueAll, doWith, pauseAll } from '../stores/agent-actions.ts'
import { chooseMode, stopAll, trashConversation } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { focusComposer } from '../stores/draft-store.ts'
import { openSample, pickFolder } from '../stores/folder-actions.ts'
import { openLimits } from '../stores/limits-store.ts'
import { showFailure } from '../stores/notice-store.ts'
import { type AgentAction, actionTitle, countLive, offeredNow } from '../stores/offered-actions.ts'
import { showOverlay } from '../stores/overlay-store.ts'
import { PERMISSION_MODES } from '../stores/permission-modes.ts'
import { goToReview, snapshotNow } from '../stores/review-store.ts'
import { setPlace, useSession } from '../stores/session-store.ts'
import { changeSettings } from '../stores/settings-actions.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import { revealLine } from '../stores/stage-store.ts'
import { openTerminal } from '../stores/system-actions.ts'
import { askAboutTrust } from '../stores/trust-store.ts'
import { ACTION_ICONS } from '../ui/agent-icons.ts'

export interface AppCommand {
  readonly id: string
  readonly title: string
  readonly icon: LucideIcon
  readonly keys?: string
  /** Other words by which it is found. */
  readonly also?: string
  readonly run: () => void
}

/** The editor is large, and loaded when somebody goes there. */
async function newAgent(trusted: boolean): Promise<void> {
  setPlace('agents')
  const { showDialog } = await import('../features/definition-editor/editor-store.ts')
  showDialog({ kind: 'new', source: trusted ? 'project' : 'user' })
}

/** Those that make sense now. */
export function appCommands(): readonly AppCommand[] {
  const { folder, conversationId } = useSession.getState()
  return [
    {
      id: 'new',
      title: 'New conversation',
      icon: MessageSquarePlus,
      keys: 'Mod N',
      also: 'clear',
      run: newConversation,
    },
    {
      id: 'open-folder',
      title: 'Open folder…',
      icon: FolderOpen,
      keys: 'Mod O',
      run: () => void pickFolder(),
    },
    {
      id: 'stage',
      title: 'Stage',
      icon: LayoutGrid,
      keys: 'Mod 1',
      also: 'agents panels',
      run: () => setPlace('stage'),
    },
    {
      id: 'agents',
      title: 'Agents',
      icon: SquarePen,
      keys: 'Mod 2',
      also: 'definitions edit',
      run: () => setPlace('agents'),
    },
    {
      id: 'review',
      title: 'Review',
      icon: GitPullRequestArrow,
      keys: 'Mod 4',
      also: 'worktrees diff merge branches',
      run: () => goToReview(null),
    },
    ...(folder === null
      ? []
      : [
          {
            id: 'new-agent',
            title: 'New agent…',
            icon: SquarePen,
            also: 'create definition template describe',
            run: () => void newAgent(folder.trusted),
          },
        ]),
    {
      id: 'settings',
      title: 'Settings',
      icon: Settings,
      keys: 'Mod ,',
      also: 'preferences key models',
      run: () => setPlace('settings'),
    },
    {
      id: 'write',
      title: 'Write a message',
      icon: PenLine,
      keys: 'Mod L',
      also: 'composer focus',
      run: goToComposer,
    },
    {
      id: 'prompts',
      title: 'Answer the questions that wait',
      icon: ShieldQuestion,
      keys: 'Mod Shift P',
      also: 'permission prompts queue',
      run: () => showOverlay('prompts'),
    },
    ...(hasLiveAgents()
      ? [
          {
            id: 'stop-all',
            title: 'Stop all agents',
            icon: CircleStop,
            also: 'cancel',
            run: () => void stopAll(),
          },
        ]
      : []),
    ...restCommands(),
    { id: 'theme', title: 'Switch between dark and light', icon: SunMoon, also: 'theme', run: toggleTheme },
    {
      id: 'larger',
      title: 'Larger text',
      icon: ZoomIn,
      keys: 'Mod +',
      also: 'zoom size',
      run: () => resizeText(10),
    },
    {
      id: 'smaller',
      title: 'Smaller text',
      icon: ZoomOut,
      keys: 'Mod -',
      also: 'zoom size',
      run: () => resizeText(-10),
    },
    {
      id: 'sample',
      title: 'Open the sample project',
      icon: Package,
      also: 'tutorial demo',
      run: () => void openSample(),
    },
    ...(folder === null
      ? []
      : [
          {
            id: 'terminal',
            title: 'Open a terminal in the folder',
            icon: SquareTerminal,
            also: 'shell console',
            run: () => void openTerminal(folder.path),
          },
          ...(folder.trusted
            ? []
            : [
                {
                  id: 'trust',
                  title: 'Trust this folder…',
                  icon: ShieldQuestion,
                  run: () => askAboutTrust(folder.path),
                },
              ]),
          ...PERMISSION_MODES.filter(
            (mode) => mode.value !== 'bypassPermissions' || folder.bypassAllowed,
          ).map((mode) => ({
            id: `mode-${mode.value}`,
            title: `Permissions: ${mode.label}`,
            icon: ShieldQuestion,
            also: `mode ${mode.value}`,
            run: () => void chooseMode(mode.value),
          })),
        ]),
    ...(conversationId === null
      ? []
      : [
          {
            id: 'limits',
            title: 'Limits of this conversation',
            icon: Gauge,
            also: 'budget cost money tokens time raise',
            run: () => openLimits(conversationId),
          },
          {
            id: 'trash',
            title: 'Move this conversation to the trash',
            icon: Trash2,
            also: 'delete remove',
            run: () => void trashConversation(conversationId),
          },
        ]),
    ...reviewCommands(),
    ...agentCommands(),
  ]
}

/** To each worktree, and to merging those that wait. */
function reviewCommands(): readonly AppCommand[] {
  const worktrees = snapshotNow()?.worktrees ?? []
  return worktrees.flatMap(({ id, agentName, branch, task, target, state }) => [
    {
      id: `review-${id}`,
      title: `Review ${agentName}${task === '' ? '' : `: ${task}`}`,
      icon: GitBranch,
      also: `worktree changes diff ${branch}`,
      run: () => goToReview(id),
    },
    ...(state === 'ready'
      ? [
          {
            id: `merge-${id}`,
            title: `Merge ${agentName}${target === null ? '' : ` into ${target}`}…`,
            icon: GitMerge,
            also: `worktree ${branch}`,
            run: () => goToReview(id, { kind: 'merge', id, method: 'merge', elsewhere: target === null }),
          },
        ]
      : []),
  ])
}

/** To let all agents rest, and go on. */
function restCommands(): readonly AppCommand[] {
  const { agents, readOnly } = useConversation.getState()
  const { working, resting } = readOnly ? { working: 0, resting: 0 } : countLive(agents)
  return [
    ...(working > 0
      ? [
          {
            id: 'pause-all',
            title: 'Pause all agents',
            icon: CirclePause,
            keys: 'Mod .',
            also: 'rest hold wait',
            run: () => void pauseAll(),
          },
        ]
      : []),
    ...(resting > 0
      ? [
          {
            id: 'continue-all',
            title: 'Continue all agents',
            icon: CirclePlay,
            keys: 'Mod Shift .',
            also: 'resume go on unpause',
            run: () => void continueAll(),
          },
        ]
      : []),
  ]
}

/** What can be done with each agent of the conversation: "Pause Explore: look at routes". */
function agentCommands(): readonly AppCommand[] {
  const { agents } = useConversation.getState()
  return [...agents.values()].flatMap((agent) =>
    offeredNow(agent).map((action) => ({
      id: `${action}-${agent.id}`,
      title: actionTitle(action, agent),
      icon: ACTION_ICONS[action],
      also: OTHER_WORDS[action],
      run: () => runFor(agent, action),
    })),
  )
}

const OTHER_WORDS: Readonly<Record<AgentAction, string>> = {
  write: 'message say tell',
  pause: 'rest hold',
  continue: 'resume unpause go on',
  'go-on': 'resume continue retry',
  background: 'detach',
  review: 'worktree diff merge branch',
  stop: 'cancel end',
}

function runFor(agent: AgentState, action: AgentAction): void {
  if (action !== 'write') doWith(agent.id, action)
  else if (agent.parentId === null) goToComposer()
  else {
    setPlace('stage')
    revealLine(agent.id)
  }
}

export function newConversation(): void {
  void openConversation(null).then(focusComposer)
}

export function goToComposer(): void {
  setPlace('stage')
  focusComposer()
}

/** From what is seen now to the other one, whatever the system says. */
export function toggleTheme(): void {
  const { theme } = useSession.getState().settings
  const dark =
    theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  change({ theme: dark ? 'light' : 'dark' })
}

/** By so many percent, within what the settings allow. */
export function resizeText(by: number): void {
  const { textSize } = useSession.getState().settings
  const next = Math.max(80, Math.min(150, textSize + by))
  if (next !== textSize) change({ textSize: next })
}

export function resetText(): void {
  change({ textSize: 100 })
}

function change(patch: SettingsPatch): void {
  void changeSettings(patch).then((answer) => {
    if (!answer.ok) showFailure(answer.failure)
  })
}

function hasLiveAgents(): boolean {
  const { agents, readOnly } = useConversation.getState()
  return !readOnly && [...agents.values()].some(isLive)
}
