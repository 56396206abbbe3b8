/** Watches the definitions of the folder that is open: another folder, or another word about its trust, and it watches that. */
import type { FolderInfo } from '../../../shared/ipc-contract.ts'
import type { Program } from '../services.ts'

export interface DefinitionWatch {
  /** The folder that is open now. */
  follow(folder: Pick<FolderInfo, 'path' | 'trusted'>): void
  stop(): void
}

export function createDefinitionWatch(
  program: () => Promise<Pick<Program, 'definitions'>>,
  changed: (folder: string) => void,
): DefinitionWatch {
  let followed: Pick<FolderInfo, 'path' | 'trusted'> | null = null
  let end = () => {}
  const watch = (folder: Pick<FolderInfo, 'path' | 'trusted'>) => {
    end()
    end = () => {}
    followed = folder
    program()
      .then(({ definitions }) => {
        // Another folder came while the program was put together.
        if (followed !== folder) return
        end = definitions.watch(folder.path, { trusted: folder.trusted }, () => changed(folder.path))
      })
      .catch(() => {})
  }
  return {
    follow: ({ path, trusted }) => {
      if (followed?.path === path && followed.trusted === trusted) return
      watch({ path, trusted })
    },
    stop: () => {
      followed = null
      end()
    },
  }
}
