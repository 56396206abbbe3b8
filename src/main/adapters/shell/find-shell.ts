/** Which shell runs the commands: bash wherever it lies, else sh. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'

export interface FoundShell {
  readonly path: string
  readonly dialect: 'bash' | 'sh'
}

/** The shell that was asked for, or the first bash of the usual places and of the path, or sh. */
export async function findShell(
  environment: Readonly<Record<string, string>>,
  wanted: string | undefined,
): Promise<FoundShell> {
  if (wanted !== undefined)
    return { path: wanted, dialect: /^bash(?:\.exe)?$/.test(basename(wanted)) ? 'bash' : 'sh' }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of ['/bin', '/usr/bin', ...folders]) {
    const path = join(folder, process.platform === 'win32' ? 'bash.exe' : 'bash')
    if (await runs(path)) return { path, dialect: 'bash' }
  }
  return { path: '/bin/sh', dialect: 'sh' }
}

async function runs(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
