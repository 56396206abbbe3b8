/**
 * Reads coordinator mode from `env` of the user's settings files. A project's settings can't choose it: a repository
 * must not change how a user's conversations work.
 */
import { join } from 'node:path'
import { coordinatorModeIn } from '../../../shared/coordinator-mode.ts'
import { readSettingsFile } from './settings-file.ts'

/**
 * The data folder's settings come before `~/.claude/settings.json`. Null: neither file says. A file that can't be read
 * says nothing; the settings store reports this program's own.
 */
export async function coordinatorSetting({
  dataFolder,
  home,
}: {
  readonly dataFolder: string
  readonly home: string
}): Promise<boolean | null> {
  for (const file of [join(dataFolder, 'settings.json'), join(home, '.claude', 'settings.json')]) {
    const read = await readSettingsFile(file)
    const env = read.kind === 'whole' ? read.raw['env'] : null
    if (typeof env !== 'object' || env === null) continue
    const mode = coordinatorModeIn(env as Readonly<Record<string, unknown>>)
    if (mode !== null) return mode
  }
  return null
}
