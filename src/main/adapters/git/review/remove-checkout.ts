/** Takes the folder of a worktree away, with its entry in git: at once for everybody who looks, then from the disk. */
import { rm } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { putAside, putBack } from '../remove-worktree.ts'
import { removeEntry } from '../worktree-entry.ts'
import { ioFailure } from '../worktree-records.ts'

/**
 * The caller made sure that nothing is lost with it; `check` looks once more when nobody finds it by its path.
 * Failures: `io` and those of the check; then the folder is as it was.
 */
export async function removeCheckout(
  commonFolder: string,
  path: string,
  check: (aside: string) => Promise<Result<unknown>> = async () => ok(undefined),
): Promise<Result<void>> {
  let aside: string
  try {
    aside = await putAside(path)
  } catch (error) {
    return fail(ioFailure(error, 'The worktree can’t be removed', path))
  }
  const checked = await check(aside)
  if (!checked.ok) {
    if (await putBack(path)) return checked
    const { type, message } = checked.failure
    return fail({ type, message: `${message} Something else lies there now: its files are in ${aside}.` })
  }
  try {
    await removeEntry(commonFolder, path)
    await rm(aside, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  } catch {
    // Nobody finds it any more; what is left on the disk goes at the next start.
  }
  return ok(undefined)
}
