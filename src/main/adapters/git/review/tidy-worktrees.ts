/** What the start of the program clears up: what was discarded before, and what was cut off half way. */
import { ok, type Result } from '../../../../shared/result.ts'
import { isRunning } from '../../transcripts/process-identity.ts'
import { branchRef, removeBranch, repositoryGit } from '../branch-ref.ts'
import { clearCutOff } from '../cut-off-worktrees.ts'
import { exists, removeRemains } from '../remove-worktree.ts'
import type { Repository } from '../repository.ts'
import { inRepositoryTurn } from '../repository-turn.ts'
import { commitOf, type FoundWorktree, type ReviewTools } from './review-tools.ts'
import { trashRef } from './trash-ref.ts'
import { undoDiscard } from './undo-discard.ts'

/** What can't be cleared stays; why is told. */
export async function tidyWorktrees(tools: ReviewTools, repository: Repository): Promise<void> {
  const { commonFolder } = repository
  await inRepositoryTurn(commonFolder, async () => {
    await clearCutOff(tools, commonFolder)
    for (const record of await tools.records.ofRepository(commonFolder)) {
      if (record.state !== 'discarded' || record.discarded === null) continue
      if (await isRunning(record.discarded.by)) continue
      const found = { repository, record }
      const tidied = record.discarded.undoing ? await undoDiscard(tools, found) : await drop(tools, found)
      if (!tidied.ok)
        tools.onProblem(`The worktree ${record.id} could not be tidied: ${tidied.failure.message}`)
    }
  })
}

async function drop(
  { git, records }: ReviewTools,
  { repository, record }: FoundWorktree,
): Promise<Result<unknown>> {
  const { commonFolder, top } = repository
  const [kept, branch, folder] = await Promise.all([
    commitOf(git, top, trashRef(record.id)),
    commitOf(git, top, branchRef(record.branch)),
    exists(record.path),
  ])
  const common = repositoryGit(git, { folder: commonFolder, commonFolder })
  const dropRef = async (): Promise<Result<unknown>> =>
    kept === null ? ok(undefined) : common.run(['update-ref', '-d', trashRef(record.id), kept])
  if (folder) {
    // It was cut off before anything went, so it was not discarded.
    if (branch === null) return ok(undefined)
    const back = await records.update(record.path, (now) => ({ ...now, state: 'there', discarded: null }))
    return back.ok ? dropRef() : back
  }
  await removeRemains(commonFolder, record.path)
  if (branch !== null && branch === record.head) {
    const gone = await removeBranch(common, record.branch, branch)
    if (!gone.ok) return gone
  }
  return dropRef()
}
