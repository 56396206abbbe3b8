/** Handlers for definitions and their files. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import { isMcp, serverOf } from '../../../shared/tools/tool-entry.ts'
import type { DefinitionFiles } from '../../runtime/ports/definitions.ts'
import type { Folders } from '../folders/folders.ts'
import type { Program, SettingsPort } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface DefinitionDeps {
  readonly program: () => Promise<Program>
  readonly settings: SettingsPort
  readonly folders: Folders
}

/** try-definitions.ts handles these: they run conversations. */
type Elsewhere = 'definition.tryOut' | 'definition.draft' | 'definition.stopDraft'

export function definitionCommands({
  program,
  settings,
  folders,
}: DefinitionDeps): Omit<HandlersOf<'definition'>, Elsewhere> {
  /** Limits a command to known folders. */
  async function inFolder<T>(
    path: string,
    use: (files: DefinitionFiles, folder: string) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const folder = await folders.known(path)
    return folder.ok ? use((await program()).definitionFiles, folder.value) : folder
  }

  return {
    'definition.catalog': async ({ folder: path }) => {
      const folder = await folders.known(path)
      if (!folder.ok) return folder
      const trust = { trusted: settings.trusts(folder.value) }
      const { definitions, skills, toolNames } = await program()
      const [catalog, known] = await Promise.all([
        definitions.catalog(folder.value, trust),
        skills.list(folder.value, trust),
      ])
      return ok({ ...catalog, tools: toolNames(), skills: known, servers: serversIn(toolNames()) })
    },
    'definition.open': ({ folder, id }) => inFolder(folder, (files, here) => files.open(here, id)),
    'definition.pending': ({ folder, id }) => inFolder(folder, (files, here) => files.pending(here, id)),
    'definition.approve': ({ folder, ...definition }) =>
      inFolder(folder, (files, here) => files.approve(here, definition)),
    'definition.save': ({ folder, ...definition }) =>
      inFolder(folder, (files, here) => files.save(here, definition)),
    'definition.create': ({ folder, ...definition }) =>
      inFolder(folder, (files, here) => files.create(here, definition)),
    'definition.move': ({ folder, id, path }) =>
      inFolder(folder, (files, here) => files.move(here, id, path)),
    'definition.trash': ({ folder, id, unsaved }) =>
      inFolder(folder, (files, here) => files.trash(here, id, unsaved)),
    'definition.restore': async ({ trashId }) => (await program()).definitionFiles.restore(trashId),
    'definition.listTrash': async () => (await program()).definitionFiles.listTrash(),
    'definition.readTrashed': async ({ trashId }) => (await program()).definitionFiles.readTrashed(trashId),
    'definition.deleteTrashed': async ({ trashIds }) =>
      (await program()).definitionFiles.deleteTrashed(trashIds),
  }
}

/** The MCP servers whose tools are there. */
const serversIn = (tools: readonly string[]): readonly string[] => [
  ...new Set(tools.filter(isMcp).map(serverOf)),
]
