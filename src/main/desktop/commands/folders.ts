/** Handlers for folders. */
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import type { Folders } from '../folders/folders.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface OpenFolder {
  readonly path: string
  /** Whether to open another window for it. */
  readonly newWindow: boolean
  /** The conversation to show; null: the folder's last one. */
  readonly conversationId: string | null
}

export interface FolderDeps {
  readonly folders: Folders
  readonly program: () => Promise<Program>
  /** Shows the system's dialog. @returns null if it was canceled */
  readonly pickFolder: () => Promise<string | null>
  /** Opens a folder in the command's window. @returns null if another window shows it */
  readonly openFolder: (request: OpenFolder) => Promise<Result<FolderInfo | null>>
  /** Makes a fresh copy of the sample project. @returns its folder */
  readonly copySample: () => Promise<Result<string>>
}

export function folderCommands(deps: FolderDeps): HandlersOf<'folder'> {
  const { folders, program } = deps
  return {
    'folder.pick': async ({ newWindow }) => {
      const path = await deps.pickFolder()
      return path === null ? ok(null) : deps.openFolder({ path, newWindow, conversationId: null })
    },
    'folder.open': (request) => deps.openFolder(request),
    'folder.sample': async () => {
      const copied = await deps.copySample()
      if (!copied.ok) return copied
      // The sample's content is part of the program.
      await folders.trust(copied.value, true)
      return folders.open(copied.value)
    },
    'folder.trust': ({ path, trusted }) => folders.trust(path, trusted),
    'folder.bypass': ({ path, allowed }) => folders.allowBypass(path, allowed),
    'folder.files': ({ path, query }) => folders.files(path, query),
    'folder.contents': async ({ path }) => {
      const folder = await folders.info(path)
      return folder.ok ? ok(await (await program()).folderContents(folder.value.path)) : folder
    },
    'folder.definitions': async ({ path }) => {
      const folder = await folders.info(path)
      if (!folder.ok) return folder
      const { definitions, texts } = await program()
      const loaded = await definitions.load(folder.value.path, { trusted: folder.value.trusted })
      const waiting = (await texts?.waiting(folder.value.path, { nested: false })) ?? []
      return ok({
        ...(waiting.length > 0 && { waitingTexts: waiting.length }),
        definitions: loaded.definitions.map((definition) => {
          const { name, description, source, color, model, tools, hidden, program, readOnly } = definition
          return {
            ...{ name, description, source, color: stableColor(color, name), model, tools, hidden },
            ...(program && { isProgram: true as const }),
            ...(readOnly && { readOnly }),
          }
        }),
        problems: loaded.problems.map(({ file, message, waits }) => ({
          file,
          message,
          ...(waits && { waits }),
        })),
      })
    },
  }
}
