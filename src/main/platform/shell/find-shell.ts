/** Finds the shell for commands: bash, or sh where bash is missing. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'

interface FoundShell {
  readonly path: string
  readonly dialect: 'bash' | 'sh'
}

/** The requested shell, or the first bash in the standard folders and on the PATH, or sh. */
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
