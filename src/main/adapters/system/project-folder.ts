/** The folder with this user's data about one project: `projects/<hash of the project's real path>`. */
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'

/** A repository can neither bring nor read these files. `real` is the project's folder with its links resolved. */
export function projectFolder(
  dataFolder: string,
  folder: string,
): { readonly real: string; readonly path: string } {
  const real = realOf(folder)
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
  return { real, path: join(dataFolder, 'projects', hash) }
}

// Synchronous: it runs at each tool call, and a thread switch would cost more.
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}
