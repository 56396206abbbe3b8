/** Brings back a worktree that was discarded: its branch, its folder, and what was not committed in it. */
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { identityOf } from '../../transcripts/process-identity.ts'
import { makeBranch, type RepositoryGit, repositoryGit, tipsOf } from '../branch-ref.ts'
import { copyIncluded } from '../include-files.ts'
import { removeAside } from '../remove-worktree.ts'
import { strayWords } from '../stray-head.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { removeCheckout } from './remove-checkout.ts'
import { commitOf, type FoundWorktree, type ReviewTools } from './review-tools.ts'
import { keptRef, trashRef } from './trash-ref.ts'

/** Failures: `not-there` (nothing is kept of it any more), `git`, `io`. Then it can be tried again. */
export async function undoDiscard(
  tools: ReviewTools,
  { repository, record }: FoundWorktree,
): Promise<Result<void>> {
  const { git, records } = tools
  const { commonFolder, top } = repository
  const kept = await commitOf(git, top, trashRef(record.id))
  if (record.discarded === null || kept === null || record.head === null)
    return fail({ type: 'not-there', message: `Nothing is kept of ${record.id} any more.` })
  const common = repositoryGit(git, { folder: commonFolder, commonFolder })
  const by = await identityOf(process.pid)
  // If this is cut off, the next start sees that it was coming back and goes on.
  const discarded = { ...record.discarded, by, undoing: true }
  const noted = await records.update(record.path, (now) => ({ ...now, discarded }))
  if (!noted.ok) return noted
  const back = await bringBack(tools, { common, commonFolder, record, tip: record.head, kept })
  if (!back.ok) {
    await records.update(record.path, () => record)
    return back
  }
  const notes = back.value.isStray ? [...record.notes, strayWords(keptRef(record.id, kept))] : record.notes
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

async function bringBack(
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
): Promise<Result<{ readonly isStray: boolean }>> {
  const { branch, path } = record
  const made = await makeBranch(common, branch, tip)
  if (!made.ok) return made
  const tips = await tipsOf(common, [branch])
  if (!tips.ok) return tips
  if (tips.value.get(branch)?.commit !== tip)
    return fail({
      type: 'git',
      message: `There is another branch "${branch}" now. Rename it (\`git branch -m ${branch} …\`), then try again.`,
    })
  // Half of a folder may be there from a try that was cut off; all of it is in the commit that was kept.
  await removeAside(path)
  const cleared = await removeCheckout(commonFolder, path)
  if (!cleared.ok) return cleared
  const added = await common.run(['worktree', 'add', '--no-checkout', '--quiet', path, branch])
  if (!added.ok) return added
  const filled = await git.run(path, ['read-tree', '--reset', '-u', kept])
  if (!filled.ok) return filled
  const parted = await git.run(path, ['reset', '--mixed', '--quiet'])
  if (!parted.ok) return parted
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
