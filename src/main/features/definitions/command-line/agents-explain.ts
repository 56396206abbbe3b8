/** `troupe agents explain NAME`: the source of an agent, its effective settings, and the reasons. */

import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { isForeseen } from '../../../../shared/agent-definition/missing-names.ts'
import { similarNames } from '../../../../shared/kernel/similar-names.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../../platform/command-line/terminal.ts'
import type { DefinitionSource, LoadedDefinition } from '../../../runtime/ports/definitions.ts'
import { AGENTS_UNTRUSTED, pathFrom } from './agents-lint.ts'
import { problemLine, publishedAgent, readText } from './agents-read.ts'
import type { Explanation } from './explain-definition.ts'
import { type ExplainFacts, explainDefinition } from './explain-definition.ts'
import { readNamedFile, stemOf } from './named-files.ts'

interface ExplainContext extends Printing {
  readonly definitions: Pick<DefinitionSource, 'load' | 'catalog'>
  readonly facts: ExplainFacts
  readonly folder: string
  readonly trusted: boolean
  /** The base of relative paths. */
  readonly cwd: string
}

/** @returns the exit code: `failed` if the agent does not exist or can't be used */
export async function agentsExplain(
  options: {
    readonly name: string
    readonly background: boolean
    /** 0: as a main agent; null: the agent’s normal role. */
    readonly depth: number | null
    readonly json: boolean
  },
  context: ExplainContext,
): Promise<number> {
  const { definitions, facts, folder, trusted, cwd, output, errors } = context
  const [{ entries }, { definitions: loaded }] = await Promise.all([
    definitions.catalog(folder, { trusted }),
    definitions.load(folder, { trusted }),
  ])
  const entry = findEntry(options.name, entries, loaded)
  if (entry === null) {
    errors.write(`troupe: ${unknownAgent(options.name, entries)}${trusted ? '' : ` ${AGENTS_UNTRUSTED}`}\n`)
    return EXIT.failed
  }
  const { definition, text } = definitionOf(entry, loaded)
  if (definition === null) {
    const path = entry.file === null ? entry.id : pathFrom(entry.file, cwd)
    if (options.json) output.write(jsonLine({ ...publishedAgent(entry), problems: entry.diagnostics }))
    else for (const problem of entry.diagnostics) output.write(`${problemLine(path, problem)}\n`)
    errors.write(`troupe: ${path} is not a readable agent definition.\n`)
    return EXIT.failed
  }
  const depth = options.depth ?? (entry.name === 'main' ? 0 : 1)
  const target = { entries, facts, text, depth, background: options.background }
  const explanation = explainDefinition(definition, entry, target)
  output.write(
    options.json
      ? jsonLine(publishedAgent(explanation))
      : explanationLines(explanation, cwd)
          .map((line) => `${line}\n`)
          .join(''),
  )
  return entry.state === 'refused' || entry.state === 'waits' ? EXIT.failed : EXIT.done
}

/** Searches by name, then by alias, ignoring case. Agents in use come first. */
function findEntry(
  name: string,
  entries: readonly CatalogEntry[],
  loaded: readonly LoadedDefinition[],
): CatalogEntry | null {
  const wanted = name.trim().toLowerCase()
  const named = entries.filter((entry) => entry.name.toLowerCase() === wanted)
  const alias = loaded.find(({ aliases }) => aliases.some((one) => one.toLowerCase() === wanted))
  return (
    named.find(isInUse) ??
    entries.find((entry) => isInUse(entry) && entry.name === alias?.name) ??
    named[0] ??
    null
  )
}

const isInUse = ({ state }: CatalogEntry): boolean => state === 'offered' || state === 'hidden'

function unknownAgent(name: string, entries: readonly CatalogEntry[]): string {
  const names = entries.filter(({ state }) => state !== 'no-agent').map((entry) => entry.name)
  const near = similarNames(name, [...new Set(names)])
  const advice =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See all agents with: troupe agents list --all'
  return oneLine(`Agent "${name}" not found. ${advice}`)
}

/** The loaded definition of an agent in use; otherwise the definition in its file. */
function definitionOf(
  entry: CatalogEntry,
  loaded: readonly LoadedDefinition[],
): { readonly definition: AgentDefinition | null; readonly text: string | null } {
  const { file } = entry
  const text = file === null ? null : readNamedFile({ path: file, file, within: null, failure: null })
  const known = loaded.find((one) => one.name === entry.name && one.source === entry.source)
  const read =
    file === null || text === null ? null : readText(text, { path: file, stem: stemOf(file) }).definition
  return { definition: (isInUse(entry) ? known : null) ?? read, text: text?.ok ? text.value : null }
}

