/** `troupe agents list`: the definitions in use in a folder; on request also those that are not, and why. */
import type { LibraryEntry } from '../../shared/agent-library.ts'
import type { DefinitionSource } from '../runtime/ports.ts'
import { shownPath, UNTRUSTED } from './agents-lint.ts'
import { oneLine, problemLine } from './definition-block.ts'
import type { ListOptions } from './parse-agents.ts'
import { EXIT } from './usage.ts'

export async function agentsList(
  options: Pick<ListOptions, 'all' | 'json'>,
  around: {
    readonly definitions: Pick<DefinitionSource, 'library'>
    readonly folder: string
    readonly trusted: boolean
    /** What paths are relative to. */
    readonly cwd: string
    readonly output: { write(text: string): void }
    readonly errors: { write(text: string): void }
  },
): Promise<number> {
  const { definitions, folder, trusted, cwd, output, errors } = around
  const { entries, problems } = await definitions.library(folder, { trusted })
  const shown = entries.filter(
    ({ state }) => options.all || state === 'offered' || (options.json && state === 'hidden'),
  )
  if (options.json) {
    for (const entry of shown) output.write(`${JSON.stringify(entry)}\n`)
    for (const problem of problems) output.write(`${JSON.stringify({ problem })}\n`)
  } else {
    const byId = new Map(entries.map((entry) => [entry.id, entry]))
    const [nameWidth, sourceWidth] = [
      Math.max(0, ...shown.map(({ name }) => oneLine(name).length)),
      Math.max(0, ...shown.map(({ source }) => source.length)),
    ]
    for (const entry of shown) {
      const row = [oneLine(entry.name).padEnd(nameWidth), entry.source.padEnd(sourceWidth)]
      output.write(`${[...row, wordsOn(entry, byId, cwd)].join('  ')}\n`)
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

/** What it is for, or why it is not in use. */
function wordsOn(entry: LibraryEntry, byId: ReadonlyMap<string, LibraryEntry>, cwd: string): string {
  const description = oneLine(entry.description.split('\n')[0] ?? '', 100)
  const [problem] = entry.diagnostics.toSorted((a, b) => weight(a.severity) - weight(b.severity))
  switch (entry.state) {
    case 'offered':
      return description
    case 'hidden':
      return `(hidden) ${description}`
    case 'overridden': {
      const winner = byId.get(entry.overriddenBy ?? '')
      const path = winner?.file ? shownPath(winner.file, cwd) : (winner?.id ?? 'another')
      return oneLine(`(overridden by ${path})`)
    }
    case 'refused':
      return oneLine(`(not offered: ${problem?.message ?? 'it could not be read'})`)
    case 'no-agent':
      return oneLine(`(no agent: ${problem?.message ?? 'it has neither a name nor a description'})`)
  }
}

const weight = (severity: 'notice' | 'warning' | 'error'): number =>
  ['error', 'warning', 'notice'].indexOf(severity)
