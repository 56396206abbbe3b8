/** Restores a worktree for an agent that resumes: from its folder, its branch, or the commit it began from. */
import { dirname } from 'node:path'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { repositoryGit } from '../../platform/git/branches.ts'
import { repositoryAround } from '../../platform/git/repository.ts'
import { removeWorktreeEntry } from '../../platform/git/worktree-entry.ts'
import { makeFolders } from '../../platform/system/atomic-file.ts'
import { exists } from '../../platform/system/exists.ts'
import type { WorktreeFailure, WorktreeResult } from '../../runtime/ports/worktrees.ts'
import { fillWorktree } from './checkout-files.ts'
import { clearCutOff } from './cut-off-worktrees.ts'
import { explainFailure } from './failure-text.ts'
import { includedFiles } from './include-files.ts'
import { ABORTED, type WorktreeDeps } from './new-worktree.ts'
import { notJoined, rejoinWorktree } from './rejoin-worktree.ts'
import { removeRemains } from './remove-worktree.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { keepStrayCommits, strayCommitsText } from './stray-commits.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { ioFailure } from './worktree-records.ts'
import { checkoutFor, ensureBranch } from './worktree-sources.ts'

type Restored = WorktreeResult<{ readonly notes: readonly string[] }>

export async function restoreWorktree(
  deps: WorktreeDeps,
  location: WorktreeLocation,
  signal: AbortSignal,
): Promise<Restored> {
  if (signal.aborted) return fail(ABORTED)
  const record = await deps.records.read(location.path)
  if (record === null) return fail(noRecord(location))
  if (record.state === 'discarded') return fail(discarded(location))
  try {
    const restored = await withRepositoryLock(record.commonFolder, () => restore(deps, record, signal))
    if (!restored.ok)
      return fail(explainFailure(restored.failure, `The worktree ${location.path} could not be restored`))
    return restored
  } catch (error) {
    return fail(ioFailure(error, 'The worktree could not be restored', location.path))
  }
}

async function restore(deps: WorktreeDeps, before: WorktreeRecord, signal: AbortSignal): Promise<Restored> {
  const { records } = deps
  if (!(await exists(before.commonFolder))) return fail(noRepository(before))
  await clearCutOff(deps, before.commonFolder)
  const record = await records.read(before.path)
  if (record === null) return fail(noRecord(before))
  const restored = (await exists(record.path))
    ? await reconnect(deps, record)
    : await bringBack(deps, record, signal)
  if (!restored.ok) return restored
  const holder = await deps.self()
  const noted = await records.update(record.path, (now) => ({
    ...now,
    state: 'there',
    holder,
    ...(restored.value.copied === null ? {} : { copied: [...restored.value.copied] }),
  }))
  return noted.ok ? ok({ notes: restored.value.notes }) : noted
}

type BroughtBack = WorktreeResult<{
  readonly notes: readonly string[]
  /** Null: unchanged. */
  readonly copied: readonly string[] | null
}>

/** The folder exists; its connection to the repository may be broken. */
async function reconnect({ git }: WorktreeDeps, record: WorktreeRecord): Promise<BroughtBack> {
  const { path, commonFolder } = record
  const connected = await rejoinWorktree(git, record)
  if (!connected.ok) return connected
  const around = await repositoryAround(git, path)
  if (!around.ok) return around
  if (around.value.top !== path || around.value.commonFolder !== commonFolder) return fail(notJoined(record))
  return ok({ notes: connected.value, copied: null })
}

async function bringBack(
  deps: WorktreeDeps,
  record: WorktreeRecord,
  signal: AbortSignal,
): Promise<BroughtBack> {
  const { git } = deps
  const { path, commonFolder, branch } = record
  await makeFolders(dirname(path))
  const repository = repositoryGit(git, { folder: dirname(path), commonFolder })
  const begun = await ensureBranch(repository, record)
  if (!begun.ok) return begun
  const strays = await keepStrayCommits(git, record)
  if (!strays.ok) return strays
  await removeWorktreeEntry(commonFolder, path)
  // `git worktree add` takes the sparse-checkout patterns from the checkout that it runs in.
  const from = await checkoutFor(record)
  const add = ['worktree', 'add', '--no-checkout', '--', path, branch]
  const added = await (from === null ? repository.run(add) : git.run(from, add))
  if (!added.ok) return added
  const filled = await fillWorktree(deps, {
    record: { ...record, from: from ?? path },
    included: async () =>
      from === null ? ok({ paths: [], notes: [] }) : includedFiles(git, from, { signal }),
    signal,
  })
  if (!filled.ok) {
    await removeRemains(commonFolder, path)
    return filled
  }
  const lost =
    record.state === 'there'
      ? ['The folder had been deleted and was restored from its branch. Uncommitted changes are lost.']
      : []
  const kept = strays.value.length === 0 ? [] : [strayCommitsText(strays.value)]
  return ok({ notes: [...lost, ...kept, ...filled.value.notes], copied: filled.value.copied })
}

const noRecord = ({ path, branch }: Pick<WorktreeLocation, 'path' | 'branch'>): WorktreeFailure => ({
  type: 'not-there',
  message: `The record of the worktree ${path} is missing or can’t be read. If its branch ${branch} still exists, its work is on that branch.`,
})

const discarded = ({ branch }: WorktreeLocation): WorktreeFailure => ({
  type: 'discarded',
  message: `This agent’s worktree was discarded with its branch ${branch}. To resume the agent, undo the discard in Review. That is possible until the next start of Troupe.`,
})

const noRepository = ({ commonFolder }: WorktreeRecord): WorktreeFailure => ({
  type: 'not-there',
  message: `The repository at ${dirname(commonFolder)} is gone, so the worktree can’t be used. If you moved the repository, move it back.`,
})
