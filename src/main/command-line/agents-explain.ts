/** `troupe agents explain NAME`: where an agent comes from, what it really is, and why. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'
import type { LibraryEntry } from '../../shared/agent-library.ts'
import type { DefinitionSource, LoadedDefinition } from '../runtime/ports.ts'
import { similarNames } from '../runtime/tools/similar-names.ts'
import { shownPath, UNTRUSTED } from './agents-lint.ts'
import { readText } from './agents-read.ts'
import { oneLine, problemLine } from './definition-block.ts'
import { type ExplainFacts, explainDefinition } from './explain-definition.ts'
import { explanationLines } from './explanation-lines.ts'
import { readNamedFile, stemOf } from './named-files.ts'
import type { ExplainOptions } from './parse-agents.ts'
import { EXIT } from './usage.ts'

export interface ExplainSurroundings {
  readonly definitions: Pick<DefinitionSource, 'load' | 'library'>
  readonly facts: ExplainFacts
  readonly folder: string
  readonly trusted: boolean
  /** What paths are relative to. */
  readonly cwd: string
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** The exit code: `failed` where there is no such agent, or it can't be used as it is. */
export async function agentsExplain(options: ExplainOptions, around: ExplainSurroundings): Promise<number> {
  const { definitions, facts, folder, trusted, cwd, output, errors } = around
  const [{ entries }, { definitions: loaded }] = await Promise.all([
    definitions.library(folder, { trusted }),
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
    if (options.json) output.write(`${JSON.stringify({ ...entry, problems: entry.diagnostics })}\n`)
    else for (const problem of entry.diagnostics) output.write(`${problemLine(path, problem)}\n`)
    errors.write(`troupe: ${path} can’t be read as an agent.\n`)
    return EXIT.failed
  }
  const depth = options.depth ?? (entry.name === 'main' ? 0 : 1)
  const place = { entries, facts, text, depth, background: options.background }
  const explanation = explainDefinition(definition, entry, place)
  output.write(
    options.json
      ? `${JSON.stringify(explanation)}\n`
      : explanationLines(explanation, cwd)
          .map((line) => `${line}\n`)
          .join(''),
  )
  return entry.state === 'refused' ? EXIT.failed : EXIT.done
}

/** By name, then by an alias, case ignored; one that is in use first. */
function findEntry(
  name: string,
  entries: readonly LibraryEntry[],
  loaded: readonly LoadedDefinition[],
): LibraryEntry | null {
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

const isInUse = ({ state }: LibraryEntry): boolean => state === 'offered' || state === 'hidden'

function unknownAgent(name: string, entries: readonly LibraryEntry[]): string {
  const names = entries.filter(({ state }) => state !== 'no-agent').map((entry) => entry.name)
  const near = similarNames(name, [...new Set(names)])
  const advice =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Those there are: troupe agents list --all'
  return oneLine(`There is no agent "${name}". ${advice}`)
}

/** One that is in use is the one that was loaded; any other is read from its file. */
function definitionOf(
  entry: LibraryEntry,
  loaded: readonly LoadedDefinition[],
): { readonly definition: AgentDefinition | null; readonly text: string | null } {
  const { file } = entry
  const text = file === null ? null : readNamedFile({ path: file, file, within: null, failure: null })
  const known = loaded.find((one) => one.name === entry.name && one.source === entry.source)
  const read =
    file === null || text === null ? null : readText(text, { path: file, stem: stemOf(file) }).definition
  return { definition: (isInUse(entry) ? known : null) ?? read, text: text?.ok ? text.value : null }
}
