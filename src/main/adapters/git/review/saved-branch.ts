/** What an ended agent left uncommitted, brought onto its branch before anything is done with the branch. */

import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { commitAll } from '../commit-all.ts'
import { followHead } from '../own-branch.ts'
import { isTied, rejoinWorktree } from '../rejoin-worktree.ts'
import { exists } from '../remove-worktree.ts'
import { inRepositoryTurn } from '../repository-turn.ts'
import { withoutStaleLock } from '../stale-lock.ts'
import { taskMessage } from '../task-message.ts'
import { excludesFileOf } from '../worktree-excludes.ts'
import { namedFiles } from './named-files.ts'
import { confineGit, type FoundWorktree, lookInto, type ReviewTools } from './review-tools.ts'

/**
 * The branch follows what is checked out. @returns its tip, with all work that can be committed. Failures:
 * `unfinished` (conflicts, or the two went apart), `not-there`, `git`
 */
export async function savedBranch(tools: ReviewTools, found: FoundWorktree): Promise<Result<string>> {
  const { record } = found
  if ((await exists(record.path)) && !(await isTied(record))) {
    const tied = await inRepositoryTurn(record.commonFolder, () => rejoinWorktree(tools.git, record))
    if (!tied.ok) return tied
  }
  const work = await lookInto(tools, found, { lenient: true })
  if (!work.ok) return work
  const { snapshot, tip } = work.value
  if (snapshot === null) return ok(tip)
  const git = confineGit(tools.git, dirname(record.path))
  if (snapshot.changed.length > 0 || snapshot.merging.length > 0) {
    const saved = await withoutStaleLock(record, () =>
      commitAll(git, record.path, {
        message: taskMessage(record.owner.task, record.ended),
        excludesFile: excludesFileOf(record.path),
        never: record.copied,
      }),
    )
    if (!saved.ok) return saved
    if (saved.value.unfinished.length > 0)
      return fail({
        type: 'unfinished',
        message: `Conflicts are left in ${namedFiles(saved.value.unfinished)} of ${record.id}. Let its agent resolve them, or take the merge back.`,
      })
  }
  const own = await followHead(git, record)
  if (!own.ok) return own
  if (own.value.tip === own.value.head) return ok(own.value.tip)
  return fail({
    type: 'unfinished',
    message: `What is checked out in ${record.path} and the branch ${record.branch} went apart. Merge what you want into ${record.branch} there, then try again.`,
  })
}
