/** `git version`. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

/** The first version with `git merge-tree --write-tree`. */
const OLDEST = { major: 2, minor: 38 }

export async function checkGitVersion(git: Git, folder: string): Promise<GitResult<void>> {
  const printed = await git.run(folder, ['version'])
  if (!printed.ok) return printed
  const [, major, minor] = /(\d+)\.(\d+)/.exec(printed.value) ?? []
  const isNew =
    Number(major) > OLDEST.major || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)
  // A build without a version number is assumed to be new enough.
  if (major === undefined || isNew) return ok(undefined)
  return fail({
    type: 'git',
    reason: 'other',
    message: `This is git ${major}.${minor}; Review needs git ${OLDEST.major}.${OLDEST.minor} or newer to try merges without touching your files. Install a newer git. Worktrees and branches are unchanged.`,
  })
}
