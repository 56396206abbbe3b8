/** Comparisons of commits. Commits never change, so each result is cached. */

import { memoizeAsync } from '../../../../shared/kernel/memoize-async.ts'
import { ok } from '../../../../shared/kernel/result.ts'
import type { MergeCheck } from '../../../../shared/worktrees/worktree.ts'
import { changedFiles, type TreeChange } from '../../../platform/git/diff-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { type MergedTrees, mergeTrees } from '../../../platform/git/merge-tree.ts'
import type { ReviewFailure, ReviewResult } from '../../../runtime/ports/worktrees.ts'

/** Two full commit ids. `tip` is to be merged into `target`. */
export interface CommitPair {
  readonly target: string
  readonly tip: string
}

export interface CommitComparisons {
  /** The merge base; null: the commits have no common history. */
  base(folder: string, pair: CommitPair): Promise<ReviewResult<string | null>>
  /** The number of commits that the tip has and the target lacks. */
  ahead(folder: string, pair: CommitPair): Promise<ReviewResult<number>>
  /** `from` and `to` may be trees. */
  files(
    folder: string,
    range: { readonly from: string; readonly to: string },
  ): Promise<ReviewResult<readonly TreeChange[]>>
  merged(folder: string, pair: CommitPair): Promise<ReviewResult<MergedTrees>>
  /** Whether the target has all changes of the tip, also through other commits. */
  isIn(folder: string, pair: CommitPair): Promise<ReviewResult<boolean>>
  /** The paths in conflict between two commits, in either order. */
  clashes(folder: string, one: string, other: string): Promise<ReviewResult<readonly string[]>>
}

/** Cached pairs. Twenty worktrees have 190 pairs, and each change of a worktree adds twenty. */
const KEPT = 2000

export function createComparisons(git: Git): CommitComparisons {
  const bases = memoizeAsync<string | null, ReviewFailure>(KEPT)
  const counts = memoizeAsync<number, ReviewFailure>(KEPT)
  const lists = memoizeAsync<readonly TreeChange[], ReviewFailure>(100)
  const merges = memoizeAsync<MergedTrees, ReviewFailure>(KEPT)
  const picks = memoizeAsync<boolean, ReviewFailure>(KEPT)
  const key = ({ target, tip }: CommitPair) => `${target} ${tip}`

  const comparisons: CommitComparisons = {
    base: (folder, pair) =>
      bases(key(pair), async () => {
        const found = await git.answers(folder, ['merge-base', pair.target, pair.tip], { accepts: [1] })
        return found.ok ? ok(found.value.output.trim() || null) : found
      }),
    ahead: (folder, pair) =>
      counts(key(pair), async () => {
        const found = await git.run(folder, ['rev-list', '--count', pair.tip, `^${pair.target}`])
        return found.ok ? ok(Number(found.value)) : found
      }),
    files: (folder, range) => lists(`${range.from} ${range.to}`, () => changedFiles(git, folder, range)),
    merged: (folder, pair) =>
      merges(key(pair), () => mergeTrees(git, folder, { ours: pair.target, theirs: pair.tip })),
    isIn: (folder, pair) => picks(key(pair), () => isIn(folder, pair)),
    async clashes(folder, one, other) {
      const [target = one, tip = other] = [one, other].sort()
      const merged = await comparisons.merged(folder, { target, tip })
      return merged.ok ? ok(merged.value.conflicts.map(({ path }) => path)) : merged
    },
  }

  async function isIn(folder: string, pair: CommitPair): Promise<ReviewResult<boolean>> {
    const base = await comparisons.base(folder, pair)
    if (!base.ok) return base
    if (base.value === pair.tip) return ok(true)
    if (base.value === null) return ok(false)
    const [merged, tree] = await Promise.all([
      comparisons.merged(folder, pair),
      git.run(folder, ['rev-parse', `${pair.target}^{tree}`]),
    ])
    if (!merged.ok) return merged
    if (!tree.ok) return tree
    if (merged.value.conflicts.length === 0) return ok(merged.value.tree === tree.value.trim())
    // Cherry-picked commits may conflict with later changes of the target: compare patches instead.
    const options = ['--count', '--cherry-pick', '--right-only']
    const missing = await git.run(folder, ['rev-list', ...options, `${pair.target}...${pair.tip}`])
    return missing.ok ? ok(Number(missing.value) === 0) : missing
  }

  return comparisons
}

/** The expected result of a merge. */
export async function mergeCheck(
  comparisons: CommitComparisons,
  folder: string,
  pair: CommitPair,
): Promise<MergeCheck> {
  const [merged, isIn] = await Promise.all([comparisons.merged(folder, pair), comparisons.isIn(folder, pair)])
  if (isIn.ok && isIn.value) return { kind: 'nothing' }
  if (!merged.ok) return { kind: 'unknown', because: merged.failure.message }
  const files = merged.value.conflicts.map(({ path }) => path)
  return files.length > 0 ? { kind: 'conflicts', files } : { kind: 'clean' }
}
