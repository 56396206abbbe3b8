/** Whether this git can work out merges beside every checkout. */
import { fail, ok, type Result } from '../../../../shared/result.ts'
import type { Git } from '../git-client.ts'

/** The first version with `git merge-tree --write-tree`. */
const OLDEST = { major: 2, minor: 38 }

/** Failures: `git` (too old, in words), `no-git`. */
export async function checkGitVersion(git: Git, folder: string): Promise<Result<void>> {
  const printed = await git.run(folder, ['version'])
  if (!printed.ok) return printed
  const [, major, minor] = /(\d+)\.(\d+)/.exec(printed.value) ?? []
  const isNew =
    Number(major) > OLDEST.major || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)
  // A name that tells no version is taken at its word.
  if (major === undefined || isNew) return ok(undefined)
  return fail({
    type: 'git',
    message: `This git is ${major}.${minor}; Review needs ${OLDEST.major}.${OLDEST.minor} or newer to try merges without touching your files. Install a newer git. Worktrees and branches are untouched.`,
  })
}
