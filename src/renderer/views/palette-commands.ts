/**
 * The commands of the palette: the applicable commands of the registry, and those for each agent, worktree,
 * folder, model, mode and layout.
 */

import {
  AppWindow,
  Columns3,
  Cpu,
  Drama,
  Folder,
  GitBranch,
  GitMerge,
  LayoutTemplate,
  Pencil,
  ShieldQuestion,
  Trash2,
} from 'lucide-react'
import { COMMANDS, commandApplies } from '../../shared/commands/commands.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import type { PaletteCommand } from '../features/palette/palette.tsx'
import { ACTION_LABELS, type AgentAction, actionTitle, doWith, offeredNow } from '../stores/agent-actions.ts'
import { chooseMode, chooseModel } from '../stores/conversation-actions.ts'
import { agentTitleNow, useConversation } from '../stores/conversation-store.ts'
import { keysNow } from '../stores/keys-store.ts'
import { applyLayout, deleteLayout, showLayoutDialog, useNamedLayouts } from '../stores/named-layouts.ts'
import { openOwnWindow } from '../stores/own-windows.ts'
import { goToReview, snapshotNow } from '../stores/review-store.ts'
import { openFolder } from '../stores/session-feed.ts'
import { setView, useSession } from '../stores/session-store.ts'
import { modelChoices, PACE_LABELS, setRehearsalPace, useModels } from '../stores/settings-store.ts'
import { layouts, remember, revealLine, useStageMemory } from '../stores/stage-store.ts'
import { ACTION_ICONS } from '../ui/agent-style.ts'
import { folderName } from '../ui/text/format.ts'
import { PERMISSION_MODES } from '../ui/text/permission-modes.ts'
import { commandAction, contextNow, goToComposer } from './command-actions.ts'
import { foldersByNeed, workByFolder } from './folder-menu.tsx'

/** The commands that apply now. */
export function paletteCommands(): readonly PaletteCommand[] {
  const context = contextNow()
  return [
    ...COMMANDS.filter((command) => command.palette !== false && commandApplies(command, context)).map(
      ({ id, title, keywords }) => ({ id, title, keys: keysNow(id), keywords, ...commandAction(id) }),
    ),
    ...modelCommands(),
    ...paceCommands(),
    ...modeCommands(),
    ...layoutCommands(),
    ...namedLayoutCommands(),
    ...folderCommands(),
    ...worktreeCommands(),
    ...agentCommands(),
  ]
}

/** The aliases, and the API's models after they have loaded. */
function modelCommands(): readonly PaletteCommand[] {
  const { folder, settings, draft } = useSession.getState()
  if (folder === null) return []
  const current = mainAgentNow()?.model ?? draft.model ?? settings.model
  return modelChoices(useModels.getState().models, settings.modelAliases, current).map(
    ({ value, label, hint }) => ({
      id: `model-${value}`,
      title: `Model: ${label}${value === current ? ' (current)' : ''}`,
      icon: Cpu,
      keywords: `${value} ${hint}`,
      run: () => void chooseModel(value),
    }),
  )
}

function paceCommands(): readonly PaletteCommand[] {
  const { access, settings } = useSession.getState()
  if (access.isPaced !== true) return []
  return PACE_LABELS.map(({ value, label }) => ({
    id: `pace-${value}`,
    title: `Pace of the rehearsal: ${label}${value === settings.rehearsalPace ? ' (current)' : ''}`,
    icon: Drama,
    keywords: `speed faster slower ${value}`,
    run: () => void setRehearsalPace(value),
  }))
}

function mainAgentNow(): AgentState | undefined {
  const { record, agents } = useConversation.getState()
  return record === null ? undefined : agents.get(record.mainAgentId)
}

function layoutCommands(): readonly PaletteCommand[] {
  const { conversationId, settings } = useSession.getState()
  if (conversationId === null) return []
  const current = useStageMemory.getState().memory.layout ?? settings.stageLayout
  return layouts.map((layout) => ({
    id: `layout-${layout}`,
    title: `Panel layout: ${capitalized(layout)}${layout === current ? ' (current)' : ''}`,
    icon: Columns3,
    keywords: layout,
    run: () => {
      setView('stage')
      remember({ layout })
    },
  }))
}

