/** The folder with this user's data about one project: `projects/<hash of the project's real path>`. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { realFolderOf } from './real-folder.ts'

/** A repository can neither bring nor read these files. `real` is the project's folder with its links resolved. */
export function projectFolder(
  dataFolder: string,
  folder: string,
): { readonly real: string; readonly path: string } {
  const real = realFolderOf(folder) ?? folder
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
  return { real, path: join(dataFolder, 'projects', hash) }
}
