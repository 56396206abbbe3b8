/** Commits the uncommitted changes of an ended agent, before its branch is merged. */

import { dirname } from 'node:path'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { confineGit } from '../../../platform/git/with-options.ts'
import { exists } from '../../../platform/system/exists.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { commitAll } from '../commit-all.ts'
import { fileListText } from '../named-files.ts'
import { followHead } from '../own-branch.ts'
import { isConnected, rejoinWorktree } from '../rejoin-worktree.ts'
import { withRepositoryLock } from '../repository-lock.ts'
import { withoutStaleLock } from '../stale-lock.ts'
import { taskMessage } from '../task-message.ts'
import { excludesFileOf } from '../worktree-excludes.ts'
import { type FoundWorktree, type ReviewTools, readWork } from './review-tools.ts'

/**
 * Moves the branch to the checked-out commit. Fails as `unfinished` where conflicts are left, or where branch and
 * checkout have diverged. @returns the tip, with all work that can be committed
 */
export async function savedBranch(tools: ReviewTools, found: FoundWorktree): Promise<ReviewResult<string>> {
  const { record } = found
  if ((await exists(record.path)) && !(await isConnected(record))) {
    const connected = await withRepositoryLock(record.commonFolder, () => rejoinWorktree(tools.git, record))
    if (!connected.ok) return connected
  }
  const work = await readWork(tools, found, { lenient: true })
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
        message: `Conflicts are left in ${fileListText(saved.value.unfinished)} of ${record.id}. Ask its agent to resolve them, or abort the merge.`,
      })
  }
  const own = await followHead(git, record)
  if (!own.ok) return own
  if (own.value.tip === own.value.head) return ok(own.value.tip)
  return fail({
    type: 'unfinished',
    message: `The checked-out commit in ${record.path} and the branch ${record.branch} have diverged. Merge the commits you want into ${record.branch} there, then try again.`,
  })
}
