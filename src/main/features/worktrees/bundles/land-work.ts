/** Work of an agent on another machine returns to the agent's worktree, or to a branch beside it. */

import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, ok, sentence } from '../../../../shared/kernel/result.ts'
import type { CheckoutState, JobRepository } from '../../../../shared/workers/worker-protocol.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import {
  branchRef,
  makeBranch,
  type RepositoryGit,
  repositoryGit,
  tipsOf,
} from '../../../platform/git/branches.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { GitResult } from '../../../platform/git/git-failure.ts'
import { retryLocks } from '../../../platform/git/lock-retries.ts'
import { isAncestor } from '../../../platform/git/merge-base.ts'
import { repositoryAround } from '../../../platform/git/repository.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { exists } from '../../../platform/system/exists.ts'
import { withRepositoryLock } from '../repository-lock.ts'
import { SHORT_WAITS, withoutStaleLock } from '../stale-lock.ts'
import { excludesFileOf } from '../worktree-excludes.ts'
import { type BundleResult, bundleFailure } from './bundle-failure.ts'
import { readCheckoutState } from './checkout-state.ts'
import { fetchChain } from './mirrors.ts'
import type { ReceivingLimits } from './receive-bundle.ts'
import { type SendDeps, sentRef } from './send-bundles.ts'

export interface LandDeps extends SendDeps {
  readonly limits: ReceivingLimits
}

interface ReturnedWork {
  readonly location: WorktreeLocation
  readonly jobId: string
  /** What the job was sent with. */
  readonly repository: JobRepository
  readonly work: CheckoutState
  readonly signal: AbortSignal
}

/**
 * `landed`: the worktree has the work, with its uncommitted changes uncommitted. `beside`: the worktree was changed
 * meanwhile, so the work is on a branch of its own; `message` tells the user and the agent.
 */
export type LandedWork =
  | { readonly kind: 'landed' }
  | { readonly kind: 'beside'; readonly branch: string; readonly message: string }

const CANNOT = 'The work from the other machine could not be put into the agent’s worktree'

/** A failure leaves the worktree as it was; the call can be repeated. */
export async function landWork(deps: LandDeps, returned: ReturnedWork): Promise<BundleResult<LandedWork>> {
  const { location, jobId, work, signal } = returned
  try {
    const commonFolder = await commonFolderOf(deps, location)
    if (!commonFolder.ok) return commonFolder
    const gitFolder = commonFolder.value
    const fetched = await fetchChain(deps, {
      ...work,
      gitFolder,
      draftFolder: deps.folder,
      refFor: (commit) => `${incomingRefs(jobId)}${commit}`,
      signal,
    })
    if (!fetched.ok) return fetched
    const repository = repositoryGit(deps.git, { folder: location.from, commonFolder: gitFolder })
    const checked = await checkState(repository, work)
    if (!checked.ok) return checked
    return await withRepositoryLock(gitFolder, () => land(deps, repository, returned))
  } catch (error) {
    return fail({ ...diskFailure(error, CANNOT, location.path), type: 'io' })
  }
}

const incomingRefs = (jobId: string): string => `refs/troupe/incoming/${jobId}/`

async function commonFolderOf(deps: LandDeps, location: WorktreeLocation): Promise<BundleResult<string>> {
  const record = await deps.records.read(location.path)
  if (record !== null) return ok(record.commonFolder)
  const around = await repositoryAround(deps.git, location.from)
  if (around.ok) return ok(around.value.commonFolder)
  return fail(await bundleFailure(around.failure, CANNOT, []))
}

async function checkState(
  { git, folder }: RepositoryGit,
  { head, commit }: CheckoutState,
): Promise<BundleResult<void>> {
  const parents = await git.run(folder, ['rev-list', '--parents', '-n', '1', '--end-of-options', commit])
  if (!parents.ok) return fail(await bundleFailure(parents.failure, CANNOT, []))
  if (head === commit || parents.value.trim() === `${commit} ${head}`) return ok(undefined)
  return fail({
    type: 'invalid',
    message:
      'The work from the other machine was refused: its uncommitted changes do not belong to its commit.',
  })
}

