/** Handlers for definitions not in use yet: trying one out, and letting an agent write one. */
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import type { ReadDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { type Failure, fail, ok } from '../../../shared/kernel/result.ts'
import type { Program, SettingsPort } from '../services.ts'
import type { WindowHandlers } from './dispatch.ts'
import { WRITER, writeDraft } from './draft-writer.ts'

export function tryDefinitionCommands({
  program,
  settings,
}: {
  readonly program: () => Promise<Program>
  readonly settings: Pick<SettingsPort, 'trusts'>
}): Pick<WindowHandlers, `definition.${'tryOut' | 'draft' | 'stopDraft'}`> {
  const trusted = (folder: string) => settings.trusts(folder)
  let writing: { readonly controller: AbortController; readonly ended: Promise<unknown> } | null = null

  return {
    'definition.tryOut': async ({ folder, id, text, worktree }) => {
      const { runtime, definitions } = await program()
      const entry =
        id === null ? null : await findEntry(definitions, { id, folder, trusted: trusted(folder) })
      const read = readDefinition(text, { stem: stemOf(entry), source: entry?.source ?? 'the editor' })
      if (read.definition === null || !read.offered) return fail(unreadable(read))
      return runtime.tryOut({
        folder,
        definition: {
          ...read.definition,
          // The name of a plugin's agent includes the plugin's name.
          name: entry?.plugin ? entry.name : read.definition.name,
          source: entry?.source ?? 'project',
          file: entry?.file ?? null,
          // The user's choice, whatever the definition says.
          isolation: worktree ? 'worktree' : null,
        },
      })
    },

    'definition.draft': async ({ folder, description }) => {
      while (writing) {
        if (!writing.controller.signal.aborted) return fail(busy)
        // A stopped draft is about to end.
        await writing.ended.catch(() => undefined)
      }
      const controller = new AbortController()
      const draft = (async () => {
        const { runtime, definitions } = await program()
        const loaded = await definitions.load(folder, { trusted: trusted(folder) })
        const writer = loaded.definitions.find(({ name }) => name === WRITER)
        if (writer === undefined) return fail(noWriter)
        return writeDraft({ description, writer, folder }, runtime, controller.signal)
      })()
      const mine = { controller, ended: draft }
      writing = mine
      try {
        return await draft
      } finally {
        if (writing === mine) writing = null
      }
    },

    'definition.stopDraft': async () => {
      writing?.controller.abort()
      await writing?.ended.catch(() => undefined)
      return ok(undefined)
    },
  }
}

async function findEntry(
  definitions: Program['definitions'],
  { id, folder, trusted }: { readonly id: string; readonly folder: string; readonly trusted: boolean },
): Promise<CatalogEntry | null> {
  const { entries } = await definitions.catalog(folder, { trusted })
  return entries.find((entry) => entry.id === id) ?? null
}

function stemOf(entry: CatalogEntry | null): string {
  return entry?.path.split('/').at(-1)?.replace(/\.md$/, '') ?? 'agent'
}

function unreadable({ diagnostics }: ReadDefinition): Failure {
  const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
  const why = first === undefined ? '' : ` Line ${first.line}: ${first.message}`
  return { type: 'unreadable', message: `This definition can’t be tried out yet.${why}` }
}

const busy: Failure = {
  type: 'busy',
  message: 'A definition is being written already. Wait for it, or stop it.',
}
const noWriter: Failure = {
  type: 'no-writer',
  message: `The agent that writes definitions (${WRITER}) is not found or not readable, so nothing was written. Reinstall Troupe, or see the problems in the Agents view.`,
}
