/**
 * Reads an agent definition: markdown with YAML frontmatter, as in `.claude/agents`. Strings in, values out;
 * nothing throws. An invalid value of a known key is a diagnostic, and the default applies. If the default
 * would make the agent less safe than intended, the agent is not used.
 */
import { efforts } from '../models/effort.ts'
import { thinkings } from '../models/thinking.ts'
import { permissionModes } from '../permissions/permission-modes.ts'
import { isTypo } from '../tools/nearest-name.ts'
import { agentColors } from './agent-color.ts'
import {
  type AgentDefinition,
  type Diagnostic,
  memoryScopes,
  type ReadDefinition,
  type TextEdit,
} from './agent-definition.ts'
import { fieldOf, modelAliases } from './definition-fields.ts'
import { externalAgentLaunchOf } from './external-agent-launch.ts'
import { type FieldRanges, FrontmatterFields } from './frontmatter-fields.ts'
import { tellMisspelledKeys } from './misspelled-keys.ts'
import { splitNames } from './name-list.ts'
import { editsOf, parseYaml, type Recovery } from './recover-yaml.ts'
import { sourcePositions } from './source-positions.ts'
import {
  type MissingFence,
  missingFence,
  type SplitFrontmatter,
  splitFrontmatter,
} from './split-frontmatter.ts'
import type { YamlMistake } from './strict-yaml.ts'

/** Characters. Parsing YAML takes more than linear time. */
const LONGEST_FRONTMATTER = 64 * 1024

interface DefinitionOrigin {
  /** The file's name without `.md`. */
  readonly stem: string
  /** For display, in a missing description: "the project". */
  readonly source: string
}

export function readDefinition(text: string, origin: DefinitionOrigin): ReadDefinition {
  const split = splitFrontmatter(text)
  const locations = sourcePositions(text)
  if (split.kind === 'none')
    return unread('no-frontmatter', 'notice', {
      ...locations.at(0, 0),
      message: 'The file has no frontmatter, so it is not an agent.',
    })
  if (split.kind === 'open') {
    const fence = missingFence(text)
    const after = fence === null ? 'after the last field' : `after line ${fence.line}`
    return unread('open-frontmatter', 'error', {
      ...locations.at(split.from, split.to),
      message: `The frontmatter has no end. Add a line of three dashes ${after}.`,
      fixes: fence === null ? [] : [closingFix(fence)],
    })
  }
  const yaml = split.yaml.text
  const positionIn = (from: number, to: number) =>
    locations.at(split.yaml.toFile(from), split.yaml.toFile(to))
  if (yaml.length > LONGEST_FRONTMATTER)
    return unread('long-frontmatter', 'error', {
      ...positionIn(0, 0),
      message: 'The frontmatter is larger than 64 KB. Move the agent’s instructions below the frontmatter.',
    })
  const result = parseYaml(yaml)
  if (result.kind === 'failed') {
    const { from, to, message } = result.mistake
    const late = lateFence(text, split)
    return unread('invalid-yaml', 'error', {
      ...positionIn(from, to),
      message: `The frontmatter is not readable: ${sentence(message)}`,
      fixes: late === null ? [] : [closingFix(late)],
    })
  }
  const { parsed, recoveries, mistake } = result
  if (!isRecord(parsed.values))
    return unread('not-an-agent', 'notice', {
      ...positionIn(0, 0),
      message: 'The frontmatter has no fields, so the file is not an agent.',
    })

  const edits = editsOf(recoveries)
  const fileEdits = edits.map((edit) => split.yaml.editOfFile(edit))
  const fieldRanges: FieldRanges = {
    at: (from, to) => positionIn(beforeEdits(edits, from), beforeEdits(edits, to)),
    // A recovery and another fix may overlap; the recovery comes first.
    fix: (label, edit, { isCertain = true } = {}) =>
      recoveries.length > 0 ? [] : [{ label, edits: [split.yaml.editOfFile(edit)], isCertain }],
  }
  const fields = new FrontmatterFields(parsed, fieldRanges)
  const read = definitionOf(fields, split, origin)
  tellMisspelledKeys(fields, ({ key }) => read !== null || key === 'name' || key === 'description')
  if (read === null) {
    const [misspelled] = fields.diagnostics
    return unread('not-an-agent', 'notice', {
      ...positionIn(0, 0),
      message: `The file has neither a name nor a description, so it is not an agent.${misspelled ? ` ${misspelled.message}` : ''}`,
      fixes: misspelled?.fixes ?? [],
    })
  }
  const late = recoveries.some(({ code }) => code === 'line-by-line') ? lateFence(text, split) : null
  return {
    definition: read,
    offered: !fields.isUnsafe && !recoveries.some(({ losesRestriction }) => losesRestriction),
    recovered: recoveries.map((recover) => recover.code),
    diagnostics: [
      ...recoveries
        .map((recover) => recoveryDiagnostic(recover, mistake, { positionIn, all: fileEdits }))
        .map((told) => (late === null ? told : { ...told, fixes: [...told.fixes, closingFix(late)] })),
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
      message: 'The description is missing, so the main agent does not know when to use this agent. Add one.',
      fixes: [],
    })
  const program = externalAgentLaunchOf(fields)
  return {
    name,
    description: described?.replaceAll('\\n', '\n') ?? `Agent from ${source}`,
    prompt: split.body.text.trim(),
    tools: toolsOf(fields),
    disallowedTools: fields.names('disallowedTools') ?? [],
    model: modelOf(fields),
    color: colorOf(fields),
    permissionMode: modeOf(fields),
    forkContext: fields.flag('forkContext'),
    background: fields.flag('background'),
    isolation: fields.choice('isolation', ['worktree']),
    carryOver: fields.flag('carryOver'),
    memory: fields.choice('memory', memoryScopes),
    skills: fields.names('skills') ?? [],
    maxTurns: fields.count('maxTurns'),
    effort: fields.choice('effort', efforts),
    thinking: fields.choice('thinking', thinkings),
    mcpServers: serversOf(fields),
    hooks: hooksOf(fields),
    initialPrompt: fields.text('initialPrompt'),
    reminder: fields.text('criticalSystemReminder'),
    omitProjectInstructions: fields.flag('omitProjectInstructions'),
    readOnly: fields.flag('readOnly'),
    oneShot: fields.flag('oneShot'),
    aliases: aliasesOf(fields),
    hidden: fields.flag('hidden'),
    ...(program && { program }),
  }
}

