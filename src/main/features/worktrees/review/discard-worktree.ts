/**
 * Discards worktrees. The content is kept in a commit under `refs/troupe/trash/` first, so that the discard can be
 * undone until the next start. Ignored files are not kept.
 */
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { branchRef, removeBranch, repositoryGit, tipsOf } from '../../../platform/git/branches.ts'
import { NOBODY } from '../../../platform/git/commit-tree.ts'
import { nestedRepositories } from '../../../platform/git/nested-repositories.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { confineGit } from '../../../platform/git/with-options.ts'
import { isLocked, worktreeEntryOf } from '../../../platform/git/worktree-entry.ts'
import { exists } from '../../../platform/system/exists.ts'
import { identityOf } from '../../../platform/system/process-identity.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { trashRef } from '../kept-refs.ts'
import { fileListText } from '../named-files.ts'
import { withRepositoryLock } from '../repository-lock.ts'
import { type CheckedOut, checkedOutIn, keepStrayCommits } from '../stray-commits.ts'
import { isMerged } from './describe-worktree.ts'
import { removeCheckout } from './remove-checkout.ts'
import {
  checkSeen,
  type FoundWorktree,
  inUse,
  isInUse,
  type ReviewTools,
  readWork,
  type WorkInWorktree,
} from './review-tools.ts'
import { salvagedWork, workSnapshot } from './work-snapshot.ts'

/**
 * @param options.confirm the branch's name as the user typed it; required where something is not merged or not restorable
 * @param options.seen the version that the user saw
 */
export async function discardWorktree(
  tools: ReviewTools,
  found: FoundWorktree,
  { confirm, seen }: { readonly confirm: string | null; readonly seen?: string | null | undefined },
): Promise<ReviewResult<void>> {
  const { records } = tools
  const { record, repository } = found
  if (await isInUse(record)) return fail(inUse(record))
  const entry = await worktreeEntryOf(repository.commonFolder, record.path)
  if (entry !== null && (await isLocked(entry)))
    return fail({
      type: 'in-use',
      message: `${record.path} is locked. Unlock it first: \`git worktree unlock ${record.path}\`.`,
    })
  const work = await readWholeWork(tools, found)
  if (!work.ok) return work
  // After the first reading, so that no change falls between what the user saw and what is kept.
  const asSeen = await checkSeen(tools, found, seen)
  if (!asSeen.ok) return asSeen
  const stakes = (await findStakes(tools, found, { work: work.value, entry })).join('. ')
  if (stakes !== '' && confirm !== record.branch)
    return fail({
      type: 'confirm',
      stakes,
      message: `${stakes}. To discard the worktree anyway, type the name of its branch: ${record.branch}`,
    })
  await tools.onLeaving(record.path)
  const kept = await keepCommit(tools, found, work.value)
  if (!kept.ok) return kept
  const { tip } = work.value
  const there = { folder: repository.commonFolder, commonFolder: repository.commonFolder }
  const common = repositoryGit(tools.git, there)
  const gone = await withRepositoryLock(repository.commonFolder, async () => {
    // The agent may have resumed meanwhile.
    const before = await records.read(record.path)
    if (before === null || (await isInUse(before))) return fail(inUse(record))
    // Before the trash ref, which names some of these commits for a shorter time.
    const strays = await keepStrayCommits(tools.git, record)
    if (!strays.ok) return strays
    const trashed = await common.run(['update-ref', trashRef(record.id), kept.value])
    if (!trashed.ok) return trashed
    const by = await identityOf(process.pid)
    const noted = await records.update(record.path, (now) => ({
      ...now,
      state: 'discarded',
      holder: null,
      head: tip,
      discarded: { at: tools.now(), by, head: kept.value, checkedOut: work.value.checkedOut, undoing: false },
    }))
    if (!noted.ok) return noted
    const removed = await removeCheckout(repository.commonFolder, record.path, (aside) =>
      isUnchangedSince(tools, found, { aside, work: work.value }),
    )
    if (!removed.ok) {
      await records.update(record.path, () => record)
      await common.run(['update-ref', '-d', trashRef(record.id), kept.value])
      return removed
    }
    const tips = await tipsOf(common, [record.branch])
    if (!tips.ok || !tips.value.has(record.branch)) return ok(undefined)
    const gone = await removeBranch(common, record.branch, tip)
    // The branch got new commits meanwhile: keep it.
    if (!gone.ok) tools.onProblem(`The branch ${record.branch} was kept: ${gone.failure.message}`)
    return ok(undefined)
  })
  if (gone.ok) await tools.onDiscarded(record.owner, record.path)
  return gone
}

/** Succeeds if the folder, which was put aside, still holds exactly the work that was kept. */
async function isUnchangedSince(
  { git }: ReviewTools,
  { record, repository }: FoundWorktree,
  { aside, work }: { readonly aside: string; readonly work: WholeWork },
): Promise<ReviewResult<unknown>> {
  if (!(await exists(aside))) return ok(undefined)
  const now = work.isBroken
    ? await salvagedWork(git, { path: aside, commonFolder: repository.commonFolder, tip: work.tip })
    : await workSnapshot(confineGit(git, dirname(aside)), aside, { copied: record.copied, lenient: false })
  if (!now.ok) return now
  if (now.value.commit === work.commit) return ok(undefined)
  return fail({
    type: 'moved',
    message: `${record.path} changed just now, so it was not discarded. Check it, then try again.`,
  })
}

