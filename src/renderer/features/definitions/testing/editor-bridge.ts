/** A window with agents folders in memory, for tests of the editor. */

import type { FakeBridge } from '../../../testing/fake-bridge.ts'
import { startWindow } from '../../../testing/start-window.tsx'
import { NO_EDITOR, useEditor } from '../editor-store.ts'
import { DefinitionFolder, type MadeUpFile } from './definition-folder.ts'

export const FOLDER_PATH = '/home/ada/src/checkout-service'
export const projectId = (path: string) => `${FOLDER_PATH}/.claude/agents/${path}`

export const agentText = (name: string, more = '', body = 'Do it.\n') =>
  `---\nname: ${name}\ndescription: Looks after ${name}.\n${more}---\n${body}`

export interface EditorBridge {
  readonly bridge: FakeBridge
  readonly disk: DefinitionFolder
  /** Writes a file as another program would and notifies the window; null deletes the file. */
  changeOnDisk(id: string, text: string | null): void
}

/** Starts a fresh editor with these files. */
export async function startEditor(
  files: readonly MadeUpFile[],
  { isTrusted = true }: { readonly isTrusted?: boolean } = {},
): Promise<EditorBridge> {
  const disk = new DefinitionFolder()
  disk.fill(files)
  // Writes pending drafts before the storage is cleared.
  window.dispatchEvent(new Event('pagehide'))
  const bridge = await startWindow({
    folder: {
      path: FOLDER_PATH,
      name: 'checkout-service',
      trusted: isTrusted,
      gitBranch: null,
      dirtyFiles: null,
      bypassAllowed: false,
    },
  })
  useEditor.setState(NO_EDITOR, true)
  bridge.answer({
    'definition.catalog': () => disk.catalog(isTrusted),
    'definition.open': ({ id }) => disk.open(id),
    'definition.pending': ({ id }) => disk.pending(id),
    'definition.approve': ({ id, version }) => disk.approve(id, version),
    'definition.save': ({ id, text, version }) => disk.save(id, text, version),
    'definition.create': ({ source, path, text }) => disk.create(source, path, text),
    'definition.move': ({ id, path }) => disk.move(id, path),
    'definition.trash': ({ id, unsaved }) => disk.trash(id, unsaved),
    'definition.restore': ({ trashId }) => disk.restore(trashId),
    'definition.listTrash': () => disk.listTrash(),
    'definition.readTrashed': ({ trashId }) => disk.readTrashed(trashId),
    'definition.deleteTrashed': ({ trashIds }) => disk.deleteTrashed(trashIds),
    'access.models': () => [],
  })
  return {
    bridge,
    disk,
    changeOnDisk: (id, text) => {
      disk.changeOnDisk(id, text)
      bridge.push({ type: 'definitions', folder: FOLDER_PATH })
    },
  }
}
