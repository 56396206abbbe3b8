/**
 * Moves a branch to a commit, in one step. Where the branch is checked out, its files move with it. If that would
 * overwrite uncommitted changes, nothing changes.
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
  /** A descendant of `from`, to move back an ancestor. */
  readonly to: string
  /** The reflog message. */
  readonly why: string
}

/** Moves a branch forward. */
export const advanceBranch = (
  git: Git,
  repository: Repository,
  move: BranchMove,
): Promise<ReviewResult<void>> => moveBranch(git, repository, { ...move, inCheckout: fastForward })

/** Moves a branch back. The caller has checked that nothing gets lost. */
export const retreatBranch = (
  git: Git,
  repository: Repository,
  move: BranchMove,
): Promise<ReviewResult<void>> => moveBranch(git, repository, { ...move, inCheckout: moveBack })

async function moveBranch(
  git: Git,
  repository: Repository,
  {
    inCheckout,
    ...move
  }: BranchMove & {
    readonly inCheckout: (git: Git, checkout: string, move: BranchMove) => Promise<ReviewResult<void>>
  },
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
    const moved = await inCheckout(git, checkout, move)
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
  return fail((await obstacleIn(git, checkout, { from, to })) ?? moved.failure)
}

/** Moves the files, then the branch: git refuses a branch that moved meanwhile, and the files move forward again. */
async function moveBack(
  git: Git,
  checkout: string,
  { branch, from, to, why }: BranchMove,
): Promise<ReviewResult<void>> {
  const files = (now: string, next: string) => git.run(checkout, ['read-tree', '-m', '-u', now, next])
  // A process that died between the two steps has moved the files already.
  const index = await git.answers(checkout, ['diff-index', '--cached', '--quiet', to, '--'], { accepts: [1] })
  if (!index.ok) return index
  if (index.value.code !== 0) {
    // Git itself would overwrite ignored files.
    const obstacle = await obstacleIn(git, checkout, { from, to })
    if (obstacle !== null) return fail(obstacle)
    const moved = await files(from, to)
    if (!moved.ok) return moved
  }
  const updated = await git.run(checkout, ['update-ref', '-m', why, branchRef(branch), to, from])
  if (updated.ok) return ok(undefined)
  const back = await files(to, from)
  return back.ok ? fail(movedFailure(branch)) : back
}

/** Why the files of a checkout can't move to another commit; null: nothing is in the way. */
async function obstacleIn(
  git: Git,
  checkout: string,
  range: { readonly from: string; readonly to: string },
): Promise<RefusedReview | null> {
  if (await hasUnfinishedMerge(git, checkout))
    return {
      type: 'would-overwrite',
      message: `A merge is unfinished in ${checkout}. Finish or abort it first. Nothing was changed.`,
    }
  const files = await filesInTheWay(git, checkout, range)
  if (files.length === 0) return null
  return {
    type: 'would-overwrite',
    message: `Uncommitted changes in ${checkout} are in the way: ${namedFiles(files)}. Commit or stash them, then try again. Nothing was changed.`,
  }
}
