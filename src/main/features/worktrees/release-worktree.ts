/** Releases a worktree. An unchanged worktree is removed with its branch; all others stay. */
import { rename } from 'node:fs/promises'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { removeBranch, repositoryGit } from '../../platform/git/branches.ts'
import { exists } from '../../platform/system/exists.ts'
import { isRunning } from '../../platform/system/process-identity.ts'
import type { WorktreeDeps } from './new-worktree.ts'
import { putAside, removeRemains } from './remove-worktree.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { isUnchanged } from './unchanged-work.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** Throws errors of the disk. @returns whether the worktree was removed */
export async function releaseWorktree(deps: WorktreeDeps, location: WorktreeLocation): Promise<boolean> {
  const { records } = deps
  const self = await deps.self()
  const before = await records.read(location.path)
  if (before === null) return false
  const { holder } = before
  const isOurs = holder === null || (holder.pid === self.pid && holder.start === self.start)
  if (!isOurs && (await isRunning(holder))) return false
  const released = await records.update(location.path, (record) => ({ ...record, holder: null }))
  if (!released.ok) throw new Error(released.failure.message)
  if (released.value === null || released.value.state !== 'there') return false
  const record = released.value
  if (!(await isUnchanged(deps.git, record))) return false
  await deps.onLeaving(record.path)
  return withRepositoryLock(record.commonFolder, () => removeUnchanged(deps, record))
}

/** Checks once more after the folder is out of reach of programs that know its path. */
async function removeUnchanged(deps: WorktreeDeps, record: WorktreeRecord): Promise<boolean> {
  const { git, records } = deps
  const { path, commonFolder, branch } = record
  // An agent may have resumed meanwhile.
  const now = await records.read(path)
  if (now === null || now.holder !== null || now.state !== 'there') return false
  const aside = await putAside(path)
  const putBack = async () => {
    if (!(await exists(path))) await rename(aside, path)
    return false
  }
  try {
    if (!(await isUnchanged(git, record, aside))) return await putBack()
    const noted = await records.update(path, (current) => ({
      ...current,
      state: 'removed',
      head: record.carried ?? record.base,
    }))
    if (!noted.ok) return await putBack()
    const repository = repositoryGit(git, { folder: commonFolder, commonFolder })
    const removed = await removeBranch(repository, branch, record.carried ?? record.base)
    if (!removed.ok) {
      await putBack()
      await records.update(path, (current) => ({ ...current, state: 'there' }))
      return false
    }
  } catch (error) {
    await putBack().catch(() => undefined)
    throw error
  }
  await removeRemains(commonFolder, path)
  return true
}