/** Why a text can't be an agent's name, or null. With a colon an agent could pose as a plugin's agent. */
export function whatIsWrongWithName(name: string): string | null {
  if (name.trim() === '') return 'The name is empty.'
  if (/[:\n\r]/.test(name))
    return 'The name must be one line without a colon, which separates a plugin from its agents.'
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u.test(name))
    return 'The name contains invisible characters.'
  return name.length > 100 ? 'The name is longer than 100 characters.' : null
}

/** Claude Code's `auto` lets a model decide. Troupe asks instead. */
function modeOf(fields: FrontmatterFields): AgentDefinition['permissionMode'] {
  const value = fields.value('permissionMode')
  if (typeof value !== 'string' || value.trim().toLowerCase() !== 'auto')
    return fields.choice('permissionMode', [...permissionModes, 'bubble'])
  fields.tell('permissionMode', {
    code: 'auto-mode',
    severity: 'notice',
    message: 'Troupe reads auto as default: it asks you where Claude Code lets a model decide.',
    fixes: [],
  })
  return 'default'
}

function toolsOf(fields: FrontmatterFields): readonly string[] | null {
  const wasUnsafe = fields.isUnsafe
  const tools = fields.names('tools')
  const isWrong = fields.isUnsafe && !wasUnsafe
  if (tools?.length === 0 && !isWrong)
    fields.tell('tools', {
      code: 'empty-tools',
      severity: 'warning',
      message: 'tools is empty, so the agent has no tools. Remove the line for all tools.',
      fixes: [],
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
      message: `${comment.text} is a comment here. Quote it to make it a color.`,
      fixes: comment.fixes,
    })
  return color
}

/** Whether the value is one of the eight colors or a `#hex`; others are replaced by a color from the name. */
export function isKnownColor(color: string): boolean {
  const lower = color.toLowerCase()
  return agentColors.some((known) => known === lower) || /^#[0-9a-f]{3}([0-9a-f]{3})?$/.test(lower)
}

/** A misspelled word of a model is reported: `sonet`, `claude-sonet-5-5`. All other ids may exist. */
function modelOf(fields: FrontmatterFields): string {
  const text = fields.text('model')
  if (text === null) return 'inherit'
  const lower = text.toLowerCase()
  if (modelAliases.some((alias) => alias === lower)) return lower
  for (const word of text.match(/[a-z]+/gi) ?? []) {
    const known = word === text ? modelAliases : MODEL_WORDS
    const meant = known.find((other) => isTypo(word, other))
    if (meant === undefined || meant === word.toLowerCase()) continue
    fields.tell('model', {
      code: 'misspelled-model',
      severity: 'warning',
      message: `Unknown model ${text}. Did you mean ${text.replace(word, meant)}?`,
      fixes: fields.replacing('model', word, meant),
    })
    break
  }
  return text
}

