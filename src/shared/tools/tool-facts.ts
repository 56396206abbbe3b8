/**
 * Facts about the tools that this program has or reserves. Definitions, the editor, transcripts and permission rules
 * know tools only by name. A tool without an entry works too: every agent has it, and the editor lists it last.
 */
import type { ToolIcon, ToolKind } from './tool-call-row.ts'

/**
 * What a permission rule covers. `search`: reads by a tool that searches. `redirect`: files that a command writes with
 * `>`.
 */
export type RuleTarget = 'read' | 'search' | 'write' | 'redirect' | 'command'

export interface ToolFacts {
  readonly kind: ToolKind
  readonly icon: ToolIcon
  /** The heading of the tool's group in the editor. */
  readonly group: string
  /** One sentence, shown in the editor. */
  readonly help: string | null
  /**
   * The agents that have the tool. `team`: team members, and subagents whose `tools` name it. `built-in`: the main agent
   * and built-in subagents. `coordinator`: the main agent of a conversation in coordinator mode.
   */
  readonly agents: 'all' | 'main' | 'team' | 'built-in' | 'coordinator'
  /** Whether background agents have the tool. */
  readonly inBackground: boolean
  /** Whether a rule can name some of the tool's calls: `Bash(git diff:*)`. */
  readonly hasParts: boolean
  /** What rules with the tool's name cover. Empty: only calls of the tool itself. */
  readonly covers: readonly RuleTarget[]
  /** Whether the tool's calls start agents. */
  readonly startsAgents: boolean
  /** Other programs' names for the tool, in lower case. */
  readonly aliases: readonly string[]
}

/** Null for a tool that another source provides. */
export function toolFacts(name: string): ToolFacts | null {
  return (Object.hasOwn(FACTS, name) ? FACTS[name] : undefined) ?? null
}

/** The groups, in the editor's order. */
export const toolGroups: readonly string[] = ['Read', 'Change', 'Run', 'Web', 'Agents', 'Notes', 'Main only']

const facts = (
  kind: ToolKind,
  icon: ToolIcon,
  more: Partial<ToolFacts> & Pick<ToolFacts, 'group'>,
): ToolFacts => ({
  kind,
  icon,
  help: null,
  agents: 'all',
  inBackground: false,
  hasParts: false,
  covers: [],
  startsAgents: false,
  aliases: [],
  ...more,
})

/** Kinds and icons are frozen: transcripts of version 1 depend on them. */
const FACTS: Readonly<Record<string, ToolFacts>> = {
  Read: facts('read', 'file', {
    group: 'Read',
    help: 'Reads a file.',
    inBackground: true,
    hasParts: true,
    covers: ['read', 'search'],
  }),
  Glob: facts('search', 'folder-search', {
    group: 'Read',
    help: 'Finds files by name.',
    inBackground: true,
    hasParts: true,
    covers: ['search'],
    aliases: ['ls'],
  }),
  Grep: facts('search', 'search', {
    group: 'Read',
    help: 'Searches file contents.',
    inBackground: true,
    hasParts: true,
    covers: ['search'],
  }),
  Write: facts('edit', 'file-add', {
    group: 'Change',
    help: 'Writes a whole file.',
    inBackground: true,
    hasParts: true,
    covers: ['write', 'redirect'],
  }),
  Edit: facts('edit', 'file-edit', {
    group: 'Change',
    help: 'Changes part of a file.',
    inBackground: true,
    hasParts: true,
    covers: ['write', 'redirect'],
    aliases: ['multiedit'],
  }),
  NotebookEdit: facts('edit', 'file-edit', {
    group: 'Change',
    help: 'Changes a notebook cell.',
    inBackground: true,
    hasParts: true,
    covers: ['write'],
  }),
  Bash: facts('command', 'terminal', {
    group: 'Run',
    help: 'Runs shell commands. A rule narrows it: Bash(git diff:*).',
    inBackground: true,
    hasParts: true,
    covers: ['command'],
  }),
  TaskOutput: facts('agent', 'tool', {
    group: 'Run',
    help: 'Reads a background command or agent. Comes with Bash.',
    agents: 'built-in',
    aliases: ['bashoutput', 'agentoutputtool'],
  }),
  TaskStop: facts('agent', 'tool', {
    group: 'Run',
    help: 'Stops a background command or agent. Comes with Bash.',
    agents: 'built-in',
    aliases: ['killshell', 'killbash'],
  }),
  WebFetch: facts('web', 'globe', {
    group: 'Web',
    help: 'Reads a web page. A rule narrows it: WebFetch(domain:example.com).',
    inBackground: true,
    hasParts: true,
  }),
  WebSearch: facts('web', 'globe', { group: 'Web', help: 'Searches the web.', inBackground: true }),
  Agent: facts('agent', 'tool', {
    group: 'Agents',
    help: 'Starts subagents. A rule names the types that it may start: Agent(Explore, Plan).',
    hasParts: true,
    startsAgents: true,
    aliases: ['task'],
  }),
  SendMessage: facts('message', 'mail', {
    group: 'Agents',
    help: 'Sends messages to other agents.',
    agents: 'team',
    inBackground: true,
  }),
  TaskCreate: facts('plan', 'list', {
    group: 'Agents',
    help: 'Adds a task to the shared task list.',
    agents: 'team',
    inBackground: true,
  }),
  TaskUpdate: facts('plan', 'list', {
    group: 'Agents',
    help: 'Claims, completes or releases a task of the shared task list.',
    agents: 'team',
    inBackground: true,
  }),
  TaskList: facts('plan', 'list', {
    group: 'Agents',
    help: 'Shows the shared task list.',
    agents: 'team',
    inBackground: true,
  }),
  TodoWrite: facts('plan', 'list', {
    group: 'Notes',
    help: 'Keeps a to-do list.',
    inBackground: true,
    aliases: ['todoread'],
  }),
  Skill: facts('other', 'skill', {
    group: 'Notes',
    help: 'Loads a skill by name.',
    inBackground: true,
    hasParts: true,
  }),
  AskUserQuestion: facts('message', 'question', {
    group: 'Main only',
    help: 'Asks the user. Main agent only.',
    agents: 'main',
  }),
  ExitPlanMode: facts('plan', 'book', {
    group: 'Main only',
    help: 'Shows the plan to the user. Main agent only.',
    agents: 'main',
  }),
  TeamCreate: facts('message', 'people', { group: 'Main only', agents: 'main' }),
  TeamDelete: facts('message', 'people', { group: 'Main only', agents: 'main' }),
  SetPhase: facts('other', 'tool', {
    group: 'Main only',
    help: 'Begins a phase of coordinator mode. Coordinators only.',
    agents: 'coordinator',
  }),
  MergeWorktree: facts('other', 'tool', { group: 'Main only', agents: 'main' }),
}

/** The only tools of a coordinator: it gives work to others, and neither reads, edits nor runs anything itself. */
export const coordinatorTools: readonly string[] = [
  'Agent',
  'SendMessage',
  'TaskOutput',
  'TaskStop',
  'TeamCreate',
  'TeamDelete',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'MergeWorktree',
  'AskUserQuestion',
  'SetPhase',
]

/** The tool that "Always allow" names in the rule that it writes. */
export const alwaysAllowTools = { read: 'Read', write: 'Edit', command: 'Bash' } as const

/** All names, in the order of the groups. */
export const ownToolNames: readonly string[] = Object.keys(FACTS)
