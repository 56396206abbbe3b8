/** Brings a worktree back for an agent that goes on: from its folder, its branch, or the commit it began from. */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { repositoryGit } from './branch-ref.ts'
import { fillWorktree } from './checkout-files.ts'
import { clearCutOff } from './cut-off-worktrees.ts'
import { inWords } from './git-words.ts'
import { includedFiles } from './include-files.ts'
import { ABORTED, type WorktreeDeps } from './new-worktree.ts'
import { notJoined, rejoinWorktree } from './rejoin-worktree.ts'
import { exists, removeRemains } from './remove-worktree.ts'
import { repositoryAround } from './repository.ts'
import { inRepositoryTurn } from './repository-turn.ts'
import { keepStrayHead, strayWords } from './stray-head.ts'
import { removeEntry } from './worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { ioFailure } from './worktree-records.ts'
import { branchAgain, checkoutFor } from './worktree-sources.ts'

type Restored = Result<{ readonly notes: readonly string[] }>

export async function restoreWorktree(
  deps: WorktreeDeps,
  place: WorktreePlace,
  signal: AbortSignal,
): Promise<Restored> {
  if (signal.aborted) return fail(ABORTED)
  const record = await deps.records.read(place.path)
  if (record === null) return fail(noRecord(place))
  if (record.state === 'discarded') return fail(discarded(place))
  try {
    const restored = await inRepositoryTurn(record.commonFolder, () => restore(deps, record, signal))
    if (!restored.ok)
      return fail(inWords(restored.failure, `The worktree ${place.path} could not be brought back`))
    return restored
  } catch (error) {
    return fail(ioFailure(error, 'The worktree could not be brought back', place.path))
  }
}

async function restore(deps: WorktreeDeps, before: WorktreeRecord, signal: AbortSignal): Promise<Restored> {
  const { records } = deps
  if (!(await exists(before.commonFolder))) return fail(noRepository(before))
  await clearCutOff(deps, before.commonFolder)
  const record = await records.read(before.path)
  if (record === null) return fail(noRecord(before))
  const restored = (await exists(record.path))
    ? await takeUp(deps, record)
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

type BroughtBack = Result<{
  readonly notes: readonly string[]
  /** Null: as before. */
  readonly copied: readonly string[] | null
}>

/** The folder is there; its tie to the repository may not be. */
async function takeUp({ git }: WorktreeDeps, record: WorktreeRecord): Promise<BroughtBack> {
  const { path, commonFolder } = record
  const tied = await rejoinWorktree(git, record)
  if (!tied.ok) return tied
  const around = await repositoryAround(git, path)
  if (!around.ok) return around
  if (around.value.top !== path || around.value.commonFolder !== commonFolder) return fail(notJoined(record))
  return ok({ notes: tied.value, copied: null })
}

async function bringBack(
  deps: WorktreeDeps,
  record: WorktreeRecord,
  signal: AbortSignal,
): Promise<BroughtBack> {
  const { git } = deps
  const { path, commonFolder, branch } = record
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const repository = repositoryGit(git, { folder: dirname(path), commonFolder })
  const begun = await branchAgain(repository, record)
  if (!begun.ok) return begun
  const stray = await keepStrayHead(git, record)
  if (!stray.ok) return stray
  await removeEntry(commonFolder, path)
  // A checkout that is there tells git which part of the files is wanted.
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
      ? [
          'Its folder had been deleted: it is there again from its branch. What was not committed in it is lost.',
        ]
      : []
  const kept = stray.value === null ? [] : [strayWords(stray.value)]
  return ok({ notes: [...lost, ...kept, ...filled.value.notes], copied: filled.value.copied })
}

const noRecord = ({ path, branch }: Pick<WorktreePlace, 'path' | 'branch'>): Failure => ({
  type: 'not-there',
  message: `What Troupe wrote down of the worktree ${path} is gone or can’t be read. If its branch ${branch} is still there, its work is on it.`,
})

const discarded = ({ branch }: WorktreePlace): Failure => ({
  type: 'discarded',
  message: `This agent’s worktree was discarded, with its branch ${branch}. Bring it back in Review if you want the agent to go on; that is possible until Troupe is started the next time.`,
})

const noRepository = ({ commonFolder }: WorktreeRecord): Failure => ({
  type: 'not-there',
  message: `The repository at ${dirname(commonFolder)} is gone, so the worktree can’t be used. Put it back if you moved it.`,
})
