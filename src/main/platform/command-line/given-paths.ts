/** Paths on the command line, checked before anything is loaded, and the folder of the program's data. */
import { realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { whatIsWrongWithFolder } from '../../../shared/kernel/folder-path.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'

/** The first agent file that does not exist, as given; null: all exist. */
export function missingFile({ files }: { readonly files: readonly string[] }): string | null {
  return files.find((file) => statSync(resolve(file), { throwIfNoEntry: false }) === undefined) ?? null
}

/** The real path of a folder. Fails if there is no folder, or if agents can't work in it. */
export function folderAt(path: string): Result<string> {
  const missing = fail({ type: 'no-folder', message: `${resolve(path)} is not a folder.` })
  try {
    const real = realpathSync.native(resolve(path))
    if (!statSync(real).isDirectory()) return missing
    const wrong = whatIsWrongWithFolder(real)
    return wrong === null ? ok(real) : fail({ type: 'unsupported-folder', message: wrong })
  } catch {
    return missing
  }
}

/** The default folder for conversations and settings, shared with the window. */
export function dataFolderOf({
  platform,
  home,
  environment,
}: {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly environment: Readonly<NodeJS.ProcessEnv>
}): string {
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'troupe')
    case 'win32':
      return join(environment['APPDATA'] || join(home, 'AppData', 'Roaming'), 'troupe')
    default:
      return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'troupe')
  }
}
