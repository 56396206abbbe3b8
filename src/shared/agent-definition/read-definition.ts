/**
 * Reads an agent definition: markdown with YAML frontmatter, as people have it in `.claude/agents`. Strings
 * in, values out; nothing here throws. A wrong value of a known key is a diagnostic, and the default holds;
 * where it would make the agent less safe than its author meant, the agent is not offered.
 */
import { permissionModes } from '../permission-modes.ts'
import { agentColors } from './agent-color.ts'
import {
  type AgentDefinition,
  type Diagnostic,
  efforts,
  memoryScopes,
  type ReadDefinition,
  type TextEdit,
} from './agent-definition.ts'
import { fieldOf, modelAliases } from './definition-fields.ts'
import { type FieldPlaces, FrontmatterFields } from './frontmatter-fields.ts'
import { splitNames } from './name-list.ts'
import { editsOf, parseYaml, type Rescue } from './rescue-yaml.ts'
import { sourcePlaces } from './source-places.ts'
import { type SplitFrontmatter, splitFrontmatter } from './split-frontmatter.ts'
import type { YamlMistake } from './strict-yaml.ts'

/** Characters. Reading YAML takes longer than its length alone would say. */
const LONGEST_FRONTMATTER = 64 * 1024

export interface DefinitionOrigin {
  /** The file's name without `.md`. */
  readonly stem: string
  /** In words, for a description that is missing: "the project". */
  readonly source: string
}

export function readDefinition(text: string, origin: DefinitionOrigin): ReadDefinition {
  const split = splitFrontmatter(text)
  const places = sourcePlaces(text)
  if (split.kind === 'none')
    return unread('no-frontmatter', 'notice', {
      ...places.at(0, 0),
      message: 'There is no frontmatter, so this is not an agent.',
    })
  if (split.kind === 'open')
    return unread('open-frontmatter', 'error', {
      ...places.at(split.from, split.to),
      message: 'The frontmatter has no end: a line of three dashes is missing.',
    })
  const yaml = split.yaml.text
  const placeIn = (from: number, to: number) => places.at(split.yaml.toFile(from), split.yaml.toFile(to))
  if (yaml.length > LONGEST_FRONTMATTER)
    return unread('long-frontmatter', 'error', {
      ...placeIn(0, 0),
      message: 'The frontmatter is larger than 64 KB. What the agent should know belongs below it.',
    })
  const result = parseYaml(yaml)
  if (result.kind === 'failed') {
    const { from, to, message } = result.mistake
    return unread('invalid-yaml', 'error', {
      ...placeIn(from, to),
      message: `The frontmatter can’t be read: ${sentence(message)}`,
    })
  }
  const { parsed, rescues, mistake } = result
  if (!isRecord(parsed.values))
    return unread('not-an-agent', 'notice', {
      ...placeIn(0, 0),
      message: 'The frontmatter has no fields, so this is not an agent.',
    })

  const edits = editsOf(rescues)
  const fieldPlaces: FieldPlaces = {
    at: (from, to) => placeIn(beforeEdits(edits, from), beforeEdits(edits, to)),
    // Beside a rescue a mend would have to be two changes at one place: that one comes first.
    mend: (label, edit) => (rescues.length > 0 ? [] : [{ label, edits: [split.yaml.editOfFile(edit)] }]),
  }
  const fields = new FrontmatterFields(parsed, fieldPlaces)
  const read = definitionOf(fields, split, origin)
  if (read === null)
    return unread('not-an-agent', 'notice', {
      ...placeIn(0, 0),
      message: 'There is neither a name nor a description, so this is not an agent.',
    })
  return {
    definition: read,
    offered: !fields.isUnsafe,
    rescued: rescues.map((rescue) => rescue.code),
    diagnostics: [
      ...rescues.map((rescue) => rescueDiagnostic(rescue, mistake, { split, placeIn, all: edits })),
      ...fields.diagnostics,
    ].sort((a, b) => a.from - b.from),
  }
}

function definitionOf(
  fields: FrontmatterFields,
  split: SplitFrontmatter,
  { stem, source }: DefinitionOrigin,
): AgentDefinition | null {
  const given = fields.text('name')
  const described = fields.text('description')
  if (given === null && described === null) return null
  const name = given ?? stem.replace(/\.agent$/, '')
  const wrongName = whatIsWrongWithName(name)
  if (wrongName !== null) fields.complain('name', wrongName)
  if (described === null)
    fields.tell('name', {
      code: 'no-description',
      severity: 'warning',
      message: 'There is no description, so the main agent does not know when to use it.',
      mends: [],
    })
  return {
    name,
    description: described?.replaceAll('\\n', '\n') ?? `Agent from ${source}`,
    prompt: split.body.text.trim(),
    tools: toolsOf(fields),
    disallowedTools: fields.names('disallowedTools') ?? [],
    model: modelName(fields.text('model')),
    color: colorOf(fields),
    permissionMode: fields.choice('permissionMode', [...permissionModes, 'bubble']),
    forkContext: fields.flag('forkContext'),
    background: fields.flag('background'),
    isolation: fields.choice('isolation', ['worktree']),
    memory: fields.choice('memory', memoryScopes),
    skills: fields.names('skills') ?? [],
    maxTurns: fields.count('maxTurns'),
    effort: fields.choice('effort', efforts),
    mcpServers: serversOf(fields),
    hooks: hooksOf(fields),
    initialPrompt: fields.text('initialPrompt'),
    reminder: fields.text('criticalSystemReminder'),
    omitProjectInstructions: fields.flag('omitProjectInstructions'),
    readOnly: fields.flag('readOnly'),
    oneShot: fields.flag('oneShot'),
    aliases: aliasesOf(fields),
    hidden: fields.flag('hidden'),
  }
}

