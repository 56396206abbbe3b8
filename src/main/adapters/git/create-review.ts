/** The review of worktrees, by git. */
import { fail } from '../../../shared/result.ts'
import type { Review } from '../../runtime/worktrees.ts'
import type { Git } from './git-client.ts'

export interface ReviewOptions {
  readonly git: Git
  /** Absolute; worktrees lie in `worktrees/` below it. */
  readonly dataFolder: string
  readonly now: () => number
  readonly onProblem: (message: string) => void
}

export function createReview(_options: ReviewOptions): Review {
  const missing = { type: 'git', message: 'The review is not there yet.' }
  return {
    list: async (folder) => ({
      folder,
      worktrees: [],
      discarded: [],
      order: [],
      branches: [],
      current: null,
      ahead: null,
      problem: missing.message,
    }),
    changes: async () => fail(missing),
    file: async () => fail(missing),
    conflicts: async () => fail(missing),
    merge: async () => fail(missing),
    beginResolving: async () => fail(missing),
    abortResolving: async () => fail(missing),
    carryOver: async () => fail(missing),
    discard: async () => fail(missing),
    undoDiscard: async () => fail(missing),
    removeMerged: async () => fail(missing),
    tidy: async () => {},
  }
}
