/** The ways to merge, and what each of them does, in words. */
import type { MergeMethod } from '../../../shared/review.ts'
import { count } from '../../ui/format.ts'

export interface MethodWords {
  readonly method: MergeMethod
  readonly label: string
  /** For a target and so many commits. */
  readonly does: (into: string, commits: number) => string
}

export const MERGE_METHODS: readonly MethodWords[] = [
  {
    method: 'merge',
    label: 'Merge',
    does: (into, commits) =>
      `Keeps ${theCommits(commits)} and joins ${commits === 1 ? 'it' : 'them'} into ${into} with a merge commit.`,
  },
  {
    method: 'squash',
    label: 'Squash',
    does: (into) => `Everything becomes one new commit in ${into}.`,
  },
  {
    method: 'rebase',
    label: 'Rebase',
    does: (into, commits) =>
      `Writes ${theCommits(commits)} anew on top of ${into},${commits === 1 ? '' : ' one after the other,'} without a merge commit.`,
  },
  {
    method: 'cherry-pick',
    label: 'Cherry-pick',
    does: (into) => `Copies only the commits you choose to ${into}.`,
  },
]

export const methodWords = (method: MergeMethod): MethodWords =>
  MERGE_METHODS.find((words) => words.method === method) ?? (MERGE_METHODS[0] as MethodWords)

const theCommits = (commits: number) => (commits === 1 ? 'the commit' : `the ${count(commits, 'commit')}`)
