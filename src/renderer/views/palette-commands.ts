/** The commands of the palette: the applicable commands of the registry, and one for each agent, worktree and mode. */
import { GitBranch, GitMerge, ShieldQuestion } from 'lucide-react'
import type { AgentState } from '../../shared/agent-state.ts'
import { applies, COMMANDS } from '../../shared/commands.ts'
import type { PaletteCommand } from '../features/palette/palette.tsx'
import { doWith } from '../stores/agent-actions.ts'
import { chooseMode } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { type AgentAction, actionTitle, offeredNow } from '../stores/offered-actions.ts'
import { PERMISSION_MODES } from '../stores/permission-modes.ts'
import { goToReview, snapshotNow } from '../stores/review-store.ts'
import { setView, useSession } from '../stores/session-store.ts'
import { revealLine } from '../stores/stage-store.ts'
import { ACTION_ICONS } from '../ui/agent-icons.ts'
import { commandAction, contextNow, goToComposer } from './command-actions.ts'

/** The commands that apply now. */
export function paletteCommands(): readonly PaletteCommand[] {
  const context = contextNow()
  return [
    ...COMMANDS.filter((command) => command.palette !== false && applies(command, context)).map(
      ({ id, title, keys, keywords }) => ({ id, title, keys, keywords, ...commandAction(id) }),
    ),
    ...modeCommands(),
    ...worktreeCommands(),
    ...agentCommands(),
  ]
}

function modeCommands(): readonly PaletteCommand[] {
  const { folder } = useSession.getState()
  if (folder === null) return []
  return PERMISSION_MODES.filter((mode) => mode.value !== 'bypassPermissions' || folder.bypassAllowed).map(
    (mode) => ({
      id: `mode-${mode.value}`,
      title: `Permission mode: ${mode.label}`,
      icon: ShieldQuestion,
      keywords: `mode ${mode.value}`,
      run: () => void chooseMode(mode.value),
    }),
  )
}

/** One command to review each worktree, and one to merge each that is ready. */
function worktreeCommands(): readonly PaletteCommand[] {
  const worktrees = snapshotNow()?.worktrees ?? []
  return worktrees.flatMap(({ id, agentName, branch, task, target, state }) => [
    {
      id: `review-${id}`,
      title: `Review ${agentName}${task === '' ? '' : `: ${task}`}`,
      icon: GitBranch,
      keywords: `worktree changes diff ${branch}`,
      run: () => goToReview(id),
    },
    ...(state === 'ready'
      ? [
          {
            id: `merge-${id}`,
            title: `Merge ${agentName}${target === null ? '' : ` into ${target}`}…`,
            icon: GitMerge,
            keywords: `worktree ${branch}`,
            run: () => goToReview(id, { kind: 'merge', id, method: 'merge', elsewhere: target === null }),
          },
        ]
      : []),
  ])
}

/** The actions of each agent of the conversation: "Pause Explore: look at routes". */
function agentCommands(): readonly PaletteCommand[] {
  const { agents } = useConversation.getState()
  return [...agents.values()].flatMap((agent) =>
    offeredNow(agent).map((action) => ({
      id: `${action}-${agent.id}`,
      title: actionTitle(action, agent),
      icon: ACTION_ICONS[action],
      keywords: ACTION_KEYWORDS[action],
      run: () => runFor(agent, action),
    })),
  )
}

const ACTION_KEYWORDS: Readonly<Record<AgentAction, string>> = {
  write: 'write say tell',
  pause: 'hold',
  continue: 'resume unpause',
  resume: 'continue retry',
  background: 'detach',
  review: 'worktree diff merge branch',
  stop: 'cancel end',
}

function runFor(agent: AgentState, action: AgentAction): void {
  if (action !== 'write') doWith(agent.id, action)
  else if (agent.parentId === null) goToComposer()
  else {
    setView('stage')
    revealLine(agent.id)
  }
}