/** Drops the refs that keep what a job sent and returned. */
export async function dropJobRefs(
  deps: LandDeps,
  { location, jobId }: Pick<ReturnedWork, 'location' | 'jobId'>,
): Promise<void> {
  const commonFolder = await commonFolderOf(deps, location)
  if (!commonFolder.ok) return
  const repository = repositoryGit(deps.git, { folder: location.from, commonFolder: commonFolder.value })
  const patterns = [incomingRefs(jobId), sentRef(jobId)]
  const listed = await repository.run(['for-each-ref', '--format=%(refname)', ...patterns])
  const refs = listed.ok ? listed.value.split('\n').filter((ref) => ref !== '') : []
  for (const ref of refs) await repository.run(['update-ref', '-d', ref])
}

async function land(
  deps: LandDeps,
  repository: RepositoryGit,
  returned: ReturnedWork,
): Promise<BundleResult<LandedWork>> {
  const { location, repository: sent, work } = returned
  const tips = await tipsOf(repository, [location.branch])
  if (!tips.ok) return fail(await bundleFailure(tips.failure, CANNOT, []))
  const tip = tips.value.get(location.branch)?.commit ?? null
  const follows = await isAncestor(repository.git, repository.folder, { older: sent.head, newer: work.head })
  if (!follows) return beside(repository, returned, 'does not build on the commit that was sent')
  if (tip === null || (tip !== sent.head && tip !== work.head))
    return beside(
      repository,
      returned,
      `has returned, but the branch ${location.branch} has changed meanwhile`,
    )
  const unchanged = await currentCommit(deps, returned)
  if (!unchanged.ok) return unchanged
  if (unchanged.value === null)
    return beside(
      repository,
      returned,
      `has returned, but the files in ${location.path} have changed meanwhile`,
    )
  const range = { from: unchanged.value, to: work.commit }
  const hidden = await hasHiddenInWay(deps.git, location.path, range)
  if (!hidden.ok) return fail(await bundleFailure(hidden.failure, CANNOT, []))
  if (hidden.value)
    return beside(repository, returned, `has returned, but ignored files in ${location.path} are in its way`)
  const moved = await moveWorktree(deps.git, repository, { ...returned, tip, ...range })
  if (moved.ok) return ok({ kind: 'landed' })
  return fail(await bundleFailure(moved.failure, CANNOT, [location.path, repository.commonFolder]))
}

/** The worktree as a commit, if each of its files is as it was sent or as it returned; null: the user changed some. */
async function currentCommit(
  { git, folder, records }: LandDeps,
  { location, repository: sent, work }: ReturnedWork,
): Promise<BundleResult<string | null>> {
  const { path, branch } = location
  if (!(await exists(path))) return ok(null)
  const around = await repositoryAround(git, path)
  if (!around.ok) return fail(await bundleFailure(around.failure, CANNOT, []))
  if (around.value.top !== path || around.value.branch !== branch) return ok(null)
  const record = await records.read(path)
  const state = await readCheckoutState(git, {
    ...around.value,
    excludesFile: excludesFileOf(path),
    without: record?.copied ?? [],
    draftFolder: folder,
  })
  if (!state.ok) return fail(await bundleFailure(state.failure, CANNOT, [folder]))
  const { commit } = state.value
  const [notSent, notReturned] = await Promise.all([
    changedPaths(git, path, sent.commit, commit),
    changedPaths(git, path, work.commit, commit),
  ])
  if (!notSent.ok) return fail(await bundleFailure(notSent.failure, CANNOT, []))
  if (!notReturned.ok) return fail(await bundleFailure(notReturned.failure, CANNOT, []))
  const own = notSent.value.filter((name) => notReturned.value.includes(name))
  return ok(own.length === 0 ? commit : null)
}