/** The layouts that the user named: to choose, rename and delete. */
function namedLayoutCommands(): readonly PaletteCommand[] {
  if (useSession.getState().conversationId === null) return []
  return useNamedLayouts.getState().all.flatMap(({ name }) => {
    const command = { subject: `${name} layout`, keywords: 'saved layout panels arrange' }
    return [
      {
        ...command,
        id: `named-layout-${name}`,
        title: `Panel layout: ${name}`,
        named: 'Choose layout',
        icon: LayoutTemplate,
        run: () => applyLayout(name),
      },
      {
        ...command,
        id: `rename-layout-${name}`,
        title: `Rename panel layout: ${name}`,
        named: 'Rename layout',
        icon: Pencil,
        run: () => showLayoutDialog({ kind: 'rename', name }),
      },
      {
        ...command,
        id: `delete-layout-${name}`,
        title: `Delete panel layout: ${name}`,
        named: 'Delete layout',
        icon: Trash2,
        run: () => deleteLayout(name),
      },
    ]
  })
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The recent folders and those with agents, each in this window or in one of its own. */
function folderCommands(): readonly PaletteCommand[] {
  const { folder, settings, conversations } = useSession.getState()
  return foldersByNeed(settings.recentFolders, workByFolder(conversations))
    .filter((path) => path !== folder?.path)
    .flatMap((path) => [
      {
        id: `folder-${path}`,
        title: `Open folder: ${path}`,
        named: 'Open recent folder',
        subject: `${folderName(path)} ${path}`,
        icon: Folder,
        run: () => void openFolder(path),
      },
      {
        id: `window-${path}`,
        title: `Open in new window: ${path}`,
        named: 'Open folder in new window',
        subject: `${folderName(path)} ${path}`,
        icon: AppWindow,
        run: () => void openFolder(path, 'new-window'),
      },
    ])
}

function modeCommands(): readonly PaletteCommand[] {
  const { folder, draft, settings } = useSession.getState()
  if (folder === null) return []
  const current = mainAgentNow()?.permissionMode ?? draft.permissionMode ?? settings.permissionMode
  return PERMISSION_MODES.filter((mode) => mode.value !== 'bypassPermissions' || folder.bypassAllowed).map(
    (mode) => ({
      id: `mode-${mode.value}`,
      title: `Permission mode: ${mode.label}${mode.value === current ? ' (current)' : ''}`,
      icon: ShieldQuestion,
      keywords: mode.value,
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
      named: 'Review worktree',
      subject: `${agentName} ${task} ${branch}`,
      keywords: 'changes diff',
      run: () => goToReview(id),
    },
    ...(state === 'ready'
      ? [
          {
            id: `merge-${id}`,
            title: `Merge ${agentName}${target === null ? '' : ` into ${target}`}…`,
            icon: GitMerge,
            named: 'Merge worktree',
            subject: `${agentName} ${task} ${branch}`,
            run: () => goToReview(id, { kind: 'merge', id, method: 'merge', elsewhere: target === null }),
          },
        ]
      : []),
  ])
}

/** The actions of each agent of the conversation: "Pause: Look at routes". */
function agentCommands(): readonly PaletteCommand[] {
  const { agents, readOnly } = useConversation.getState()
  if (readOnly) return []
  return [...agents.values()].flatMap((agent) => [
    {
      id: `own-window-${agent.id}`,
      title: `Open in own window: ${agentTitleNow(agent)}`,
      named: 'Open agent in own window',
      subject: `${agentTitleNow(agent)} ${agent.definition.name}`,
      icon: AppWindow,
      keywords: 'pop out detach panel',
      run: () => openOwnWindow(agent.id),
    },
    ...offeredNow(agent).map((action) => ({
      id: `${action}-${agent.id}`,
      title: actionTitle(action, agent),
      icon: ACTION_ICONS[action],
      named: `${ACTION_LABELS[action].label} agent`,
      subject: `${agentTitleNow(agent)} ${agent.definition.name}`,
      keywords: ACTION_KEYWORDS[action],
      run: () => runFor(agent, action),
    })),
  ])
}

const ACTION_KEYWORDS: Readonly<Record<AgentAction, string>> = {
  write: 'write say tell',
  retry: 'again failed',
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
