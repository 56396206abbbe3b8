/** The `Worktrees` port on git. */

import { devNull } from 'node:os'
import { dirname } from 'node:path'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { retryLocks } from '../../platform/git/lock-retries.ts'
import { identityOf, type ProcessIdentity } from '../../platform/system/process-identity.ts'
import type { Worktrees } from '../../runtime/ports/worktrees.ts'
import { checkoutTreesOf } from './checkout-state.ts'
import { makeWorktree, type WorktreeDeps } from './new-worktree.ts'
import { releaseWorktree } from './release-worktree.ts'
import { restoreWorktree } from './restore-worktree.ts'
import { saveWorktree } from './saved-work.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import { createWorktreeRecords, ioFailure } from './worktree-records.ts'
import { NO_SETTINGS, type WorktreeStartSettings } from './worktree-settings.ts'

export interface WorktreesOptions {
  readonly git: Git
  /** Absolute. Worktrees are in its folder `worktrees`. */
  readonly dataFolder: string
  readonly now: () => number
  readonly onProblem: (message: string) => void
  /** `$XDG_CONFIG_HOME`, if set: the user's list of ignored files may be there. */
  readonly configHome?: string
  /** Called before an unchanged worktree is removed. @param path its folder */
  readonly onLeaving?: (path: string) => Promise<void>
  /** What settings files say of worktrees that are made from a folder. */
  readonly settingsOf?: (folder: string) => Promise<WorktreeStartSettings>
}

export function createWorktrees({
  git,
  dataFolder,
  now,
  onProblem,
  configHome,
  onLeaving = async () => {},
  settingsOf = async () => NO_SETTINGS,
}: WorktreesOptions): Worktrees {
  let self: Promise<ProcessIdentity> | null = null
  const deps: WorktreeDeps = {
    git: retryLocks(git),
    rawGit: git,
    records: createWorktreeRecords({ dataFolder, onProblem }),
    now,
    onProblem,
    ...{ configHome, onLeaving, settingsOf },
    self: () => {
      self ??= identityOf(process.pid)
      return self
    },
  }
  return {
    create: (options, signal) => makeWorktree(deps, options, signal),
    stateOf: (folder, signal) => checkoutTreesOf(deps, folder, signal),
    restore: (location, signal) => restoreWorktree(deps, location, signal),
    save: (location, how) => saveWorktree(deps, location, how),
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

/**
 * The environment of commands in a worktree: git stays in the worktree, ignores files that were copied in, and runs no
 * hooks, because an agent commits there without permission.
 */
export function worktreeEnvironment({ path }: WorktreeLocation): Readonly<Record<string, string>> {
  // Where the worktree's .git is missing, git must not find a repository that contains the data folder.
  const ceiling = { GIT_CEILING_DIRECTORIES: dirname(path) }
  const withoutHooks = { GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: devNull }
  const excludes = excludesFileOf(path)
  if (excludes === null) return { ...ceiling, GIT_CONFIG_COUNT: '1', ...withoutHooks }
  return {
    ...ceiling,
    GIT_CONFIG_COUNT: '2',
    ...withoutHooks,
    GIT_CONFIG_KEY_1: 'core.excludesFile',
    GIT_CONFIG_VALUE_1: excludes,
  }
}
