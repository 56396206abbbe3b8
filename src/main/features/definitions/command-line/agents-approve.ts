/** `troupe agents approve NAME`: lets a project's definition be used as it is now, after showing what changed. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { PendingDefinition } from '../../../../shared/agent-definition/agent-catalog.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import type { DefinitionFiles, DefinitionSource } from '../../../runtime/ports.ts'
import { shownPath } from './agents-lint.ts'
import type { ApproveOptions } from './parse-agents.ts'

export interface ApproveContext {
  readonly definitions: Pick<DefinitionSource, 'catalog'>
  readonly definitionFiles: Pick<DefinitionFiles, 'pending' | 'approve'>
  readonly folder: string
  readonly trusted: boolean
  /** The base of relative paths. */
  readonly cwd: string
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** @returns the exit code */
export async function agentsApprove(options: ApproveOptions, context: ApproveContext): Promise<number> {
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
        ? `${JSON.stringify({ type: 'agent-approved', ...pending.value })}\n`
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
  return `${oneLine(shownPath(id, cwd))} ${oneLine(why)}\n${shown.trimEnd().split('\n').map(makeVisible).join('\n')}\n`
}

function patchOf(before: string, now: string): string {
  return formatPatch(structuredPatch('', '', before, now, '', '', { context: 3 }), OMIT_HEADERS)
}
