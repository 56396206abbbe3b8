/** The content of a checkout, with its uncommitted changes. The checkout and its index don't change. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { repositoryAround } from '../../platform/git/repository.ts'
import type { CheckoutTrees, WorktreeFailure, WorktreeResult } from '../../runtime/ports/worktrees.ts'
import { workingTree } from './carried-work.ts'
import { explainFailure } from './failure-text.ts'
import { type InspectedCheckout, inspectCheckout } from './inspect-checkout.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecords } from './worktree-records.ts'

const CANNOT_READ = 'The changed files could not be read'

/** The content of a checkout as a tree, with the same files that a worktree with `changes` would start with. */
export async function checkoutTreesOf(
  deps: { readonly git: Git; readonly records: WorktreeRecords },
  folder: string,
  signal: AbortSignal,
): Promise<WorktreeResult<CheckoutTrees>> {
  const around = await repositoryAround(deps.git, folder, signal)
  if (!around.ok) return fail(explainFailure(around.failure, CANNOT_READ))
  const repository = around.value
  const { head, top } = repository
  if (head === null) return fail(noCommits(top))
  const [home, inspected, headTree] = await Promise.all([
    deps.records.prepare(repository.commonFolder),
    inspectCheckout(deps, repository, { carryOver: 'changes', signal }),
    treeOfCommit(deps.git, top, head),
  ])
  if (!home.ok) return home
  if (!inspected.ok) return inspected
  if (!headTree.ok) return fail(explainFailure(headTree.failure, CANNOT_READ))
  const tree =
    inspected.value.status.length === 0
      ? headTree
      : await workingTree(deps.git, {
          repository,
          excludesFile: excludesFileOf(top),
          without: leftBehind(inspected.value),
          draftFolder: home.value,
          signal,
        })
  if (!tree.ok) return fail(explainFailure(tree.failure, CANNOT_READ))
  return ok({ tree: tree.value, headTree: headTree.value })
}

/** The id of a commit's tree. */
export async function treeOfCommit(git: Git, folder: string, commit: string) {
  const tree = await git.run(folder, ['rev-parse', `${commit}^{tree}`])
  return tree.ok ? ok(tree.value.trim()) : tree
}

/** The paths that are never carried over: nested repositories, copied files, large files. */
export function leftBehind({ status, copies, large }: InspectedCheckout): readonly string[] {
  const nested = status.filter(({ kind }) => kind === 'nested').map(({ path }) => path)
  return [...nested, ...copies, ...large]
}

/** The failure of a repository without a commit. */
export const noCommits = (top: string): WorktreeFailure => ({
  type: 'no-commits',
  message: `${top} has no commits, so there is nothing to start a worktree from. Make a first commit, or start the agent without isolation.`,
})
