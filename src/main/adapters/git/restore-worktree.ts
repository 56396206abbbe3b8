/** Brings a worktree back for an agent that goes on: from its folder, its branch, or the commit it began from. */
import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { makeBranch, type RepositoryGit, repositoryGit, tipsOf } from './branch-ref.ts'
import { fillWorktree } from './checkout-files.ts'
import { clearCutOff } from './cut-off-worktrees.ts'
import { inWords } from './git-words.ts'
import { includedFiles } from './include-files.ts'
import { ABORTED, type WorktreeDeps } from './new-worktree.ts'
import { exists, removeRemains } from './remove-worktree.ts'
import { repositoryAround } from './repository.ts'
import { inRepositoryTurn } from './repository-turn.ts'
import { keepStrayHead, strayWords } from './stray-head.ts'
import { entryOf, isJoined, removeEntry } from './worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { ioFailure } from './worktree-records.ts'

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
    ? await rejoin(deps, record)
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
async function rejoin({ git }: WorktreeDeps, record: WorktreeRecord): Promise<BroughtBack> {
  const { path, commonFolder } = record
  const notes: string[] = []
  const entry = await entryOf(commonFolder, path)
  if (entry === null) return fail(notJoined(record))
  if (!(await isJoined(entry, path))) {
    const link = join(path, '.git')
    const found = await lstat(link).catch(() => null)
    if (found !== null && !found.isFile()) return fail(notJoined(record))
    await writeFile(link, `gitdir: ${entry}\n`)
    notes.push('Its .git file was damaged; it leads to its repository again.')
  }
  const around = await repositoryAround(git, path)
  if (!around.ok) return around
  if (around.value.top !== path || around.value.commonFolder !== commonFolder) return fail(notJoined(record))
  return ok({ notes, copied: null })
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

/** The branch stands where its work ends, made again if need be. */
async function branchAgain(repository: RepositoryGit, record: WorktreeRecord): Promise<Result<void>> {
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
async function checkoutFor({ from, commonFolder }: WorktreeRecord): Promise<string | null> {
  if (!(await exists(join(from, '.git')))) return null
  if ((await realpath(join(from, '.git')).catch(() => null)) === commonFolder) return from
  const entry = await entryOf(commonFolder, from)
  return entry !== null && (await isJoined(entry, from)) ? from : null
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

const notJoined = ({ path, commonFolder }: WorktreeRecord): Failure => ({
  type: 'git',
  message: `The folder ${path} does not belong to its repository (${commonFolder}) any more: its .git is not what git made. Nothing was touched. Copy what you need out of it, then discard it in Review.`,
})
