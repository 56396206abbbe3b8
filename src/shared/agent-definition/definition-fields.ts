/** The keys of a definition with their kinds and meanings, for reading, completing and explaining. */

import { efforts } from '../models/effort.ts'
import { thinkings } from '../models/thinking.ts'
import { permissionModes } from '../permissions/permission-modes.ts'
import { agentColors } from './agent-color.ts'
import { memoryScopes } from './agent-definition.ts'

export interface DefinitionField {
  /** The key for new files. */
  readonly key: string
  /** Other accepted spellings of the key. */
  readonly also: readonly string[]
  readonly kind: 'text' | 'names' | 'flag' | 'number' | 'choice' | 'structure'
  /** The allowed or suggested values. */
  readonly values: readonly string[]
  /** Whether an invalid value keeps the agent from being used, because the default would allow more than intended. */
  readonly isSafety: boolean
  /** One or two sentences for the user. */
  readonly help: string
}

export const modelAliases = ['inherit', 'haiku', 'sonnet', 'opus', 'fable'] as const

/** In the order of a file. */
export const definitionFields = [
  text('name', 'The agent’s name: one line without a colon. Default: the file’s name.'),
  {
    ...text('description', 'When to use the agent. The main agent chooses by this text alone.'),
    also: ['when-to-use'],
  },
  {
    ...names(
      'tools',
      'The allowed tools. Without this key, or with *: all tools. A tool can have a rule: Bash(git diff:*).',
    ),
    isSafety: true,
  },
  {
    ...names('disallowedTools', 'The denied tools. This key wins over all others.'),
    isSafety: true,
  },
  choice('model', modelAliases, 'inherit (the parent’s), haiku, sonnet, opus, fable, or a full model id.'),
  { ...choice('color', agentColors, 'One of eight colors, or "#hex" in quotes.'), also: ['colour'] },
  {
    ...choice(
      'permissionMode',
      [...permissionModes, 'bubble'],
      'What needs permission. Never more permissive than the parent.',
    ),
    isSafety: true,
  },
  flag('forkContext', 'The agent sees the parent’s whole conversation and uses its model.'),
  flag('background', 'The agent always runs in the background.'),
  {
    ...choice('isolation', ['worktree'], 'worktree: the agent works in its own git worktree.'),
    isSafety: true,
  },
  choice('memory', memoryScopes, 'Where the agent keeps its memory: user, project or local.'),
  names('skills', 'Skills whose text is part of the prompt from the start.'),
  {
    ...base('maxTurns', 'number'),
    help: 'After this many turns the agent is asked for its report. A whole number from 1.',
  },
  choice('effort', efforts, 'How much the model thinks: low, medium, high, xhigh or max.'),
  choice(
    'thinking',
    thinkings,
    'Whether the model thinks before it answers, if it has the choice: on or off.',
  ),
  structure(
    'mcpServers',
    'The MCP servers for the agent: names, or inline servers. Without this key: all connected servers.',
  ),
  structure('hooks', 'Commands at events, in trusted folders: event, matchers, commands.'),
  text('initialPrompt', 'The first message when the agent is a main agent.'),
  {
    ...text('criticalSystemReminder', 'A line repeated every turn.'),
    also: ['criticalSystemReminder_EXPERIMENTAL'],
  },
  { ...flag('omitProjectInstructions', 'Leaves out CLAUDE.md and similar files.'), also: ['omitClaudeMd'] },
  { ...flag('readOnly', 'The agent can’t change anything. This is enforced.'), isSafety: true },
  flag('carryOver', 'Its worktree has the uncommitted changes of its parent’s folder.'),
  flag('oneShot', 'The report is final: other agents can’t resume or message the agent.'),
  names('aliases', 'Other names for the agent.'),
  flag('hidden', 'The main agent does not see the agent.'),
  {
    ...choice('backing', ['acp'], 'acp: an external agent carries out the agent. Needs command.'),
    isSafety: true,
  },
  {
    ...text('command', 'With backing: acp, the program to start. It speaks the Agent Client Protocol.'),
    isSafety: true,
  },
  { ...structure('args', 'The arguments of command, as a list.'), isSafety: true },
  {
    ...structure(
      'env',
      `The variables that command gets from your environment, as a list of names; or by name, with "\${NAME}". Never secrets.`,
    ),
    isSafety: true,
  },
] as const satisfies readonly DefinitionField[]

export type FieldKey = (typeof definitionFields)[number]['key']

/** The field of a key or of one of its other spellings. */
export function fieldOf(key: string): (DefinitionField & { readonly key: FieldKey }) | undefined {
  return byKey.get(key)
}

/** Whether a key's value is prose. */
export function isProse(key: string): boolean {
  const field = fieldOf(key)
  return field?.kind === 'text' && field.key !== 'name'
}

const byKey: ReadonlyMap<string, DefinitionField & { readonly key: FieldKey }> = new Map(
  definitionFields.flatMap((field) =>
    [field.key, ...(field.also as readonly string[])].map((key) => [key, field] as const),
  ),
)

function base<K extends string, T extends DefinitionField['kind']>(key: K, kind: T) {
  return {
    key,
    kind,
    also: [] as readonly string[],
    values: [] as readonly string[],
    isSafety: false,
    help: '',
  }
}
function text<K extends string>(key: K, help: string) {
  return { ...base(key, 'text'), help }
}
function names<K extends string>(key: K, help: string) {
  return { ...base(key, 'names'), help }
}
function flag<K extends string>(key: K, help: string) {
  return { ...base(key, 'flag'), values: ['true', 'false'] as readonly string[], help }
}
function choice<K extends string>(key: K, values: readonly string[], help: string) {
  return { ...base(key, 'choice'), values, help }
}
function structure<K extends string>(key: K, help: string) {
  return { ...base(key, 'structure'), help }
}
