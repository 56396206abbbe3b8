/** Restores a discarded worktree: its branch, its folder and its uncommitted changes. */
import { fail, ok } from '../../../shared/result.ts'
import type { ReviewResult } from '../../runtime/worktrees.ts'
import { makeBranch, type RepositoryGit, repositoryGit, tipsOf } from '../git/branches.ts'
import { commitOf } from '../git/rev-parse.ts'
import { identityOf } from '../system/process-identity.ts'
import { copyIncluded } from '../worktrees/include-files.ts'
import { keptRef, trashRef } from '../worktrees/kept-refs.ts'
import { removeAside } from '../worktrees/remove-worktree.ts'
import { strayHeadText } from '../worktrees/stray-head.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'
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
  const restored = await restore(tools, { common, commonFolder, record, tip: record.head, kept })
  if (!restored.ok) {
    await records.update(record.path, () => record)
    return restored
  }
  const notes = restored.value.isStray
    ? [...record.notes, strayHeadText(keptRef(record.id, kept))]
    : record.notes
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
    commonFolder,
    record,
    tip,
    kept,
  }: {
    readonly common: RepositoryGit
    readonly commonFolder: string
    readonly record: WorktreeRecord
    readonly tip: string
    readonly kept: string
  },
): Promise<ReviewResult<{ readonly isStray: boolean }>> {
  const { branch, path } = record
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
  const filled = await git.run(path, ['read-tree', '--reset', '-u', kept])
  if (!filled.ok) return filled
  const unstaged = await git.run(path, ['reset', '--mixed', '--quiet'])
  if (!unstaged.ok) return unstaged
  await copyIncluded(record.from, path, record.copied).catch(() => [])
  if (kept === tip) return ok({ isStray: false })
  const parents = await git.run(path, ['rev-list', '--count', `${kept}^@`, `^${tip}`])
  if (!parents.ok) return parents
  const isStray = Number(parents.value) > 0
  if (isStray) {
    const saved = await common.run(['update-ref', keptRef(record.id, kept), kept])
    if (!saved.ok) return saved
  }
  return ok({ isStray })
}
