/** What a worktree is made again from: its branch, and the checkout that it began in. */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { makeBranch, type RepositoryGit, tipsOf } from './branch-ref.ts'
import { exists } from './remove-worktree.ts'
import { entryOf, isJoined } from './worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** The branch stands where its work ends, made again if need be. Failures: `not-there`, `git`. */
export async function branchAgain(repository: RepositoryGit, record: WorktreeRecord): Promise<Result<void>> {
  const { branch, base, carried, head, state } = record
  const tips = await tipsOf(repository, [branch])
  if (!tips.ok) return tips
  if (tips.value.has(branch)) return ok(undefined)
  const ends = [head, ...(state === 'removed' ? [carried, base] : [])]
  for (const commit of ends) {
    if (commit === null || !(await repository.run(['cat-file', '-e', `${commit}^{commit}`])).ok) continue
    const made = await makeBranch(repository, branch, commit)
    if (!made.ok) return made
    if (made.value === 'made') return ok(undefined)
  }
  return fail({
    type: 'not-there',
    message: `The worktree ${record.path} is gone, and so is its branch ${branch}: nothing of it is left. Start a new agent for this work.`,
  })
}

/** The top of the checkout it was made from, if that still belongs to this repository. */
export async function checkoutFor({ from, commonFolder }: WorktreeRecord): Promise<string | null> {
  if (!(await exists(join(from, '.git')))) return null
  if ((await realpath(join(from, '.git')).catch(() => null)) === commonFolder) return from
  const entry = await entryOf(commonFolder, from)
  return entry !== null && (await isJoined(entry, from)) ? from : null
}
