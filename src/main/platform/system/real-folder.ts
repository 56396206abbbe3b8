import { realpathSync } from 'node:fs'

/** The path with its links resolved, and with the spelling on the disk; null: there is nothing. */
// Synchronous: it runs at each tool call, and a thread switch would cost more.
export function realFolderOf(folder: string): string | null {
  try {
    return realpathSync.native(folder)
  } catch {
    return null
  }
}
