/** Restores a discarded worktree: its branch, its folder and its uncommitted changes. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import {
  branchRef,
  makeBranch,
  type RepositoryGit,
  repositoryGit,
  tipsOf,
} from '../../../platform/git/branches.ts'
import { listCheckouts } from '../../../platform/git/checkouts.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { identityOf } from '../../../platform/system/process-identity.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { copyIncluded } from '../include-files.ts'
import { trashRef } from '../kept-refs.ts'
import { removeAside } from '../remove-worktree.ts'
import { type CheckedOut, listKept, strayCommitsText } from '../stray-commits.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { removeCheckout } from './remove-checkout.ts'
import type { FoundWorktree, ReviewTools } from './review-tools.ts'

/** Can be repeated after a failure. */
export async function undoDiscard(
  tools: ReviewTools,
  { repository, record }: FoundWorktree,
): Promise<ReviewResult<void>> {
  const { git, records } = tools
  const { commonFolder, top } = repository
  const kept = await commitOf(git, top, trashRef(record.id))
  if (record.discarded === null || kept === null || record.head === null)
    return fail({ type: 'not-there', message: `The content of ${record.id} is no longer kept.` })
  const common = repositoryGit(git, { folder: commonFolder, commonFolder })
  const by = await identityOf(process.pid)
  // If this is interrupted, the next start completes it.
  const discarded = { ...record.discarded, by, undoing: true }
  const noted = await records.update(record.path, (now) => ({ ...now, discarded }))
  if (!noted.ok) return noted
  const restored = await restore(tools, { common, record, tip: record.head, kept })
  if (!restored.ok) {
    await records.update(record.path, () => record)
    return restored
  }
  const refs = await listKept(common, record.id)
  if (!refs.ok) return refs
  const note = strayCommitsText(refs.value)
  const isNew = refs.value.length > 0 && !record.notes.includes(note)
  const notes = isNew ? [...record.notes, note] : record.notes
  const done = await records.update(record.path, (now) => ({
    ...now,
    state: 'there',
    holder: null,
    discarded: null,
    resolving: null,
    notes,
  }))
  if (!done.ok) return done
  await common.run(['update-ref', '-d', trashRef(record.id), kept])
  return ok(undefined)
}

async function restore(
  { git }: ReviewTools,
  {
    common,
    record,
    tip,
    kept,
  }: {
    readonly common: RepositoryGit
    readonly record: WorktreeRecord
    readonly tip: string
    readonly kept: string
  },
): Promise<ReviewResult<unknown>> {
  const { branch, path, commonFolder } = record
  const made = await makeBranch(common, branch, tip)
  if (!made.ok) return made
  const tips = await tipsOf(common, [branch])
  if (!tips.ok) return tips
  if (tips.value.get(branch)?.commit !== tip)
    return fail({
      type: 'git',
      message: `Another branch is named "${branch}" now. Rename it (\`git branch -m ${branch} …\`), then try again.`,
    })
  // An interrupted attempt may have left part of the folder. The kept commit holds all of it.
  await removeAside(path)
  const cleared = await removeCheckout(commonFolder, path)
  if (!cleared.ok) return cleared
  const added = await common.run(['worktree', 'add', '--no-checkout', '--quiet', path, branch])
  if (!added.ok) return added
  const switched = await checkOut(git, record, record.discarded?.checkedOut ?? null)
  if (!switched.ok) return switched
  const filled = await git.run(path, ['read-tree', '--reset', '-u', kept])
  if (!filled.ok) return filled
  const unstaged = await git.run(path, ['reset', '--mixed', '--quiet'])
  if (!unstaged.ok) return unstaged
  await copyIncluded(record.from, path, record.copied).catch(() => [])
  return ok(undefined)
}

/** Points HEAD at the former checkout. A branch that moved or that is checked out elsewhere is left alone. */
async function checkOut(
  git: Git,
  { path, branch }: WorktreeRecord,
  checkedOut: CheckedOut | null,
): Promise<ReviewResult<unknown>> {
  if (checkedOut === null || checkedOut.ref === branchRef(branch)) return ok(undefined)
  const { commit, ref } = checkedOut
  const checkouts = await listCheckouts(git, path)
  if (!checkouts.ok) return checkouts
  const isFree = ref !== null && checkouts.value.every((other) => other.ref !== ref)
  if (isFree && (await commitOf(git, path, ref)) === commit)
    return git.run(path, ['symbolic-ref', 'HEAD', ref])
  return git.run(path, ['update-ref', '--no-deref', 'HEAD', commit])
}
