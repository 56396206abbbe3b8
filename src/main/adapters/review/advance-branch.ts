/**
 * Moves a branch forward to a commit, in one step. Where the branch is checked out, its files move with it. If that
 * would overwrite uncommitted changes, nothing changes.
 */
import { fail, ok } from '../../../shared/result.ts'
import type { RefusedReview, ReviewResult } from '../../runtime/worktrees.ts'
import { branchRef } from '../git/branches.ts'
import { filesInTheWay, hasUnfinishedMerge, isBeingRebased, listCheckouts } from '../git/checkouts.ts'
import type { Git } from '../git/git-client.ts'
import type { Repository } from '../git/repository.ts'
import { commitOf } from '../git/rev-parse.ts'
import { exists } from '../system/exists.ts'
import { namedFiles } from '../worktrees/named-files.ts'

export interface BranchMove {
  readonly branch: string
  /** The tip that the new commit was computed for. */
  readonly from: string
  /** A descendant of `from`. */
  readonly to: string
  /** The reflog message. */
  readonly why: string
}

export async function advanceBranch(
  git: Git,
  repository: Repository,
  move: BranchMove,
): Promise<ReviewResult<void>> {
  const { branch, from, to, why } = move
  const tip = () => commitOf(git, repository.top, branchRef(branch))
  const [checkouts, rebased] = await Promise.all([
    listCheckouts(git, repository.top),
    isBeingRebased(repository.commonFolder, branch),
  ])
  if (!checkouts.ok) return checkouts
  if (rebased)
    return fail({
      type: 'would-overwrite',
      message: `A rebase of ${branch} is unfinished. Finish or abort it first. Nothing was changed.`,
    })
  const checkout = checkouts.value.find(({ ref }) => ref === branchRef(branch))?.path
  if (checkout !== undefined && (await exists(checkout))) {
    if ((await tip()) !== from) return fail(movedFailure(branch))
    const moved = await fastForward(git, checkout, move)
    if (!moved.ok) return moved
    return (await tip()) === to ? ok(undefined) : fail(movedFailure(branch))
  }
  const updated = await git.run(repository.top, ['update-ref', '-m', why, branchRef(branch), to, from])
  if (updated.ok) return ok(undefined)
  return (await tip()) === from ? updated : fail(movedFailure(branch))
}

export const movedFailure = (branch: string): RefusedReview => ({
  type: 'moved',
  message: `${branch} got new commits meanwhile, so the result no longer fits. Nothing was changed; try again.`,
})

/** The flags override the user's merge settings: no stash, no squash, no overwriting of ignored files. */
const FAST_FORWARD = [
  'merge',
  '--ff-only',
  '--no-squash',
  '--commit',
  '--no-autostash',
  '--no-overwrite-ignore',
  '--no-verify-signatures',
  '--quiet',
]

async function fastForward(
  git: Git,
  checkout: string,
  { branch, from, to, why }: BranchMove,
): Promise<ReviewResult<void>> {
  const moved = await git.run(checkout, [...FAST_FORWARD, to], { environment: { GIT_REFLOG_ACTION: why } })
  if (moved.ok) return ok(undefined)
  // Git exits with the same code for each of these reasons, so the repository is inspected instead.
  if ((await commitOf(git, checkout, 'HEAD')) !== from) return fail(movedFailure(branch))
  if (await hasUnfinishedMerge(git, checkout))
    return fail({
      type: 'would-overwrite',
      message: `A merge is unfinished in ${checkout}. Finish or abort it first. Nothing was changed.`,
      cause: moved.failure,
    })
  const files = await filesInTheWay(git, checkout, { from, to })
  if (files.length === 0) return moved
  return fail({
    type: 'would-overwrite',
    message: `Uncommitted changes in ${checkout} are in the way: ${namedFiles(files)}. Commit or stash them, then merge again. Nothing was changed.`,
    cause: moved.failure,
  })
}
