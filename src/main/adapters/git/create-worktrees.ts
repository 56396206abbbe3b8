/** Worktrees of agents, by git. */
import { fail } from '../../../shared/result.ts'
import type { Worktrees } from '../../runtime/worktrees.ts'
import type { Git } from './git-client.ts'

export interface WorktreesOptions {
  readonly git: Git
  /** Absolute; worktrees lie in `worktrees/` below it. */
  readonly dataFolder: string
  readonly now: () => number
  readonly onProblem: (message: string) => void
}

export function createWorktrees(_options: WorktreesOptions): Worktrees {
  const missing = { type: 'git', message: 'Worktrees are not there yet.' }
  return {
    create: async () => fail(missing),
    restore: async () => fail(missing),
    save: async () => fail(missing),
    release: async () => {},
    environment: () => ({}),
  }
}