async function changedPaths(
  git: Git,
  folder: string,
  before: string,
  after: string,
): Promise<GitResult<readonly string[]>> {
  const listed = await git.run(folder, [
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    before,
    after,
  ])
  return listed.ok ? ok(listed.value.split('\0').filter((name) => name !== '')) : listed
}

interface Move extends ReturnedWork {
  readonly tip: string
  /** The files as they are, and as they will be: commits. */
  readonly from: string
  readonly to: string
}

/** Files first: until the branch has moved, a repeated call sees files that are as sent or as returned. */
async function moveWorktree(
  git: Git,
  repository: RepositoryGit,
  { location, work, tip, from, to }: Move,
): Promise<GitResult<void>> {
  const { path, branch } = location
  const steps: readonly (readonly string[])[] = [
    ['read-tree', '--reset', from],
    ['read-tree', '-m', '-u', from, to],
  ]
  const patient = retryLocks(git, { waits: SHORT_WAITS })
  const refresh = () => patient.answers(path, ['update-index', '-q', '--refresh'], { accepts: [1] })
  for (const step of steps) {
    const done = await withoutStaleLock({ ...repository, path, branch }, () => patient.run(path, step))
    if (!done.ok) return done
    const refreshed = await refresh()
    if (!refreshed.ok) return refreshed
  }
  const moved = await repository.run(['update-ref', '--no-deref', branchRef(branch), work.head, tip])
  if (!moved.ok) return moved
  if (work.head === work.commit) return ok(undefined)
  const reset = await patient.run(path, ['reset', '--mixed', '--intent-to-add', '--quiet'])
  return reset.ok ? ok(undefined) : reset
}

/** Keeps the work, with its uncommitted changes, on a branch of its own. */
async function beside(
  repository: RepositoryGit,
  { location, work }: ReturnedWork,
  because: string,
): Promise<BundleResult<LandedWork>> {
  for (let number = 1; ; number++) {
    const branch = `${location.branch}-from-worker${number === 1 ? '' : `-${number}`}`
    const made = await makeBranch(repository, branch, work.commit)
    if (!made.ok) return fail(await bundleFailure(made.failure, CANNOT, [repository.commonFolder]))
    if (made.value === 'blocked') continue
    const tips = await tipsOf(repository, [branch])
    if (!tips.ok) return fail(await bundleFailure(tips.failure, CANNOT, []))
    if (tips.value.get(branch)?.commit !== work.commit) continue
    const message = `The work from the other machine ${sentence(because)} It is on the branch ${branch}, and the worktree is as it was. To combine them, run \`git merge ${branch}\` in ${location.path}.`
    return ok({ kind: 'beside', branch, message })
  }
}

/** @param range two trees; the files of `from` are the tracked ones in the folder */
async function hasHiddenInWay(
  git: Git,
  folder: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<GitResult<boolean>> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to]
  const added = await git.run(folder, args)
  if (!added.ok) return added
  const paths = added.value.split('\0').filter((path) => path !== '')
  const onDisk = new Set((await Promise.all(paths.map((path) => occupied(folder, path)))).flat())
  if (onDisk.size === 0) return ok(false)
  const listed = await git.run(folder, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', from])
  if (!listed.ok) return listed
  const tracked = new Set(listed.value.split('\0'))
  return ok([...onDisk].some((path) => !tracked.has(path)))
}

/** The files on the disk that must go before the path can be a file. */
async function occupied(folder: string, path: string): Promise<readonly string[]> {
  const found = await lstat(join(folder, path)).catch(() => null)
  if (found?.isDirectory()) {
    const entries = await readdir(join(folder, path), { withFileTypes: true, recursive: true })
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  }
  if (found) return [path]
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const above = await lstat(join(folder, parent)).catch(() => null)
    if (above) return above.isDirectory() ? [] : [parent]
  }
  return []
}
