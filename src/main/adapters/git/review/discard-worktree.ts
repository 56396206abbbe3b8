/**
 * Discards worktrees. What was in one is kept in a commit under `refs/troupe/trash/` before anything goes, so
 * that it can be brought back until the next start. Ignored files are not kept.
 */
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { identityOf } from '../../transcripts/process-identity.ts'
import { branchRef, removeBranch, repositoryGit, tipsOf } from '../branch-ref.ts'
import { hiddenFiles } from '../hidden-files.ts'
import { exists } from '../remove-worktree.ts'
import { inRepositoryTurn } from '../repository-turn.ts'
import { keepStrayHead } from '../stray-head.ts'
import { entryOf, isLocked } from '../worktree-entry.ts'
import { NOBODY } from './commit-tree.ts'
import { isMerged } from './describe-worktree.ts'
import { namedFiles } from './named-files.ts'
import { removeCheckout } from './remove-checkout.ts'
import {
  commitOf,
  confineGit,
  type FoundWorktree,
  inUse,
  isInUse,
  lookInto,
  type ReviewTools,
  type WorkInWorktree,
} from './review-tools.ts'
import { trashRef } from './trash-ref.ts'
import { salvagedWork, workSnapshot } from './work-snapshot.ts'

/**
 * @param confirm the branch's name as it was typed; needed where something is not merged, or would not come back
 * Failures: `in-use`, `confirm` (with what is at stake), `not-there`, `git`, `io`
 */
export async function discardWorktree(
  tools: ReviewTools,
  found: FoundWorktree,
  confirm: string | null,
): Promise<Result<void>> {
  const { records } = tools
  const { record, repository } = found
  if (await isInUse(record)) return fail(inUse(record))
  const entry = await entryOf(repository.commonFolder, record.path)
  if (entry !== null && (await isLocked(entry)))
    return fail({
      type: 'in-use',
      message: `${record.path} is locked. Unlock it first: \`git worktree unlock ${record.path}\`.`,
    })
  const work = await allOfIt(tools, found)
  if (!work.ok) return work
  const stakes = await atStake(tools, found, { work: work.value, entry })
  if (stakes.length > 0 && confirm !== record.branch)
    return fail({
      type: 'confirm',
      message: `${stakes.join('; ')}. To discard it all the same, type the name of its branch: ${record.branch}`,
    })
  const kept = await keepCommit(tools, found, work.value)
  if (!kept.ok) return kept
  const { tip } = work.value
  const there = { folder: repository.commonFolder, commonFolder: repository.commonFolder }
  const common = repositoryGit(tools.git, there)
  return inRepositoryTurn(repository.commonFolder, async () => {
    // Its agent may have gone on since.
    const before = await records.read(record.path)
    if (before === null || (await isInUse(before))) return fail(inUse(record))
    const trashed = await common.run(['update-ref', trashRef(record.id), kept.value])
    if (!trashed.ok) return trashed
    const by = await identityOf(process.pid)
    const noted = await records.update(record.path, (now) => ({
      ...now,
      state: 'discarded',
      holder: null,
      head: tip,
      discarded: { at: tools.now(), by, head: kept.value, undoing: false },
    }))
    if (!noted.ok) return noted
    const removed = await removeCheckout(repository.commonFolder, record.path, (aside) =>
      isStillThat(tools, found, { aside, work: work.value }),
    )
    if (!removed.ok) {
      await records.update(record.path, () => record)
      await common.run(['update-ref', '-d', trashRef(record.id), kept.value])
      return removed
    }
    const tips = await tipsOf(common, [record.branch])
    if (!tips.ok || !tips.value.has(record.branch)) return ok(undefined)
    const gone = await removeBranch(common, record.branch, tip)
    // Somebody gave it new commits at this moment: then it stays, and nothing is lost.
    if (!gone.ok) tools.onProblem(`The branch ${record.branch} was left: ${gone.failure.message}`)
    return ok(undefined)
  })
}

