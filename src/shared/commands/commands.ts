/**
 * Every fixed command of the window, as data. The palette, the keys, the application menu and the help read
 * this list; `src/renderer/views/command-actions.ts` binds each id to an action and an icon.
 */
import { VIEWS, type View } from './views.ts'

/** The state of the window that decides which commands apply. */
export interface CommandContext {
  readonly folder: 'none' | 'untrusted' | 'trusted'
  /** Whether the window shows a conversation. */
  readonly conversation: boolean
  /** The number of that conversation's agents that this program runs. */
  readonly workingAgents: number
  readonly pausedAgents: number
  /** The number of agents that the user's last stop ended and that were not resumed. */
  readonly stoppedAgents: number
  /** The number of that conversation's comparisons. Missing: none. */
  readonly comparisons?: number
}

export type CommandGroup = 'Go to' | 'Conversation' | 'Agents' | 'Window'

export type MenuSection = 'file' | 'view' | 'appearance' | 'agents' | 'settings' | 'help'

interface CommandEntry {
  readonly id: string
  readonly title: string
  /** The heading in the help. */
  readonly group: CommandGroup
  /** "Mod Shift P": `Mod` is Command on a Mac and Ctrl elsewhere. */
  readonly keys?: string
  /** Other words that find the command in the palette. A whole keyword counts as much as the title. */
  readonly keywords?: string
  /** Absent if the palette does not list the command. */
  readonly palette?: false
  /** Absent if the application menu has no item for the command. */
  readonly menu?: MenuSection
  /** Whether the command applies. Absent: always. */
  readonly when?: (context: CommandContext) => boolean
}

const hasFolder = ({ folder }: CommandContext) => folder !== 'none'
const isTrusted = ({ folder }: CommandContext) => folder === 'trusted'
const hasComparison = ({ comparisons = 0 }: CommandContext) => comparisons > 0
const hasConversation = ({ conversation }: CommandContext) => conversation
const hasWorkingAgents = ({ workingAgents }: CommandContext) => workingAgents > 0
const hasPausedAgents = ({ pausedAgents }: CommandContext) => pausedAgents > 0
const hasHeldAgents = (context: CommandContext) => hasPausedAgents(context) || context.stoppedAgents > 0
const hasLiveAgents = (context: CommandContext) => hasWorkingAgents(context) || hasPausedAgents(context)

const VIEW_COMMANDS = VIEWS.map(({ id, title, keys, keywords, menu }) => ({
  id,
  title,
  group: 'Go to' as const,
  keys,
  keywords,
  menu,
})) satisfies readonly CommandEntry[]

const START_COMMANDS = [
  {
    id: 'new-conversation',
    title: 'New conversation',
    group: 'Conversation',
    keys: 'Mod N',
    keywords: 'new clear start',
    menu: 'file',
  },
  {
    id: 'open-folder',
    title: 'Open folder…',
    group: 'Conversation',
    keys: 'Mod O',
    keywords: 'open project directory',
    menu: 'file',
  },
  {
    id: 'new-window',
    title: 'Open folder in new window…',
    group: 'Window',
    keys: 'Mod Shift N',
    keywords: 'second another project',
    menu: 'file',
  },
] as const satisfies readonly CommandEntry[]

