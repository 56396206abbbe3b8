/** `troupe agents list`: the definitions in use in a folder; with --all also the others, with reasons. */
import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import { publishedAgent } from '../../../platform/command-line/published-json.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import type { DefinitionSource } from '../../../runtime/ports.ts'
import { shownPath, UNTRUSTED } from './agents-lint.ts'
import { problemLine } from './definition-block.ts'
import type { ListOptions } from './parse-agents.ts'

export async function agentsList(
  options: Pick<ListOptions, 'all' | 'json'>,
  context: {
    readonly definitions: Pick<DefinitionSource, 'catalog'>
    readonly folder: string
    readonly trusted: boolean
    /** The base of relative paths. */
    readonly cwd: string
    readonly output: { write(text: string): void }
    readonly errors: { write(text: string): void }
  },
): Promise<number> {
  const { definitions, folder, trusted, cwd, output, errors } = context
  const { entries, problems } = await definitions.catalog(folder, { trusted })
  const shown = entries.filter(
    ({ state }) => options.all || state === 'offered' || (options.json && state === 'hidden'),
  )
  if (options.json) {
    for (const entry of shown) output.write(`${JSON.stringify(publishedAgent(entry))}\n`)
    for (const problem of problems) output.write(`${JSON.stringify({ problem })}\n`)
  } else {
    const byId = new Map(entries.map((entry) => [entry.id, entry]))
    const [nameWidth, sourceWidth] = [
      Math.max(0, ...shown.map(({ name }) => oneLine(name).length)),
      Math.max(0, ...shown.map(({ source }) => source.length)),
    ]
    for (const entry of shown) {
      const row = [oneLine(entry.name).padEnd(nameWidth), entry.source.padEnd(sourceWidth)]
      output.write(`${[...row, remarkOn(entry, byId, cwd)].join('  ')}\n`)
    }
    for (const problem of problems) errors.write(`troupe: ${oneLine(problem)}\n`)
    for (const { file, id, diagnostics } of entries)
      for (const problem of diagnostics)
        if (problem.severity !== 'notice')
          errors.write(`${problemLine(file === null ? id : shownPath(file, cwd), problem)}\n`)
    if (!trusted) errors.write(`troupe: ${UNTRUSTED}\n`)
  }
  const isFailed = entries.some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'))
  return isFailed || problems.length > 0 ? EXIT.failed : EXIT.done
}

/** The description of an agent, or the reason why it is not in use. */
function remarkOn(entry: CatalogEntry, byId: ReadonlyMap<string, CatalogEntry>, cwd: string): string {
  const description = oneLine(entry.description.split('\n')[0] ?? '', 100)
  const [problem] = entry.diagnostics.toSorted((a, b) => weight(a.severity) - weight(b.severity))
  switch (entry.state) {
    case 'offered':
      return description
    case 'hidden':
      return `(hidden) ${description}`
    case 'shadowed': {
      const winner = byId.get(entry.shadowedBy ?? '')
      const path = winner?.file ? shownPath(winner.file, cwd) : (winner?.id ?? 'another')
      return oneLine(`(shadowed by ${path})`)
    }
    case 'waits':
    case 'refused':
      return oneLine(`(not in use: ${problem?.message ?? 'not readable'})`)
    case 'no-agent':
      return oneLine(`(not an agent: ${problem?.message ?? 'it has neither a name nor a description'})`)
  }
}

const weight = (severity: 'notice' | 'warning' | 'error'): number =>
  ['error', 'warning', 'notice'].indexOf(severity)
