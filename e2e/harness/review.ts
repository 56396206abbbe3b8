/** The harness's worktrees: what its window shows in Review. */

import { Refusal } from '../../src/renderer/testing/refusal.ts'
import type { ReviewSnapshot } from '../../src/shared/review.ts'

export const noReview = (folder: string): ReviewSnapshot => ({
  folder,
  worktrees: [],
  discarded: [],
  order: [],
  branches: ['main'],
  current: 'main',
  ahead: 0,
  problem: null,
})

const refuse = (): never => {
  throw new Refusal('There is no such worktree.')
}

/** What the window's commands answer where there is no worktree. */
export const reviewHandlers = {
  'review.watch': ({ folder }: { readonly folder: string }) => noReview(folder),
  'review.changes': refuse,
  'review.file': refuse,
  'review.conflicts': refuse,
  'review.merge': refuse,
  'review.resolve': refuse,
  'review.abortResolve': refuse,
  'review.comment': refuse,
  'review.carryOver': refuse,
  'review.discard': refuse,
  'review.undoDiscard': refuse,
  'review.removeMerged': () => ({ removed: [], kept: [] }),
}