const OTHER_COMMANDS = [
  {
    id: 'palette',
    title: 'Command palette',
    group: 'Go to',
    keys: 'Mod K',
    palette: false,
    menu: 'view',
  },
  {
    id: 'new-agent',
    title: 'New agent…',
    group: 'Agents',
    keys: 'Mod Shift A',
    keywords: 'create definition template describe',
    when: hasFolder,
  },
  {
    id: 'test-agent',
    title: 'Test this agent',
    group: 'Agents',
    keys: 'Mod Shift E',
    keywords: 'test bench cases compare versions evaluate benchmark editor',
    menu: 'agents',
    when: hasFolder,
  },
  {
    id: 'outside-agents',
    title: 'External agents…',
    group: 'Agents',
    keywords: 'programs acp claude code codex gemini opencode install',
    menu: 'agents',
  },
  {
    id: 'write-message',
    title: 'Write message',
    group: 'Conversation',
    keys: 'Mod L',
    keywords: 'write composer',
  },
  {
    id: 'requests',
    title: 'Pending questions',
    group: 'Go to',
    keys: 'Mod Shift P',
    keywords: 'questions answer permission-requests queue',
    menu: 'agents',
  },
  {
    id: 'pause-all',
    title: 'Pause all agents',
    group: 'Agents',
    keys: 'Mod .',
    keywords: 'hold wait',
    menu: 'agents',
    when: hasWorkingAgents,
  },
  {
    id: 'continue-all',
    title: 'Continue all agents',
    group: 'Agents',
    keys: 'Mod Shift .',
    keywords: 'continue resume unpause',
    menu: 'agents',
    when: hasHeldAgents,
  },
  {
    id: 'stop-all',
    title: 'Stop all agents',
    group: 'Agents',
    keywords: 'cancel',
    menu: 'agents',
    when: hasLiveAgents,
  },
  {
    id: 'toggle-theme',
    title: 'Toggle theme',
    group: 'Window',
    keywords: 'theme appearance colors',
    menu: 'appearance',
  },
  { id: 'dark-theme', title: 'Dark theme', group: 'Window', keywords: 'dark night' },
  { id: 'light-theme', title: 'Light theme', group: 'Window', keywords: 'light day' },
  { id: 'system-theme', title: 'System theme', group: 'Window', keywords: 'system automatic' },
  {
    id: 'zoom-in',
    title: 'Zoom in',
    group: 'Window',
    keys: 'Mod +',
    keywords: 'larger text bigger size scale',
    menu: 'appearance',
  },
  {
    id: 'zoom-out',
    title: 'Zoom out',
    group: 'Window',
    keys: 'Mod -',
    keywords: 'smaller text size scale',
    menu: 'appearance',
  },
  {
    id: 'reset-zoom',
    title: 'Reset zoom',
    group: 'Window',
    keys: 'Mod 0',
    keywords: 'text size normal default 100',
    menu: 'appearance',
  },
  { id: 'open-sample', title: 'Open sample project', group: 'Conversation', keywords: 'demo' },
  {
    id: 'tutorial',
    title: 'Tutorial',
    group: 'Go to',
    keywords: 'learn guide tour introduction try demo',
    menu: 'help',
  },
  {
    id: 'open-terminal',
    title: 'Open terminal',
    group: 'Window',
    keywords: 'terminal shell console folder',
    when: hasFolder,
  },
  {
    id: 'trust-folder',
    title: 'Trust folder…',
    group: 'Conversation',
    when: ({ folder }) => folder === 'untrusted',
  },
  {
    id: 'changes',
    title: 'Changes of agents',
    group: 'Go to',
    keys: 'Mod Shift C',
    keywords: 'changes undo redo revert files diff',
    menu: 'view',
    when: hasConversation,
  },
  {
    id: 'answer',
    title: 'Answer and reports',
    group: 'Go to',
    keys: 'Mod J',
    keywords: 'answer reports read wide panels result',
    menu: 'view',
    when: hasConversation,
  },
  {
    id: 'replay',
    title: 'Replay, or back to live',
    group: 'Conversation',
    keys: 'Mod Shift Y',
    keywords: 'replay past live now moment history play',
    menu: 'view',
    when: hasConversation,
  },
  {
    id: 'find',
    title: 'Find in conversation',
    group: 'Conversation',
    keywords: 'find search',
    when: hasConversation,
  },
  {
    id: 'rename-conversation',
    title: 'Rename conversation',
    group: 'Conversation',
    keywords: 'rename title',
    when: hasConversation,
  },
  {
    id: 'copy-conversation',
    title: 'Copy conversation',
    group: 'Conversation',
    keywords: 'copy clipboard',
    when: hasConversation,
  },
  {
    id: 'export-conversation',
    title: 'Export conversation…',
    group: 'Conversation',
    keywords: 'export share save send html markdown json trace perfetto opentelemetry otlp',
    menu: 'file',
    when: hasConversation,
  },
  {
    id: 'import-conversation',
    title: 'Import conversation…',
    group: 'Conversation',
    keywords: 'import open exported jsonl file load shared',
    menu: 'file',
  },
  {
    id: 'usage',
    title: 'Conversation usage',
    group: 'Conversation',
    keywords: 'usage cost tokens money',
    when: hasConversation,
  },
  {
    id: 'insight',
    title: 'Insight',
    group: 'Go to',
    keywords: 'cost money spending usage tokens report statistics all conversations',
    menu: 'view',
  },
  {
    id: 'context',
    title: 'Context window',
    group: 'Conversation',
    keywords: 'context tokens memory tools compaction',
    when: hasConversation,
  },
  {
    id: 'choose-model',
    title: 'Choose model…',
    group: 'Conversation',
    keywords: 'model models',
    when: hasFolder,
  },
  {
    id: 'choose-mode',
    title: 'Choose permission mode…',
    group: 'Conversation',
    keywords: 'mode permission permissions',
    when: hasFolder,
  },
  {
    id: 'coordinator-mode',
    title: 'Coordinator mode',
    group: 'Conversation',
    keys: 'Mod Shift O',
    keywords: 'coordinate coordinator phases orchestrate swarm',
    menu: 'agents',
    when: hasFolder,
  },
  {
    id: 'best',
    title: 'Send to several agents…',
    group: 'Agents',
    keywords: 'best compare comparison attempts same task parallel',
    menu: 'agents',
    when: isTrusted,
  },
  {
    id: 'comparison',
    title: 'Comparison',
    group: 'Go to',
    keywords: 'compare attempts best results',
    when: hasComparison,
  },
  {
    id: 'choose-layout',
    title: 'Choose panel layout…',
    group: 'Window',
    keywords: 'layout panels arrange',
    when: hasConversation,
  },
  {
    id: 'save-layout',
    title: 'Save panel layout…',
    group: 'Window',
    keywords: 'layout name arrangement panels windows keep',
    menu: 'view',
    when: hasConversation,
  },
  {
    id: 'show-trash',
    title: 'Deleted conversations…',
    group: 'Conversation',
    keywords: 'trash restore undelete recover empty',
  },
  { id: 'help', title: 'Keys and commands', group: 'Go to', keywords: 'help keys shortcuts keyboard' },
  { id: 'check-updates', title: 'Check for updates', group: 'Window', keywords: 'upgrade', menu: 'help' },
  {
    id: 'limits',
    title: 'Conversation limits',
    group: 'Conversation',
    keywords: 'limits budget cost money tokens time raise',
    when: hasConversation,
  },
  {
    id: 'trash-conversation',
    title: 'Move conversation to trash',
    group: 'Conversation',
    keywords: 'delete remove',
    when: hasConversation,
  },
] as const satisfies readonly CommandEntry[]

export type CommandId = View | (typeof START_COMMANDS | typeof OTHER_COMMANDS)[number]['id']

export interface Command extends CommandEntry {
  readonly id: CommandId
}

/** In the order of the palette and of the menu. */
export const COMMANDS: readonly Command[] = [...START_COMMANDS, ...VIEW_COMMANDS, ...OTHER_COMMANDS]

/** Whether a command applies in this state of the window. */
export function commandApplies(command: Command, context: CommandContext): boolean {
  return command.when?.(context) ?? true
}

export function commandOf(id: CommandId): Command {
  const command = COMMANDS.find((one) => one.id === id)
  if (command === undefined) throw new Error(`No command is named ${id}`)
  return command
}
