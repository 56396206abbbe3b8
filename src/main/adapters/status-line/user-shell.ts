/** The shell that runs what a user wrote for a shell: their own one, as their terminal would. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { findShell } from '../shell/find-shell.ts'

export interface UserShell {
  readonly path: string
  readonly arguments: (command: string) => readonly string[]
  /** Whether the arguments are already written as the system wants them. */
  readonly verbatim: boolean
}

/** What an account has for a shell that nobody logs in to. */
const NO_SHELL = /^(?:nologin|false|true|sync)$/

/** `$SHELL` where it can run, else the first bash there is, or sh; on Windows the command processor. */
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
