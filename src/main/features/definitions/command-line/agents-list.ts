/** `troupe agents list` and `troupe agents approve NAME`: the definitions of a folder, and those that wait for the user. */

import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { CatalogEntry, PendingDefinition } from '../../../../shared/agent-definition/agent-catalog.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../../platform/command-line/terminal.ts'
import type { DefinitionFiles, DefinitionSource } from '../../../runtime/ports/definitions.ts'
import { AGENTS_UNTRUSTED, pathFrom } from './agents-lint.ts'
import { problemLine, publishedAgent } from './agents-read.ts'

interface ListContext extends Printing {
  readonly definitions: Pick<DefinitionSource, 'catalog'>
  readonly folder: string
  readonly trusted: boolean
  /** The base of relative paths. */
  readonly cwd: string
}

interface ApproveContext extends ListContext {
  readonly definitionFiles: Pick<DefinitionFiles, 'pending' | 'approve'>
}

/** Lists the definitions in use in a folder; with --all also the others, with reasons. @returns the exit code */
export async function agentsList(
  options: {
    /** Includes shadowed and broken definitions. */
    readonly all: boolean
    readonly json: boolean
  },
  context: ListContext,
): Promise<number> {
  const { definitions, folder, trusted, cwd, output, errors } = context
  const { entries, problems } = await definitions.catalog(folder, { trusted })
  const shown = entries.filter(
    ({ state }) => options.all || state === 'offered' || (options.json && state === 'hidden'),
  )
  if (options.json) {
    for (const entry of shown) output.write(jsonLine(publishedAgent(entry)))
    for (const problem of problems) output.write(jsonLine({ problem }))
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
          errors.write(`${problemLine(file === null ? id : pathFrom(file, cwd), problem)}\n`)
    if (!trusted) errors.write(`troupe: ${AGENTS_UNTRUSTED}\n`)
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
      const path = winner?.file ? pathFrom(winner.file, cwd) : (winner?.id ?? 'another')
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

/** Lets a project's definition be used as it is now, after showing what changed. @returns the exit code */
export async function agentsApprove(
  options: { readonly name: string; readonly json: boolean },
  context: ApproveContext,
): Promise<number> {
  const { definitions, definitionFiles, folder, trusted, cwd, output, errors } = context
  const complain = (message: string): number => {
    errors.write(`troupe: ${oneLine(message)}\n`)
    return EXIT.failed
  }
  if (!trusted)
    return complain(
      'This folder is not trusted, so none of its agents is in use. Trust it with: troupe trust add. That approves the agents that it has then.',
    )
  const { entries } = await definitions.catalog(folder, { trusted })
  const waiting = entries.filter(({ state }) => state === 'waits')
  const wanted = options.name.trim().toLowerCase()
  const found = waiting.filter(({ name }) => name.toLowerCase() === wanted)
  if (found.length === 0) {
    const names = waiting.map(({ name }) => name).join(', ')
    return complain(
      `No agent named "${options.name}" waits for your approval. ${names === '' ? 'None does.' : `These do: ${names}.`}`,
    )
  }
  for (const { id } of found) {
    const pending = await definitionFiles.pending({ folder, id })
    if (!pending.ok) return complain(pending.failure.message)
    if (!options.json) output.write(announcement(pending.value, cwd))
    const approved = await definitionFiles.approve({ folder, ...pending.value })
    if (!approved.ok) return complain(approved.failure.message)
    output.write(
      options.json
        ? jsonLine({ type: 'agent-approved', ...pending.value })
        : `${oneLine(options.name)} is approved as shown. If it gets more rights, it waits again.\n`,
    )
  }
  return EXIT.done
}

function announcement({ id, text, former, gained }: PendingDefinition, cwd: string): string {
  const why =
    former === null
      ? gained.length > 0
        ? `is new (${gained.join('; ')}):`
        : 'is new:'
      : gained.length > 0
        ? `has more rights (${gained.join('; ')}):`
        : 'changed:'
  const shown = former === null ? text : patchOf(former, text)
  return `${oneLine(pathFrom(id, cwd))} ${oneLine(why)}\n${shown.trimEnd().split('\n').map(makeVisible).join('\n')}\n`
}

function patchOf(before: string, now: string): string {
  return formatPatch(structuredPatch('', '', before, now, '', '', { context: 3 }), OMIT_HEADERS)
}
