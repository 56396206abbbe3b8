/** How two commits of a repository relate. Commits never change, so each pair is looked at once. */
import { ok, type Result } from '../../../../shared/result.ts'
import type { MergeCheck } from '../../../../shared/worktree.ts'
import type { Git } from '../git-client.ts'
import { type ChangedFile, changedFiles } from './changed-files.ts'
import { type MergedTrees, mergeTrees } from './merge-trees.ts'
import { remember } from './remembered.ts'

/** Two commits by their full names: `tip` is to come into `target`. */
export interface CommitPair {
  readonly target: string
  readonly tip: string
}

export interface Comparisons {
  /** Where they parted; null: they have no history in common. */
  base(folder: string, pair: CommitPair): Promise<Result<string | null>>
  /** Commits that the tip has and the target has not. */
  ahead(folder: string, pair: CommitPair): Promise<Result<number>>
  /** `from` and `to` may be trees. */
  files(
    folder: string,
    range: { readonly from: string; readonly to: string },
  ): Promise<Result<readonly ChangedFile[]>>
  merged(folder: string, pair: CommitPair): Promise<Result<MergedTrees>>
  /** Whether all changes of the tip are in the target, also where they came there under other commits. */
  isIn(folder: string, pair: CommitPair): Promise<Result<boolean>>
  /** Paths that can't be merged without a person; the order of the two does not matter. */
  clashes(folder: string, one: string, other: string): Promise<Result<readonly string[]>>
}

/** Pairs of which the answer is kept: twenty worktrees make 190, each time one of them changes twenty more. */
const KEPT = 2000

export function createComparisons(git: Git): Comparisons {
  const bases = remember<string | null>(KEPT)
  const counts = remember<number>(KEPT)
  const lists = remember<readonly ChangedFile[]>(100)
  const merges = remember<MergedTrees>(KEPT)
  const picks = remember<boolean>(KEPT)
  const key = ({ target, tip }: CommitPair) => `${target} ${tip}`

  const comparisons: Comparisons = {
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

  async function isIn(folder: string, pair: CommitPair): Promise<Result<boolean>> {
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
    // What was taken over commit by commit may have been changed there since, so that it would now conflict.
    const options = ['--count', '--cherry-pick', '--right-only']
    const missing = await git.run(folder, ['rev-list', ...options, `${pair.target}...${pair.tip}`])
    return missing.ok ? ok(Number(missing.value) === 0) : missing
  }

  return comparisons
}

/** What a merge would come to, in the words of the contract. */
export async function mergeCheck(
  comparisons: Comparisons,
  folder: string,
  pair: CommitPair,
): Promise<MergeCheck> {
  const [merged, isIn] = await Promise.all([comparisons.merged(folder, pair), comparisons.isIn(folder, pair)])
  if (isIn.ok && isIn.value) return { kind: 'nothing' }
  if (!merged.ok) return { kind: 'unknown', because: merged.failure.message }
  const files = merged.value.conflicts.map(({ path }) => path)
  return files.length > 0 ? { kind: 'conflicts', files } : { kind: 'clean' }
}
