/**
 * Reads an agent definition: markdown with YAML frontmatter, as people have it in `.claude/agents`. Strings
 * in, values out; nothing here throws. A wrong value of a known key is a diagnostic, and the default holds;
 * where it would make the agent less safe than its author meant, the agent is not offered.
 */
import { isMap, LineCounter, parseDocument } from 'yaml'
import { stableColor } from './agent-color.ts'
import type { AgentDefinition, Diagnostic, ReadDefinition } from './agent-definition.ts'
import { FrontmatterFields } from './frontmatter-fields.ts'
import { type SplitFrontmatter, splitFrontmatter } from './split-frontmatter.ts'

/** Characters. Reading YAML takes longer than its length alone would say. */
const LONGEST_FRONTMATTER = 64 * 1024

/** `stem`: the file's name without `.md`; `source`: in words, for a description that is missing. */
export function readDefinition(
  text: string,
  { stem, source }: { readonly stem: string; readonly source: string },
): ReadDefinition {
  const split = splitFrontmatter(text)
  if (split.kind === 'none')
    return refused('no-frontmatter', 'notice', 1, 'No frontmatter, so this is not an agent definition.')
  if (split.kind === 'open')
    return refused(
      'open-frontmatter',
      'error',
      split.line,
      'The frontmatter has no end: a line of three dashes is missing.',
    )
  if (split.yaml.length > LONGEST_FRONTMATTER)
    return refused(
      'long-frontmatter',
      'error',
      split.firstLine,
      'The frontmatter is larger than 64 KB. What the agent should know belongs below it.',
    )
  const parsed = parseFields(split)
  if (parsed instanceof FrontmatterFields) return definitionOf(parsed, split, { stem, source })
  return { definition: null, diagnostics: [parsed] }
}

/** Strict YAML; a map is the result. */
function parseFields(split: SplitFrontmatter): FrontmatterFields | Diagnostic {
  const lines = new LineCounter()
  const document = parseDocument(split.yaml, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: line + split.firstLine - 1, column: col + split.indent }
  }
  const [mistake] = document.errors
  if (mistake)
    return {
      code: 'invalid-yaml',
      severity: 'error',
      ...place(mistake.pos[0]),
      message: `The frontmatter is not valid YAML: ${mistake.message}`,
    }
  if (isMap(document.contents)) return new FrontmatterFields(document.contents, place)
  return {
    code: 'no-fields',
    severity: 'notice',
    line: split.firstLine,
    column: 1,
    message: 'The frontmatter has no fields, so this is not an agent.',
  }
}

function definitionOf(
  fields: FrontmatterFields,
  split: SplitFrontmatter,
  { stem, source }: { readonly stem: string; readonly source: string },
): ReadDefinition {
  const given = fields.text('name')
  const described = fields.text('description') ?? fields.text('when-to-use')
  if (given === null && described === null)
    return refused('not-an-agent', 'notice', split.firstLine, 'Neither name nor description: not an agent.')
  const name = given ?? stem.replace(/\.agent$/, '')
  const wrongName = whatIsWrongWithName(name)
  if (wrongName !== null) fields.complain('name', 'error', wrongName, true)
  const definition: AgentDefinition = {
    name,
    description: described?.replaceAll('\\n', '\n') ?? `Agent from ${source}`,
    prompt: split.body.trim(),
    tools: toolsOf(fields),
    disallowedTools: fields.names('disallowedTools', true) ?? [],
    model: modelName(fields.text('model')),
    color: stableColor(fields.text('color') ?? fields.text('colour'), name),
    permissionMode: fields.mode(),
    maxTurns: fields.turns(),
    readOnly: fields.flag('readOnly', true),
    oneShot: fields.flag('oneShot'),
    reminder: fields.text('criticalSystemReminder') ?? fields.text('criticalSystemReminder_EXPERIMENTAL'),
    omitProjectInstructions: fields.flag('omitProjectInstructions') || fields.flag('omitClaudeMd'),
    aliases: aliasesOf(fields),
    hidden: fields.flag('hidden'),
  }
  if (described === null)
    fields.complain('description', 'warning', 'No description: the main agent does not know when to use it.')
  checkIsolation(fields)
  tellIdleFields(fields)
  return { definition: fields.unsafe ? null : definition, diagnostics: fields.diagnostics }
}

/** A colon separates a plugin from its agents, so a name with one could pose as a plugin's. */
function whatIsWrongWithName(name: string): string | null {
  if (/[:\n\r]/.test(name))
    return 'A name is one line without a colon, which separates a plugin from its agents.'
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u.test(name))
    return 'The name has characters that cannot be seen.'
  return name.length > 100 ? 'A name has at most 100 characters.' : null
}

function toolsOf(fields: FrontmatterFields): readonly string[] | null {
  const tools = fields.names('tools', true)
  if (tools?.includes('*')) return null
  if (tools?.length === 0 && !fields.unsafe)
    fields.complain(
      'tools',
      'warning',
      'tools is there but empty: the agent has none. Leave the line out for all tools.',
    )
  return tools
}

function aliasesOf(fields: FrontmatterFields): readonly string[] {
  const aliases = fields.names('aliases', false) ?? []
  const wrong = aliases.map(whatIsWrongWithName).find((reason) => reason !== null)
  if (wrong) fields.complain('aliases', 'warning', `An alias is left out: ${wrong}`)
  return aliases.filter((alias) => whatIsWrongWithName(alias) === null)
}

const MODEL_ALIASES: ReadonlySet<string> = new Set(['inherit', 'haiku', 'sonnet', 'opus', 'fable'])

function modelName(text: string | null): string {
  if (text === null) return 'inherit'
  const lower = text.toLowerCase()
  return MODEL_ALIASES.has(lower) ? lower : text
}

/** An agent that counts on a work tree of its own must not write into everybody's. */
function checkIsolation(fields: FrontmatterFields): void {
  const isolation = fields.value('isolation')
  if (isolation === undefined || isolation === null) return
  const message =
    isolation === 'worktree'
      ? 'It asks for a work tree of its own, which this version cannot give yet, so the agent is not offered.'
      : 'isolation is worktree, or left out.'
  fields.complain('isolation', 'error', message, true)
}

/** Fields that are understood and kept, and that nothing acts on yet. */
const IDLE = [
  'forkContext',
  'background',
  'memory',
  'skills',
  'effort',
  'mcpServers',
  'hooks',
  'initialPrompt',
]

function tellIdleFields(fields: FrontmatterFields): void {
  for (const key of IDLE) {
    const value = fields.value(key)
    if (value === undefined || value === null || value === false || value === 'false') continue
    fields.complain(key, key === 'hooks' ? 'warning' : 'notice', `${key} has no effect in this version yet.`)
  }
}

function refused(
  code: string,
  severity: Diagnostic['severity'],
  line: number,
  message: string,
): ReadDefinition {
  return { definition: null, diagnostics: [{ code, severity, line, column: 1, message }] }
}
