/** What the window asks about definitions and their files. */
import { ok } from '../../../shared/result.ts'
import type { Program, SettingsPort } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface DefinitionDeps {
  readonly program: () => Promise<Program>
  readonly settings: SettingsPort
}

/** Trying out and writing drafts are conversations: they are not here. */
type Elsewhere = 'definition.tryOut' | 'definition.draft' | 'definition.stopDraft'

export function definitionCommands({
  program,
  settings,
}: DefinitionDeps): Omit<HandlersOf<'definition'>, Elsewhere> {
  const files = async () => (await program()).definitionFiles
  return {
    'definition.library': async ({ folder }) => {
      const trust = { trusted: settings.current.trustedFolders.includes(folder) }
      const { definitions, skills, toolNames } = await program()
      const [library, known] = await Promise.all([
        definitions.library(folder, trust),
        skills.list(folder, trust),
      ])
      return ok({ ...library, tools: toolNames, skills: known, servers: [] })
    },
    'definition.open': async ({ folder, id }) => (await files()).open(folder, id),
    'definition.save': async ({ folder, ...definition }) => (await files()).save(folder, definition),
    'definition.create': async ({ folder, ...definition }) => (await files()).create(folder, definition),
    'definition.move': async ({ folder, id, path }) => (await files()).move(folder, id, path),
    'definition.trash': async ({ folder, id }) => (await files()).trash(folder, id),
    'definition.restore': async ({ trashId }) => (await files()).restore(trashId),
  }
}