/** Also where its folder was put aside. Failures: `moved`, and those of looking. */
async function isStillThat(
  { git }: ReviewTools,
  { record, repository }: FoundWorktree,
  { aside, work }: { readonly aside: string; readonly work: WholeWork },
): Promise<Result<unknown>> {
  if (!(await exists(aside))) return keepStrayHead(git, record)
  const now = work.isBroken
    ? await salvagedWork(git, { path: aside, commonFolder: repository.commonFolder, tip: work.tip })
    : await workSnapshot(confineGit(git, dirname(aside)), aside, { copied: record.copied, lenient: false })
  if (!now.ok) return now
  if (now.value.commit === work.commit) return ok(undefined)
  return fail({
    type: 'moved',
    message: `Something was written into ${record.path} at this moment, so it stays. Look at it, then try again.`,
  })
}

interface WholeWork extends WorkInWorktree {
  /** Its folder does not lead to its repository any more, or its branch is gone. */
  readonly isBroken: boolean
}

async function allOfIt(tools: ReviewTools, found: FoundWorktree): Promise<Result<WholeWork>> {
  const { git } = tools
  const { record, repository } = found
  const work = await lookInto(tools, found, { lenient: false })
  if (work.ok) return ok({ ...work.value, isBroken: false })
  if (!(await exists(record.path))) return work
  const ends = [branchRef(record.branch), record.head, record.base]
  const known = await Promise.all(
    ends.map((end) => (end === null ? null : commitOf(git, repository.top, end))),
  )
  const tip = known.find((commit) => commit !== null)
  if (!tip) return work
  const { commonFolder } = repository
  const salvaged = await salvagedWork(git, { path: record.path, commonFolder, tip })
  return salvaged.ok ? ok({ ...salvaged.value, tip, snapshot: null, isBroken: true }) : work
}

/** What would be missing without it, in words. */
async function atStake(
  tools: ReviewTools,
  found: FoundWorktree,
  { work, entry }: { readonly work: WholeWork; readonly entry: string | null },
): Promise<readonly string[]> {
  const { git, comparisons } = tools
  const { record, repository } = found
  const { snapshot, tip } = work
  const branch = record.target ?? repository.branch
  const target = branch === null ? null : await commitOf(git, repository.top, branchRef(branch))
  const stakes: string[] = []
  if (work.isBroken) stakes.push(`${record.path} does not lead to its repository, or its branch is gone`)
  const uncommitted = snapshot?.changed.length ?? 0
  if (uncommitted > 0)
    stakes.push(
      `${record.id} has uncommitted changes in ${uncommitted === 1 ? 'a file' : `${uncommitted} files`}`,
    )
  const committed = { ...work, snapshot: null }
  if (!(await isMerged(tools, found, { work: committed, target: target ?? undefined }))) {
    const ahead = await comparisons.ahead(repository.top, { target: target ?? record.base, tip })
    const count = ahead.ok ? ahead.value : 0
    stakes.push(
      `${count === 1 ? 'A commit' : `${count} commits`} on ${record.branch} ${count === 1 ? 'is' : 'are'} not merged into ${branch ?? 'any branch'}`,
    )
  }
  if (snapshot && snapshot.head !== tip && snapshot.ref === null)
    stakes.push(`${record.path} stands at a commit that is not on ${record.branch}`)
  const hidden = snapshot ? await hiddenFiles(git, record.path) : ok([])
  if (!hidden.ok) stakes.push(`What is in ${record.path} could not be looked at: ${hidden.failure.message}`)
  else if (hidden.value.length > 0)
    stakes.push(
      `Git was told not to look at changes in ${namedFiles(hidden.value)}, so they can’t be brought back`,
    )
  if (snapshot && snapshot.beyond.length > 0)
    stakes.push(
      `It holds repositories of their own, which can’t be brought back: ${namedFiles(snapshot.beyond)}`,
    )
  if (entry !== null && (await readdir(entry).catch((): string[] => [])).includes('modules'))
    stakes.push('Submodules were fetched into it, and work in them can’t be brought back')
  return stakes
}

/** The commit that holds all there is; where the folder stands elsewhere than its branch, it continues both. */
async function keepCommit(
  { git }: ReviewTools,
  { repository }: FoundWorktree,
  { tip, commit, tree, snapshot }: WorkInWorktree,
): Promise<Result<string>> {
  if (snapshot === null || snapshot.head === tip) return ok(commit)
  const args = ['commit-tree', '-p', tip, '-p', commit, '-m', 'Work in progress', tree]
  const made = await git.run(repository.top, args, { environment: NOBODY })
  return made.ok ? ok(made.value.trim()) : made
}
