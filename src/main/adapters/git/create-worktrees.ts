/** Worktrees of agents, by git. */
import type { Worktrees } from '../../runtime/worktrees.ts'
import { identityOf, type ProcessIdentity } from '../transcripts/process-identity.ts'
import type { Git } from './git-client.ts'
import { makeWorktree, type WorktreeDeps } from './new-worktree.ts'
import { createPatientGit } from './patient-git.ts'
import { releaseWorktree } from './release-worktree.ts'
import { restoreWorktree } from './restore-worktree.ts'
import { saveWork } from './saved-work.ts'
import { worktreeEnvironment } from './worktree-environment.ts'
import { createWorktreeRecords, ioFailure } from './worktree-records.ts'

export interface WorktreesOptions {
  readonly git: Git
  /** Absolute; worktrees lie in `worktrees/` below it. */
  readonly dataFolder: string
  readonly now: () => number
  readonly onProblem: (message: string) => void
  /** `$XDG_CONFIG_HOME`, where it is set: the user's list of ignored files may lie there. */
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
    git: createPatientGit(git),
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
    restore: (place, signal) => restoreWorktree(deps, place, signal),
    save: (place, how) => saveWork(deps, place, how),
    async release(place) {
      try {
        await releaseWorktree(deps, place)
      } catch (error) {
        onProblem(ioFailure(error, 'A worktree that is not needed any more stays', place.path).message)
      }
    },
    environment: worktreeEnvironment,
  }
}
