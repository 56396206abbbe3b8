/** The `Worktrees` port on git. */

import type { Git } from '../../platform/git/git-client.ts'
import { retryLocks } from '../../platform/git/lock-retries.ts'
import { identityOf, type ProcessIdentity } from '../../platform/system/process-identity.ts'
import type { Worktrees } from '../../runtime/ports/worktrees.ts'
import { checkoutState } from './checkout-state.ts'
import { makeWorktree, type WorktreeDeps } from './new-worktree.ts'
import { releaseWorktree } from './release-worktree.ts'
import { restoreWorktree } from './restore-worktree.ts'
import { saveWork } from './saved-work.ts'
import { worktreeEnvironment } from './worktree-environment.ts'
import { createWorktreeRecords, ioFailure } from './worktree-records.ts'

export interface WorktreesOptions {
  readonly git: Git
  /** Absolute. Worktrees are in its folder `worktrees`. */
  readonly dataFolder: string
  readonly now: () => number
  readonly onProblem: (message: string) => void
  /** `$XDG_CONFIG_HOME`, if set: the user's list of ignored files may be there. */
  readonly configHome?: string
}

export function createWorktrees({
  git,
  dataFolder,
  now,
  onProblem,
  configHome,
}: WorktreesOptions): Worktrees {
  let self: Promise<ProcessIdentity> | null = null
  const deps: WorktreeDeps = {
    git: retryLocks(git),
    rawGit: git,
    records: createWorktreeRecords({ dataFolder, onProblem }),
    now,
    onProblem,
    configHome,
    self: () => {
      self ??= identityOf(process.pid)
      return self
    },
  }
  return {
    create: (options, signal) => makeWorktree(deps, options, signal),
    stateOf: (folder, signal) => checkoutState(deps, folder, signal),
    restore: (location, signal) => restoreWorktree(deps, location, signal),
    save: (location, how) => saveWork(deps, location, how),
    async release(location) {
      try {
        return await releaseWorktree(deps, location)
      } catch (error) {
        onProblem(ioFailure(error, 'An unused worktree was not removed', location.path).message)
        return false
      }
    },
    environment: worktreeEnvironment,
  }
}
