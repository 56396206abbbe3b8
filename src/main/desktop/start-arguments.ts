/** Reads the desktop's command line: `troupe [FOLDER]`. */
import { resolve } from 'node:path'

export interface StartedWith {
  readonly argv: readonly string[]
  /** Electron was started with the program's folder: `electron . [FOLDER]`. */
  readonly isDefaultApp: boolean
  readonly cwd: string
}

/** The folder on the command line, absolute, or null. All options belong to Electron and Chromium. */
export function folderArgument({ argv, isDefaultApp, cwd }: StartedWith): string | null {
  const named: string[] = []
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    if (argument === '-r' || argument === '--require') at++
    else if (argument === '--') named.push(...argv.slice(at + 1))
    else if (!argument.startsWith('-')) named.push(argument)
    if (argument === '--') break
  }
  const folder = named[isDefaultApp ? 1 : 0]
  return folder === undefined || folder === '' ? null : resolve(cwd, folder)
}