/** Why a text can't be the name of an agent, or null. A colon separates a plugin from its agents, so a name with one could pose as a plugin's. */
export function whatIsWrongWithName(name: string): string | null {
  if (name.trim() === '') return 'A name can’t be empty.'
  if (/[:\n\r]/.test(name))
    return 'A name is one line without a colon, which separates a plugin from its agents.'
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u.test(name))
    return 'The name has characters that cannot be seen.'
  return name.length > 100 ? 'A name has at most 100 characters.' : null
}

function toolsOf(fields: FrontmatterFields): readonly string[] | null {
  const wasUnsafe = fields.isUnsafe
  const tools = fields.names('tools')
  const isWrong = fields.isUnsafe && !wasUnsafe
  if (tools?.length === 0 && !isWrong)
    fields.tell('tools', {
      code: 'empty-tools',
      severity: 'warning',
      message: 'tools is empty, so the agent has none. Leave the line out for all tools.',
      mends: [],
    })
  return isWrong ? null : tools
}

function colorOf(fields: FrontmatterFields): string | null {
  const color = fields.text('color')
  const comment = color === null && fields.value('color') === null ? fields.commentAfter('color') : null
  if (comment !== null)
    fields.tell('color', {
      code: 'comment-color',
      severity: 'warning',
      message: `${comment.text} is a comment here. In quotes it is a colour.`,
      mends: comment.mends,
    })
  return color
}

/** Whether the value is one of the eight or a `#hex`; any other is shown as a colour chosen from the name. */
export function isKnownColor(color: string): boolean {
  const lower = color.toLowerCase()
  return agentColors.some((known) => known === lower) || /^#[0-9a-f]{3}([0-9a-f]{3})?$/.test(lower)
}

function modelName(text: string | null): string {
  const lower = text?.toLowerCase() ?? 'inherit'
  return modelAliases.some((alias) => alias === lower) ? lower : (text ?? 'inherit')
}

function serversOf(fields: FrontmatterFields): AgentDefinition['mcpServers'] {
  const value = fields.value('mcpServers')
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return splitNames(value)
  if (isRecord(value)) return Object.entries(value).map(([name, server]) => ({ [name]: server }))
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string' || isRecord(entry)))
    return value
  fields.complain('mcpServers', 'This is a list of names, or of servers by their name.')
  return null
}

function hooksOf(fields: FrontmatterFields): AgentDefinition['hooks'] {
  const value = fields.value('hooks')
  if (value === undefined || value === null) return null
  if (isRecord(value)) return value
  fields.complain('hooks', 'This is events, each with its matchers and commands.')
  return null
}

function aliasesOf(fields: FrontmatterFields): readonly string[] {
  const aliases = fields.names('aliases') ?? []
  const wrong = aliases.map(whatIsWrongWithName).find((reason) => reason !== null)
  if (wrong) fields.complain('aliases', `One is left out. ${wrong}`)
  return aliases.filter((alias) => whatIsWrongWithName(alias) === null)
}

/** Each mend makes all of them: with only some of the values quoted the others would be read as something else. */
function rescueDiagnostic(
  { code, key, edits }: Rescue,
  mistake: YamlMistake | null,
  {
    split,
    placeIn,
    all,
  }: {
    readonly split: SplitFrontmatter
    readonly placeIn: FieldPlaces['at']
    readonly all: readonly TextEdit[]
  },
): Diagnostic {
  const [first] = edits
  const why = mistake === null ? '' : ` (${mistake.message})`
  const isQuote = key !== null && first !== undefined
  const label = !isQuote
    ? 'Write it as valid YAML'
    : all.length > 1
      ? 'Quote what needs quotes'
      : `Quote the ${wordFor(key)}`
  return {
    code,
    severity: 'warning',
    ...(isQuote ? placeIn(first.from, first.to) : placeIn(mistake?.from ?? 0, mistake?.to ?? 0)),
    message: isQuote
      ? `Not valid YAML, and read in spite of it. Quote the ${wordFor(key)}.`
      : `Not valid YAML${why}, and read line by line in spite of it.`,
    mends: [{ label, edits: all.map((edit) => split.yaml.editOfFile(edit)) }],
  }
}

const wordFor = (key: string): string =>
  fieldOf(key)?.key === 'description' ? 'description' : `value of ${key}`

/** A place in the edited text as one in the text before. */
function beforeEdits(edits: readonly { from: number; to: number; insert: string }[], offset: number): number {
  let shift = 0
  for (const { from, to, insert } of edits) {
    if (offset < from + shift) break
    if (offset <= from + shift + insert.length)
      return offset === from + shift + insert.length ? to : Math.min(from + (offset - from - shift), to)
    shift += insert.length - (to - from)
  }
  return offset - shift
}

function unread(
  code: string,
  severity: Diagnostic['severity'],
  more: Pick<Diagnostic, 'line' | 'column' | 'from' | 'to' | 'message'>,
): ReadDefinition {
  return {
    definition: null,
    offered: false,
    rescued: [],
    diagnostics: [{ code, severity, ...more, mends: [] }],
  }
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
