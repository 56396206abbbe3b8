/** The sources that a worktree is restored from: its branch, and the checkout that it was created from. */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { makeBranch, type RepositoryGit, tipsOf } from '../../platform/git/branches.ts'
import { isJoined, worktreeEntryOf } from '../../platform/git/worktree-entry.ts'
import { exists } from '../../platform/system/exists.ts'
import type { WorktreeResult } from '../../runtime/ports/worktrees.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** Creates the branch again if it is missing, at the last known commit of its work. */
export async function ensureBranch(
  repository: RepositoryGit,
  record: WorktreeRecord,
): Promise<WorktreeResult<void>> {
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
    message: `The worktree ${record.path} and its branch ${branch} are gone. Start a new agent for this work.`,
  })
}

/** The top of the checkout that the worktree was created from, if it still belongs to this repository. */
export async function checkoutFor({ from, commonFolder }: WorktreeRecord): Promise<string | null> {
  if (!(await exists(join(from, '.git')))) return null
  if ((await realpath(join(from, '.git')).catch(() => null)) === commonFolder) return from
  const entry = await worktreeEntryOf(commonFolder, from)
  return entry !== null && (await isJoined(entry, from)) ? from : null
}
