/** The folder that the window starts with. It opens while the page loads, so that the first frame can show it. */

import type { Result } from '../../../shared/kernel/result.ts'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import type { Folders } from './folders.ts'

interface StartFolderOptions {
  readonly folders: Pick<Folders, 'current' | 'open'>
  /** The folder to open when none is open yet; null: none. */
  readonly preferred: () => string | null
  /** Called when the page takes a folder that was opened ahead. */
  readonly onTaken: () => void
}

interface StartFolder {
  /** True from `openAhead` until the page takes the folder. */
  readonly isAhead: boolean
  openAhead(): void
  /** The open folder, for a page that has just loaded; null: no folder. */
  take(): Promise<Result<FolderInfo> | null>
}

export function createStartFolder({ folders, preferred, onTaken }: StartFolderOptions): StartFolder {
  let ahead: Promise<Result<FolderInfo> | null> | null = null

  const open = async (): Promise<Result<FolderInfo> | null> => {
    const path = folders.current ?? preferred()
    return path === null ? null : folders.open(path)
  }

  return {
    get isAhead() {
      return ahead !== null
    },
    openAhead() {
      ahead = open()
      ahead.catch(() => {})
    },
    async take() {
      const begun = ahead
      ahead = null
      const opened = await begun
      const isStale = opened?.ok === true && opened.value.path !== folders.current
      // A reloaded page, or another folder was opened before the page was ready.
      if (begun === null || isStale) return open()
      if (opened?.ok) onTaken()
      return opened
    },
  }
}
