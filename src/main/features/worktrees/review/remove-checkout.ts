/** Removes the folder of a worktree and its entry in git. The folder is renamed first, so that it vanishes at once. */
import { rm } from 'node:fs/promises'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { removeWorktreeEntry } from '../../../platform/git/worktree-entry.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { putAside, putBack } from '../remove-worktree.ts'
import { ioFailure } from '../worktree-records.ts'

/**
 * The caller has checked that nothing gets lost. `check` runs once more after the folder is renamed, when no program
 * finds it by its path. A failure leaves the folder unchanged.
 */
export async function removeCheckout(
  commonFolder: string,
  path: string,
  check: (aside: string) => Promise<ReviewResult<unknown>> = async () => ok(undefined),
): Promise<ReviewResult<void>> {
  let aside: string
  try {
    aside = await putAside(path)
  } catch (error) {
    return fail(ioFailure(error, 'The worktree can’t be removed', path))
  }
  const checked = await check(aside)
  if (!checked.ok) {
    if (await putBack(path)) return checked
    return fail({
      ...checked.failure,
      message: `${checked.failure.message} Another folder has its path now, so its files are in ${aside}.`,
    })
  }
  try {
    await removeWorktreeEntry(commonFolder, path)
    await rm(aside, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  } catch {
    // The worktree is gone for every program. The next start removes the remains on the disk.
  }
  return ok(undefined)
}