interface WholeWork extends WorkInWorktree {
  /** The folder is disconnected from its repository, or its branch is gone. */
  readonly isBroken: boolean
  /** Null: unknown. */
  readonly checkedOut: CheckedOut | null
}

async function readWholeWork(tools: ReviewTools, found: FoundWorktree): Promise<ReviewResult<WholeWork>> {
  const { git } = tools
  const { record, repository } = found
  const work = await readWork(tools, found, { lenient: false })
  if (work.ok) {
    const checkedOut = await checkedOutIn(git, record)
    if (!checkedOut.ok) return checkedOut
    return withCheckedOut(tools, found, { ...work.value, isBroken: false, checkedOut: checkedOut.value })
  }
  if (!(await exists(record.path))) return work
  const ends = [branchRef(record.branch), record.head, record.base]
  const known = await Promise.all(
    ends.map((end) => (end === null ? null : commitOf(git, repository.top, end))),
  )
  const tip = known.find((commit) => commit !== null)
  if (!tip) return work
  const { commonFolder } = repository
  const salvaged = await salvagedWork(git, { path: record.path, commonFolder, tip })
  return salvaged.ok ? ok({ ...salvaged.value, tip, snapshot: null, isBroken: true, checkedOut: null }) : work
}

/** Where the folder is gone, the content is the commit that was checked out in it. */
async function withCheckedOut(
  { git }: ReviewTools,
  { repository }: FoundWorktree,
  work: WholeWork,
): Promise<ReviewResult<WholeWork>> {
  if (work.snapshot !== null || work.checkedOut === null) return ok(work)
  const { commit } = work.checkedOut
  const tree = await git.run(repository.top, ['rev-parse', '--verify', `${commit}^{tree}`])
  return tree.ok ? ok({ ...work, commit, tree: tree.value.trim() }) : tree
}

/** The content that a discard would lose, as text for the user. */
async function findStakes(
  tools: ReviewTools,
  found: FoundWorktree,
  { work, entry }: { readonly work: WholeWork; readonly entry: string | null },
): Promise<readonly string[]> {
  const { git, comparisons } = tools
  const { record, repository } = found
  const { snapshot, tip, checkedOut } = work
  const branch = record.target ?? repository.branch
  const target = branch === null ? null : await commitOf(git, repository.top, branchRef(branch))
  const stakes: string[] = []
  if (work.isBroken) stakes.push(`${record.path} is disconnected from its repository, or its branch is gone`)
  const uncommitted = snapshot?.changed.length ?? 0
  if (uncommitted > 0)
    stakes.push(
      `${record.id} has uncommitted changes in ${uncommitted === 1 ? '1 file' : `${uncommitted} files`}`,
    )
  const committed = { ...work, snapshot: null }
  if (!(await isMerged(tools, found, { work: committed, target: target ?? undefined }))) {
    const ahead = await comparisons.ahead(repository.top, { target: target ?? record.base, tip })
    const count = ahead.ok ? ahead.value : 0
    stakes.push(
      `${count === 1 ? '1 commit' : `${count} commits`} on ${record.branch} ${count === 1 ? 'is' : 'are'} not merged into ${branch ?? 'any branch'}`,
    )
  }
  if (checkedOut && checkedOut.commit !== tip)
    stakes.push(
      `${checkedOut.ref?.slice('refs/heads/'.length) ?? `The commit ${checkedOut.commit.slice(0, 12)}`} is checked out in ${record.path} and is not on ${record.branch}`,
    )
  const { hidden = [], excluded = [], unkept = [] } = snapshot?.unlisted ?? {}
  if (hidden.length > 0)
    stakes.push(`Git ignores changes in ${fileListText(hidden)} (assume-unchanged or skip-worktree)`)
  if (excluded.length > 0) stakes.push(`Only .git/info/exclude ignores ${fileListText(excluded)}`)
  if (unkept.length > 0)
    stakes.push(`Only .git/info/exclude ignores ${fileListText(unkept)}, too much to be restored`)
  const nested = await nestedRepositories(record.path)
  if (nested.length > 0)
    stakes.push(`The worktree contains nested repositories, which can’t be restored: ${fileListText(nested)}`)
  else if (entry !== null && (await readdir(entry).catch((): string[] => [])).includes('modules'))
    stakes.push('Work inside its submodules can’t be restored')
  return stakes
}

/** The commit that holds the whole content. Where the checked-out commit is not the tip, its parents are both. */
async function keepCommit(
  { git }: ReviewTools,
  { repository }: FoundWorktree,
  { tip, commit, tree, checkedOut }: WholeWork,
): Promise<ReviewResult<string>> {
  if (checkedOut === null || checkedOut.commit === tip) return ok(commit)
  const args = ['commit-tree', '-p', tip, '-p', commit, '-m', 'Work in progress', tree]
  const made = await git.run(repository.top, args, { environment: NOBODY })
  return made.ok ? ok(made.value.trim()) : made
}
