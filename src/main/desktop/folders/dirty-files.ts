/** Counts a folder's uncommitted files, for the title bar. */
import { execFile } from 'node:child_process'

/** ms. A slower repository shows no number. */
const LIMIT = 5000

/** Reading a repository must not run its code or wait for a lock. */
const careful = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'safe.bareRepository=explicit',
  '-c',
  'submodule.recurse=false',
]

/**
 * Counts changed, added and untracked files. Null outside a repository, without git, or after a timeout.
 * Git may run the repository's filters for this: call it for trusted folders only.
 *
 * @param environment git's environment; holds no key
 */
export function countDirtyFiles(folder: string, environment: NodeJS.ProcessEnv): Promise<number | null> {
  const args = [...careful, 'status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=all']
  return new Promise((resolve) => {
    execFile(
      'git',
      args,
      {
        cwd: folder,
        env: { ...environment, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
        timeout: LIMIT,
        maxBuffer: 64 * 1024 * 1024,
        windowsHide: true,
      },
      (error, output) => resolve(error === null ? countRecords(output) : null),
    )
  })
}

/** Records end with a NUL, because names may hold any other character. */
function countRecords(output: string): number {
  let count = 0
  for (let at = output.indexOf('\0'); at !== -1; at = output.indexOf('\0', at + 1)) count++
  return count
}