/** @param cwd the base of relative paths */
function explanationLines(explanation: Explanation, cwd: string): readonly string[] {
  const { name, description, depth, background, announcement, withoutEffect, inClaudeCode, problems } =
    explanation
  const role = `${depth === 0 ? 'As a main agent' : `As a subagent at depth ${depth}`}${background ? ', in the background' : ''}`
  const path = explanation.file === null ? name : pathFrom(explanation.file, cwd)
  return [
    oneLine(name),
    ...paragraph(description),
    '',
    ...table(facts(explanation, cwd)),
    '',
    explanation.program === null
      ? `${role}, it has: ${explanation.tools.allowed.join(', ') || 'no tools'}`
      : 'It has the tools of its program, and asks Troupe where the program asks.',
    ...section(
      'It does not have:',
      table(
        (explanation.program === null ? explanation.tools.blocked : []).map(({ tool, because }) => [
          tool,
          because,
        ]),
      ),
    ),
    ...section(
      'Not found:',
      table(explanation.tools.unknown.map(({ entry, nearest }) => [entry, whyUnknown(entry, nearest)])),
    ),
    ...section('Shown to the main agent:', announcement === null ? ['  nothing'] : paragraph(announcement)),
    ...section(
      'Without effect in this version:',
      table(withoutEffect.map(({ field, instead }) => [field, instead])),
    ),
    ...section(
      'In Claude Code:',
      inClaudeCode.map((sentence) => `  ${sentence}`),
    ),
    ...section(
      '',
      problems.map((problem) => problemLine(path, problem)),
    ),
  ]
}

function whyUnknown(entry: string, nearest: string | null): string {
  if (isForeseen(entry)) return 'not available in this version'
  return nearest === null ? 'unknown tool' : `did you mean ${nearest}?`
}

type Row = readonly [string, string]

function facts(explanation: Explanation, cwd: string): readonly Row[] {
  const {
    source,
    plugin,
    file,
    state,
    shadowedBy,
    overrides,
    aliases,
    tools,
    model,
    skills,
    permissionMode,
  } = explanation
  const origin = (one: { readonly source: string; readonly file: string | null }) =>
    `${one.source}${one.file === null ? '' : ` ${pathFrom(one.file, cwd)}`}`
  const yes = (is: boolean, text: string) => (is ? [text] : [])
  const limits = [
    ...yes(explanation.readOnly, 'read only (enforced)'),
    ...yes(explanation.oneShot, 'one-shot: the agent can’t be resumed'),
    ...yes(explanation.hidden, 'hidden from the main agent'),
    ...tools.rules.denied.map((rule) => `never ${rule}`),
    ...yes(tools.rules.only.length > 0, `only ${tools.rules.only.join(', ')}`),
    ...yes(tools.agentTypes !== null, `starts only ${tools.agentTypes?.join(', ')}`),
    ...yes(tools.deniedAgentTypes.length > 0, `never starts ${tools.deniedAgentTypes.join(', ')}`),
  ]
  return [
    ['from', `${origin({ source: plugin === null ? source : `plugin ${plugin},`, file })}`],
    ['in use', inUse[state]],
    ...(shadowedBy === null ? [] : [['shadowed by', origin(shadowedBy)] as const]),
    ...overrides.map((one) => ['shadows', origin(one)] as const),
    ...(aliases.length === 0 ? [] : [['aliases', aliases.join(', ')] as const]),
    ...(explanation.program === null ? [] : [['program', explanation.program] as const]),
    [
      'model',
      explanation.program !== null
        ? 'the program’s own'
        : model.inherited
          ? `as its parent, or ${model.id}`
          : model.written === model.id
            ? model.id
            : `${model.written}: ${model.id}`,
    ],
    ['works in', workingFolder(explanation)],
    ['permissions', permissionMode.meaning],
    ...(permissionMode.withoutEffect === null ? [] : [['', permissionMode.withoutEffect] as const]),
    ['turns', explanation.maxTurns === null ? 'default' : `at most ${explanation.maxTurns}`],
    ...limits.map((limit, index) => [index === 0 ? 'limits' : '', limit] as const),
    ...skills.map(({ name, found }) => ['skill', `${name}${found === false ? ' (not found)' : ''}`] as const),
  ]
}

function workingFolder({ isolation, depth }: Explanation): string {
  if (isolation === 'worktree') return 'its own git worktree; without one the agent does not start'
  return depth === 0 ? 'the folder' : 'its parent’s folder, unless the call asks for a worktree'
}

const inUse: Readonly<Record<Explanation['state'], string>> = {
  offered: 'yes',
  hidden: 'yes, but hidden from the main agent',
  shadowed: 'no, shadowed',
  refused: 'no, until its errors are fixed',
  waits: 'no, until you approve it',
  'no-agent': 'no, not an agent',
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  return ['', ...(title === '' ? [] : [title]), ...lines]
}

function table(rows: readonly Row[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([key]) => oneLine(key).length))
  return rows.map(([key, value]) => `  ${oneLine(key).padEnd(width)}  ${oneLine(value, 500)}`)
}

const paragraph = (text: string): readonly string[] =>
  text.split('\n').map((line) => `  ${oneLine(line)}`.trimEnd())
