/** The cleanup when the program starts: drops discarded worktrees and cleans up interrupted operations. */
import { ok } from '../../../../shared/kernel/result.ts'
import { repositoryGit, tipsOf } from '../../../platform/git/branches.ts'
import type { Repository } from '../../../platform/git/repository.ts'
import { exists } from '../../../platform/system/exists.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { clearCutOff } from '../cut-off-worktrees.ts'
import { ownerOfKept, trashRef } from '../kept-refs.ts'
import { removeRemains } from '../remove-worktree.ts'
import { withRepositoryLock } from '../repository-lock.ts'
import type { FoundWorktree, ReviewTools } from './review-tools.ts'
import { undoDiscard } from './undo-discard.ts'

/** ms. Kept refs of a discarded worktree stay for 30 days. */
const KEPT_FOR = 30 * 24 * 60 * 60 * 1000

/** Failures are reported and leave everything in place. */
export async function tidyWorktrees(tools: ReviewTools, repository: Repository): Promise<void> {
  const { commonFolder } = repository
  await withRepositoryLock(commonFolder, async () => {
    await clearCutOff(tools, commonFolder)
    const common = repositoryGit(tools.git, { folder: commonFolder, commonFolder })
    const listed = await common.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/troupe/'])
    if (!listed.ok) return tools.onProblem(`Discarded worktrees were not removed: ${listed.failure.message}`)
    const refs = listed.value
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [ref: string, commit: string])
    for (const record of await tools.records.ofRepository(commonFolder)) {
      const { discarded } = record
      if (record.state !== 'discarded' || discarded === null) continue
      if (await isRunning(discarded.by)) continue
      const found = { repository, record }
      const own = refs.filter(([ref]) => ref === trashRef(record.id))
      const old = discarded.at + KEPT_FOR < tools.now()
      if (old) own.push(...refs.filter(([ref]) => ownerOfKept(ref) === record.id))
      const tidied = discarded.undoing ? await undoDiscard(tools, found) : await drop(tools, found, own)
      if (!tidied.ok)
        tools.onProblem(`The worktree ${record.id} could not be cleaned up: ${tidied.failure.message}`)
    }
  })
}

/** An existing branch stays: the discard was interrupted, or a user made the branch again. */
async function drop(
  { git, records }: ReviewTools,
  { repository: { commonFolder }, record }: FoundWorktree,
  refs: readonly (readonly [ref: string, commit: string])[],
): Promise<ReviewResult<unknown>> {
  const common = repositoryGit(git, { folder: commonFolder, commonFolder })
  if (await exists(record.path)) {
    // The discard was interrupted before anything was removed: undo it.
    const tips = await tipsOf(common, [record.branch])
    if (!tips.ok || !tips.value.has(record.branch)) return tips
    const back = await records.update(record.path, (now) => ({ ...now, state: 'there', discarded: null }))
    if (!back.ok) return back
  } else if (refs.length > 0) await removeRemains(commonFolder, record.path)
  for (const [ref, commit] of refs) {
    const gone = await common.run(['update-ref', '-d', ref, commit])
    if (!gone.ok) return gone
  }
  return ok(undefined)
}
