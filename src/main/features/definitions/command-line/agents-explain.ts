/** `troupe agents explain NAME`: the source of an agent, its effective settings, and the reasons. */

import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { similarNames } from '../../../../shared/kernel/similar-names.ts'
import { readNamedFile, stemOf } from '../../../platform/command-line/named-files.ts'
import { publishedAgent } from '../../../platform/command-line/published-json.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import type { DefinitionSource, LoadedDefinition } from '../../../runtime/ports.ts'
import { shownPath, UNTRUSTED } from './agents-lint.ts'
import { readText } from './agents-read.ts'
import { problemLine } from './definition-block.ts'
import { type ExplainFacts, explainDefinition } from './explain-definition.ts'
import { explanationLines } from './explanation-lines.ts'
import type { ExplainOptions } from './parse-agents.ts'

export interface ExplainContext {
  readonly definitions: Pick<DefinitionSource, 'load' | 'catalog'>
  readonly facts: ExplainFacts
  readonly folder: string
  readonly trusted: boolean
  /** The base of relative paths. */
  readonly cwd: string
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** @returns the exit code: `failed` if the agent does not exist or can't be used */
export async function agentsExplain(options: ExplainOptions, context: ExplainContext): Promise<number> {
  const { definitions, facts, folder, trusted, cwd, output, errors } = context
  const [{ entries }, { definitions: loaded }] = await Promise.all([
    definitions.catalog(folder, { trusted }),
    definitions.load(folder, { trusted }),
  ])
  const entry = findEntry(options.name, entries, loaded)
  if (entry === null) {
    errors.write(`troupe: ${unknownAgent(options.name, entries)}${trusted ? '' : ` ${UNTRUSTED}`}\n`)
    return EXIT.failed
  }
  const { definition, text } = definitionOf(entry, loaded)
  if (definition === null) {
    const path = entry.file === null ? entry.id : shownPath(entry.file, cwd)
    if (options.json)
      output.write(`${JSON.stringify({ ...publishedAgent(entry), problems: entry.diagnostics })}\n`)
    else for (const problem of entry.diagnostics) output.write(`${problemLine(path, problem)}\n`)
    errors.write(`troupe: ${path} is not a readable agent definition.\n`)
    return EXIT.failed
  }
  const depth = options.depth ?? (entry.name === 'main' ? 0 : 1)
  const target = { entries, facts, text, depth, background: options.background }
  const explanation = explainDefinition(definition, entry, target)
  output.write(
    options.json
      ? `${JSON.stringify(publishedAgent(explanation))}\n`
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
