/** The user's own shell, for commands that the user wrote. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { findShell } from './find-shell.ts'

export interface UserShell {
  readonly path: string
  readonly arguments: (command: string) => readonly string[]
  /** Whether the arguments are already quoted for the system. */
  readonly verbatim: boolean
}

/** The shells of accounts without login. */
const NO_SHELL = /^(?:nologin|false|true|sync)$/

/** `$SHELL` where it is executable, else the first bash, or sh. On Windows the command processor. */
export async function userShell(
  environment: Readonly<Record<string, string>>,
  platform: string,
): Promise<UserShell> {
  if (platform === 'win32') {
    const named = Object.entries(environment).find(([name]) => /^comspec$/i.test(name))?.[1]
    const path = named ?? 'cmd.exe'
    return { path, arguments: (command) => ['/d', '/s', '/c', `"${command}"`], verbatim: true }
  }
  const wanted = environment['SHELL']
  const path =
    wanted !== undefined && (await isShell(wanted)) ? wanted : (await findShell(environment, undefined)).path
  return { path, arguments: (command) => ['-c', command], verbatim: false }
}

async function isShell(path: string): Promise<boolean> {
  if (!isAbsolute(path) || NO_SHELL.test(basename(path))) return false
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
