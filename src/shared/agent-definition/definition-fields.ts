/** The keys of a definition: what kind of value each has, and what it means. Reading, completing and explaining all look here. */
import { permissionModes } from '../permission-modes.ts'
import { agentColors } from './agent-color.ts'
import { efforts, memoryScopes } from './agent-definition.ts'

export interface DefinitionField {
  /** The key that is written anew. */
  readonly key: string
  /** Other keys by which files have it. */
  readonly also: readonly string[]
  readonly kind: 'text' | 'names' | 'flag' | 'number' | 'choice' | 'structure'
  /** The values there are, or those that are offered. */
  readonly values: readonly string[]
  /** Whether a wrong value keeps the agent from being offered: its default would allow more than was meant. */
  readonly isSafety: boolean
  /** One or two sentences for a person. */
  readonly help: string
}

export const modelAliases = ['inherit', 'haiku', 'sonnet', 'opus', 'fable'] as const

/** In the order in which a file has them. */
export const definitionFields = [
  text('name', 'What the agent is called. One line without a colon; the file’s name where it is left out.'),
  {
    ...text('description', 'When to use it. The main agent chooses by this text alone.'),
    also: ['when-to-use'],
  },
  {
    ...names(
      'tools',
      'The tools it may use. Left out, or *: all. A tool may carry a rule: Bash(git diff:*).',
    ),
    isSafety: true,
  },
  {
    ...names('disallowedTools', 'The tools it may not use. This wins over everything else.'),
    isSafety: true,
  },
  choice('model', modelAliases, 'inherit (the parent’s), haiku, sonnet, opus, fable, or a full model id.'),
  { ...choice('color', agentColors, 'One of eight colours, or "#hex" in quotes.'), also: ['colour'] },
  {
    ...choice(
      'permissionMode',
      [...permissionModes, 'bubble'],
      'What is asked and what is not. Never more than the parent has.',
    ),
    isSafety: true,
  },
  flag('forkContext', 'It sees the parent’s whole conversation, and has its model.'),
  flag('background', 'It always runs in the background.'),
  {
    ...choice('isolation', ['worktree'], 'worktree: it works in a git worktree of its own.'),
    isSafety: true,
  },
  choice('memory', memoryScopes, 'Where it keeps what it learns: user, project or local.'),
  names('skills', 'Skills whose text is put into its prompt at the start.'),
  {
    ...base('maxTurns', 'number'),
    help: 'After so many turns it is asked for its report. A whole number from 1.',
  },
  choice('effort', efforts, 'How much the model thinks: low, medium, high, xhigh or max.'),
  structure(
    'mcpServers',
    'The MCP servers it sees: names, or servers of its own. Left out: all that are connected.',
  ),
  structure('hooks', 'Commands at events, in trusted folders: event, matchers, commands.'),
  text('initialPrompt', 'The first words it gets when it is a main agent.'),
  {
    ...text('criticalSystemReminder', 'A line that it is told again every turn.'),
    also: ['criticalSystemReminder_EXPERIMENTAL'],
  },
  { ...flag('omitProjectInstructions', 'It is not given CLAUDE.md and its kin.'), also: ['omitClaudeMd'] },
  { ...flag('readOnly', 'Nothing it does may change anything. This is enforced.'), isSafety: true },
  flag('oneShot', 'Its report is final: other agents can’t resume it or write to it.'),
  names('aliases', 'Other names by which it can be called.'),
  flag('hidden', 'The main agent is not told of it.'),
] as const satisfies readonly DefinitionField[]

export type FieldKey = (typeof definitionFields)[number]['key']

/** The field of a key or of one of its other names. */
export function fieldOf(key: string): (DefinitionField & { readonly key: FieldKey }) | undefined {
  return byKey.get(key)
}

/** Whether a key's value is sentences. */
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
