/**
 * Moves a branch to a commit, in one step. Where the branch is checked out, its files move with it. If that would
 * overwrite uncommitted changes, nothing changes.
 */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import {
  filesInTheWay,
  hasUnfinishedMerge,
  isBeingRebased,
  listCheckouts,
} from '../../../platform/git/checkouts.ts'
import { changedFiles } from '../../../platform/git/diff-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { GitFailure } from '../../../platform/git/git-failure.ts'
import type { Repository } from '../../../platform/git/repository.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { exists } from '../../../platform/system/exists.ts'
import type { RefusedReview, ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { fileListText } from '../named-files.ts'

interface BranchMove {
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
    if ((await tip()) !== from) return fail(branchMovedFailure(branch))
    const isFree = await checkLocks(git, checkout, move)
    if (!isFree.ok) return (await tip()) === from ? isFree : fail(branchMovedFailure(branch))
    const moved = await inCheckout(git, checkout, move)
    if (!moved.ok) return moved
    return (await tip()) === to ? ok(undefined) : fail(branchMovedFailure(branch))
  }
  const updated = await git.run(repository.top, ['update-ref', '-m', why, branchRef(branch), to, from])
  if (updated.ok) return ok(undefined)
  return (await tip()) === from ? fail(unchanged(updated.failure, branch)) : fail(branchMovedFailure(branch))
}

/** The client tries again, so git itself need not wait long. */
const SHORT_WAITS = { config: ['core.filesRefLockTimeout=100', 'core.packedRefsTimeout=100'] }

/** Locks and releases the branch and HEAD first: git moves the files before it knows whether the branch can move. */
async function checkLocks(
  git: Git,
  checkout: string,
  { branch, from, to }: BranchMove,
): Promise<ReviewResult<void>> {
  const input = `start\nupdate HEAD ${to} ${from}\nprepare\nabort\n`
  const checked = await git.run(checkout, ['update-ref', '--stdin'], { ...SHORT_WAITS, input })
  return checked.ok ? ok(undefined) : fail(unchanged(checked.failure, branch))
}

function unchanged(failure: GitFailure, branch: string): GitFailure {
  const [, lock] = /Unable to create '([^'\n]+\.lock)': File exists/i.exec(failure.message) ?? []
  const message =
    lock === undefined
      ? `${failure.message}\nNothing was changed.`
      : `Another git process holds ${lock}, so ${branch} can’t move. Nothing was changed. Try again when that process has ended. If no git process runs there, remove the lock file first.`
  return { ...failure, message }
}

export const branchMovedFailure = (branch: string): RefusedReview => ({
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
  const staged = await pathsUnlike(git, checkout, from)
  if (!staged.ok) return staged
  const environment = { GIT_REFLOG_ACTION: why }
  const moved = await git.run(checkout, [...FAST_FORWARD, to], { ...SHORT_WAITS, environment })
  if (moved.ok) return ok(undefined)
  // Git exits with the same code for each of these reasons, so the repository is inspected instead.
  if ((await commitOf(git, checkout, 'HEAD')) !== from) return fail(branchMovedFailure(branch))
  const isBack = await takeFilesBack(git, checkout, { from, to, staged: staged.value })
  if (!isBack.ok)
    return fail({
      ...moved.failure,
      message: `${branch} could not move, but files in ${checkout} already did: ${moved.failure.message}\nMerge again to complete this.`,
    })
  return fail((await obstacleIn(git, checkout, { from, to })) ?? unchanged(moved.failure, branch))
}

/** A lock that appeared while git moved the files stopped the branch only. */
async function takeFilesBack(
  git: Git,
  checkout: string,
  { from, to, staged }: { readonly from: string; readonly to: string; readonly staged: ReadonlySet<string> },
): Promise<ReviewResult<void>> {
  const [files, unmoved] = await Promise.all([
    changedFiles(git, checkout, { from, to }),
    pathsUnlike(git, checkout, to),
  ])
  if (!files.ok) return files
  if (!unmoved.ok) return unmoved
  const paths = files.value.flatMap(({ path, oldPath }) => [path, ...(oldPath === null ? [] : [oldPath])])
  const isMoved = paths.some((path) => !unmoved.value.has(path))
  // The user had staged the same change: it stays.
  if (!isMoved || paths.some((path) => staged.has(path))) return ok(undefined)
  const back = await git.run(checkout, ['read-tree', '-m', '-u', to, from])
  return back.ok ? ok(undefined) : back
}

/** The paths whose staged content differs from a commit. */
async function pathsUnlike(
  git: Git,
  checkout: string,
  commit: string,
): Promise<ReviewResult<ReadonlySet<string>>> {
  const listed = await git.run(checkout, [
    'diff-index',
    '--cached',
    '--name-only',
    '--no-renames',
    '-z',
    commit,
    '--',
  ])
  return listed.ok ? ok(new Set(listed.value.split('\0'))) : listed
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
  return back.ok ? fail(branchMovedFailure(branch)) : back
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
    message: `Uncommitted changes in ${checkout} are in the way: ${fileListText(files)}. Commit or stash them, then try again. Nothing was changed.`,
  }
}
