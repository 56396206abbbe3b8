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
    ...disk.handlers(() => isTrusted),
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
