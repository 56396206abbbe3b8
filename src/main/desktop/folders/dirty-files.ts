/** How many files of a folder git would commit: for the title bar. */
import { execFile } from 'node:child_process'

/** ms; a repository that needs longer shows no number. */
const LIMIT = 5000

/** A repository must not be able to run anything, or wait for anyone, because it is looked at. */
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
 * Counts changed, added and untracked files. Null outside a repository, without git, or where it takes too
 * long. Git may run a repository's filters for this: only for folders that the user trusts.
 *
 * @param environment what git may see of the environment: no key is in it
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

/** Records end with a NUL, since names may hold anything else. */
function countRecords(output: string): number {
  let count = 0
  for (let at = output.indexOf('\0'); at !== -1; at = output.indexOf('\0', at + 1)) count++
  return count
}
