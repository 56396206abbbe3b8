/** What the start of the program clears up: what was discarded before, and what was cut off half way. */
import { ok, type Result } from '../../../../shared/result.ts'
import { isRunning } from '../../transcripts/process-identity.ts'
import { repositoryGit, tipsOf } from '../branch-ref.ts'
import { clearCutOff } from '../cut-off-worktrees.ts'
import { exists, removeRemains } from '../remove-worktree.ts'
import type { Repository } from '../repository.ts'
import { inRepositoryTurn } from '../repository-turn.ts'
import type { FoundWorktree, ReviewTools } from './review-tools.ts'
import { ownerOfKept, trashRef } from './trash-ref.ts'
import { undoDiscard } from './undo-discard.ts'

/** ms after a discard in which refs of work that was taken back stay: 30 days. */
const KEPT_FOR = 30 * 24 * 60 * 60 * 1000

/** What can't be cleared stays; why is told. */
export async function tidyWorktrees(tools: ReviewTools, repository: Repository): Promise<void> {
  const { commonFolder } = repository
  await inRepositoryTurn(commonFolder, async () => {
    await clearCutOff(tools, commonFolder)
    const common = repositoryGit(tools.git, { folder: commonFolder, commonFolder })
    const listed = await common.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/troupe/'])
    if (!listed.ok) return tools.onProblem(`What was discarded stays: ${listed.failure.message}`)
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
        tools.onProblem(`The worktree ${record.id} could not be tidied: ${tidied.failure.message}`)
    }
  })
}

/** Its branch, if there is one, stays: the discard was cut off, or somebody made it again by hand. */
async function drop(
  { git, records }: ReviewTools,
  { repository: { commonFolder }, record }: FoundWorktree,
  refs: readonly (readonly [ref: string, commit: string])[],
): Promise<Result<unknown>> {
  const common = repositoryGit(git, { folder: commonFolder, commonFolder })
  if (await exists(record.path)) {
    // It was cut off before anything went, so it was not discarded.
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
