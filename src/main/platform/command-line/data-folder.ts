/** The default folder for conversations and settings, shared with the window. */
import { join } from 'node:path'

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
