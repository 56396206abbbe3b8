/** The merge methods with their labels and descriptions. */
import type { MergeMethod } from '../../../shared/worktrees/review.ts'
import { count } from '../../ui/text/format.ts'

interface MethodText {
  readonly method: MergeMethod
  readonly label: string
  /** `into`: the target branch; `commits`: how many commits are merged. */
  readonly effect: (into: string, commits: number) => string
}

export const MERGE_METHODS: readonly MethodText[] = [
  {
    method: 'merge',
    label: 'Merge',
    effect: (into, commits) => `Keeps ${theCommits(commits)} and adds a merge commit to ${into}.`,
  },
  {
    method: 'squash',
    label: 'Squash',
    effect: (into) => `Combines all changes into one new commit on ${into}.`,
  },
  {
    method: 'rebase',
    label: 'Rebase',
    effect: (into, commits) => `Rewrites ${theCommits(commits)} on top of ${into}, without a merge commit.`,
  },
  {
    method: 'cherry-pick',
    label: 'Cherry-pick',
    effect: (into) => `Copies the commits you choose to ${into}.`,
  },
]

export const methodText = (method: MergeMethod): MethodText =>
  MERGE_METHODS.find((text) => text.method === method) ?? (MERGE_METHODS[0] as MethodText)

const theCommits = (commits: number) => (commits === 1 ? 'the commit' : `the ${count(commits, 'commit')}`)
