/** What is told of a folder whose worktrees are not looked into. */
import type { ReviewSnapshot } from '../../../shared/review.ts'

export const NOT_TRUSTED =
  'Nothing of this folder’s repository is looked into: you have not said that you trust it. Trust the folder first.'

export const emptySnapshot = (folder: string, problem: string): ReviewSnapshot => ({
  folder,
  worktrees: [],
  discarded: [],
  order: [],
  branches: [],
  current: null,
  ahead: null,
  problem,
})