const MODEL_WORDS = ['claude', ...modelAliases.filter((alias) => alias !== 'inherit')]

function serversOf(fields: FrontmatterFields): AgentDefinition['mcpServers'] {
  const value = fields.value('mcpServers')
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return splitNames(value)
  if (isRecord(value)) return Object.entries(value).map(([name, server]) => ({ [name]: server }))
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string' || isRecord(entry)))
    return value
  fields.complain('mcpServers', 'Must be a list of names, or of servers by name.')
  return null
}

function hooksOf(fields: FrontmatterFields): AgentDefinition['hooks'] {
  const value = fields.value('hooks')
  if (value === undefined || value === null) return null
  if (isRecord(value)) return value
  fields.complain('hooks', 'Must be events, each with matchers and commands.')
  return null
}

function aliasesOf(fields: FrontmatterFields): readonly string[] {
  const aliases = fields.names('aliases') ?? []
  const wrong = aliases.map(whatIsWrongWithName).find((reason) => reason !== null)
  if (wrong) fields.complain('aliases', `One alias is left out. ${wrong}`)
  return aliases.filter((alias) => whatIsWrongWithName(alias) === null)
}

/** A line of dashes in the body ends a frontmatter whose own closing line is missing. Null: the frontmatter is plain. */
function lateFence(text: string, split: SplitFrontmatter): MissingFence | null {
  const fence = missingFence(text)
  if (fence === null) return null
  const end = split.yaml.toFile(split.yaml.text.length)
  const between = text.slice(fence.edit.from, end)
  // What lies between is the body, unless it is blank or has further fields.
  const isBody =
    between.trim() !== '' && !between.split('\n').some((line) => fieldOf(FIELD.exec(line)?.[1] ?? ''))
  return fence.edit.from < end && isBody ? fence : null
}

const FIELD = /^["']?([A-Za-z_][\w-]*)["']?[ \t]*:/

const closingFix = ({ edit, line }: MissingFence): Diagnostic['fixes'][number] => ({
  label: `Add three dashes after line ${line}`,
  edits: [edit],
  isCertain: false,
  isShownFirst: true,
})

/** Each fix quotes all values: with only some of them quoted the others would be read differently. */
function recoveryDiagnostic(
  { code, key, edits, losesRestriction = false }: Recovery,
  mistake: YamlMistake | null,
  {
    positionIn,
    all,
  }: {
    readonly positionIn: FieldRanges['at']
    /** In the file. */
    readonly all: readonly TextEdit[]
  },
): Diagnostic {
  const [first] = edits
  if (code === 'doubled-key' && key !== null && first !== undefined)
    return {
      code,
      severity: losesRestriction ? 'error' : 'warning',
      ...positionIn(first.from, first.from + key.length),
      message: losesRestriction
        ? `${key} is there twice, with different values. The agent is not offered until you keep one of them.`
        : `${key} is there twice. The last one counts, as in Claude Code.`,
      fixes: [
        {
          label: losesRestriction ? `Keep the strictest ${key}` : `Keep the last ${key}`,
          edits: all,
          isCertain: !losesRestriction,
        },
      ],
    }
  const why = mistake === null ? '' : ` (${mistake.message})`
  const isQuote = key !== null && first !== undefined
  const label = !isQuote
    ? 'Rewrite as valid YAML'
    : all.length > 1
      ? 'Quote the values'
      : `Quote the ${wordFor(key)}`
  return {
    code,
    severity: 'warning',
    ...(isQuote ? positionIn(first.from, first.to) : positionIn(mistake?.from ?? 0, mistake?.to ?? 0)),
    message: isQuote
      ? `Not valid YAML, but readable. Quote the ${wordFor(key)}.`
      : `Not valid YAML${why}, but readable line by line.`,
    fixes: [{ label, edits: all, isCertain: true }],
  }
}

const wordFor = (key: string): string =>
  fieldOf(key)?.key === 'description' ? 'description' : `value of ${key}`

/** Maps a position in the recovered text to the original text. */
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
  more: Pick<Diagnostic, 'line' | 'column' | 'from' | 'to' | 'message'> & Partial<Pick<Diagnostic, 'fixes'>>,
): ReadDefinition {
  return {
    definition: null,
    offered: false,
    recovered: [],
    diagnostics: [{ code, severity, fixes: [], ...more }],
  }
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
