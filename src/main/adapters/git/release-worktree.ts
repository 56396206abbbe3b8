/** Lets go of a worktree. One in which nothing differs from its base goes with its branch; all others stay. */
import { rename } from 'node:fs/promises'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { isRunning } from '../transcripts/process-identity.ts'
import { removeBranch, repositoryGit } from './branch-ref.ts'
import type { WorktreeDeps } from './new-worktree.ts'
import { exists, putAside, removeRemains } from './remove-worktree.ts'
import { inRepositoryTurn } from './repository-turn.ts'
import { isUnchanged } from './unchanged-work.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** Throws what the disk says. */
export async function releaseWorktree(deps: WorktreeDeps, place: WorktreePlace): Promise<void> {
  const { records } = deps
  const self = await deps.self()
  const before = await records.read(place.path)
  if (before === null) return
  const { holder } = before
  const isOurs = holder === null || (holder.pid === self.pid && holder.start === self.start)
  if (!isOurs && (await isRunning(holder))) return
  const released = await records.update(place.path, (record) => ({ ...record, holder: null }))
  if (!released.ok) throw new Error(released.failure.message)
  if (released.value === null || released.value.state !== 'there') return
  const record = released.value
  if (!(await isUnchanged(deps.git, record))) return
  await inRepositoryTurn(record.commonFolder, () => removeUnchanged(deps, record))
}

/** Looks once more when nobody can reach it by its path any more. */
async function removeUnchanged(deps: WorktreeDeps, record: WorktreeRecord): Promise<void> {
  const { git, records } = deps
  const { path, commonFolder, branch } = record
  // Somebody may have taken it up again meanwhile.
  const now = await records.read(path)
  if (now === null || now.holder !== null || now.state !== 'there') return
  const aside = await putAside(path)
  const putBack = async () => {
    if (!(await exists(path))) await rename(aside, path)
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
      return
    }
  } catch (error) {
    await putBack().catch(() => undefined)
    throw error
  }
  await removeRemains(commonFolder, path)
}
