/** Cleans up worktrees whose creation or removal was interrupted, unless they hold work. */
import { lstat, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import { removeBranch, repositoryGit, tipsOf } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { exists } from '../../platform/system/exists.ts'
import { isRunning } from '../../platform/system/process-identity.ts'
import { draftName, sweepDrafts } from './draft-files.ts'
import { putBack, removeRemains } from './remove-worktree.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import type { WorktreeRecords } from './worktree-records.ts'

export interface CutOffDeps {
  readonly git: Git
  readonly records: WorktreeRecords
  readonly onProblem: (message: string) => void
}

/**
 * Cleans up one repository; the caller holds its lock. Skips worktrees that a running process is creating, and
 * worktrees with content that their commit lacks.
 */
export async function clearCutOff(deps: CutOffDeps, commonFolder: string): Promise<void> {
  const home = await deps.records.prepare(commonFolder)
  if (!home.ok) return deps.onProblem(home.failure.message)
  await sweepDrafts(home.value).catch((error: unknown) => deps.onProblem(messageOf(error)))
  for (const record of await deps.records.ofRepository(commonFolder)) {
    try {
      if (record.state === 'making') await clearMaking(deps, record)
      if (record.state === 'there' && !(await exists(record.path))) await putBack(record.path)
      if (record.state === 'removed') await finishRemoving(deps, record)
    } catch (error) {
      deps.onProblem(`The remains of a worktree could not be removed (${record.path}): ${messageOf(error)}`)
    }
  }
}

async function clearMaking(deps: CutOffDeps, record: WorktreeRecord): Promise<void> {
  if (record.holder && (await isRunning(record.holder))) return
  if (!(await isUntouched(deps.git, record))) return
  if (await undoMaking(deps, record)) await deps.records.remove(record.path)
}

/** Removes everything but the record. False: that failed and was reported; the next start tries again. */
export async function undoMaking({ git, onProblem }: CutOffDeps, record: WorktreeRecord): Promise<boolean> {
  try {
    await removeRemains(record.commonFolder, record.path)
    return await removeOwnBranch(git, record)
  } catch (error) {
    onProblem(`An incomplete worktree could not be removed (${record.path}): ${messageOf(error)}`)
    return false
  }
}

/** Removes the branch if it has no commits of its own. */
async function removeOwnBranch(git: Git, record: WorktreeRecord): Promise<boolean> {
  const repository = repositoryGit(git, {
    folder: dirname(record.path),
    commonFolder: record.commonFolder,
  })
  const tips = await tipsOf(repository, [record.branch])
  if (!tips.ok) return false
  const tip = tips.value.get(record.branch)
  if (tip === undefined) return true
  if (![record.base, record.carried].includes(tip.commit)) return false
  return (await removeBranch(repository, record.branch, tip.commit)).ok
}

async function finishRemoving({ git }: CutOffDeps, record: WorktreeRecord): Promise<void> {
  // A new folder has this name.
  if (await exists(record.path)) return
  await removeRemains(record.commonFolder, record.path)
  if (record.merged === null) await removeOwnBranch(git, record)
}

/** Whether an incomplete folder holds nothing but files of its commit, including files that were written in part. */
async function isUntouched(git: Git, record: WorktreeRecord): Promise<boolean> {
  if (!(await exists(record.path))) return true
  const index = join(dirname(record.path), draftName())
  const excludes = excludesFileOf(record.path)
  const options = {
    environment: { GIT_DIR: record.commonFolder, GIT_WORK_TREE: record.path, GIT_INDEX_FILE: index },
    config: ['core.bare=false', ...(excludes === null ? [] : [`core.excludesFile=${excludes}`])],
  }
  const start = record.carried ?? record.base
  try {
    const read = await git.run(record.path, ['read-tree', start], options)
    if (!read.ok) return false
    await git.answers(record.path, ['update-index', '-q', '--refresh'], { ...options, accepts: [1] })
    const [changed, others] = await Promise.all([
      git.run(record.path, ['diff-files', '--name-only', '-z'], options),
      git.run(record.path, ['ls-files', '-z', '--others', '--exclude-standard'], options),
    ])
    if (!changed.ok || !others.ok) return false
    const copied = new Set(record.copied)
    if (others.value.split('\0').some((path) => path !== '' && !copied.has(path))) return false
    for (const path of changed.value.split('\0').filter((name) => name !== ''))
      if (!(await isPartlyWritten(git, { record, start, path }))) return false
    return true
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })])
  }
}

async function isPartlyWritten(
  git: Git,
  { record, start, path }: { record: WorktreeRecord; start: string; path: string },
): Promise<boolean> {
  const full = join(record.path, path)
  const found = await lstat(full).catch(() => null)
  if (found === null) return true
  if (!found.isFile()) return false
  const repository = repositoryGit(git, { folder: dirname(full), commonFolder: record.commonFolder })
  const whole = await repository.git.bytes(repository.folder, ['cat-file', 'blob', `${start}:${path}`])
  if (!whole.ok) return false
  const text = await readFile(full)
  return text.length < whole.value.length && whole.value.subarray(0, text.length).equals(text)
}
