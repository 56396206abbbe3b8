/** The files of a new worktree: the files of its commit, and the files that are copied in. */
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import { branchRef } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { lacksLargeFiles, tolerateLargeFiles } from '../../platform/git/large-files.ts'
import { commitOf } from '../../platform/git/rev-parse.ts'
import { submodulePaths } from '../../platform/git/submodules.ts'
import type { WorktreeResult } from '../../runtime/ports/worktrees.ts'
import { copyIncluded, type IncludedFiles } from './include-files.ts'
import { writeExcludes } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** Parallel checkout workers of git. */
const WORKERS = Math.min(8, availableParallelism())

interface FilledWorktree {
  readonly copied: readonly string[]
  readonly notes: readonly string[]
}

/** Expects the branch and the entry of the worktree. Throws errors of the disk. */
export async function fillWorktree(
  { git, configHome }: { readonly git: Git; readonly configHome: string | undefined },
  {
    record,
    included,
    signal,
  }: {
    readonly record: WorktreeRecord
    readonly included: () => Promise<WorktreeResult<IncludedFiles>>
    readonly signal: AbortSignal
  },
): Promise<WorktreeResult<FilledWorktree>> {
  const checkedOut = await checkOut(git, record.path, signal)
  if (!checkedOut.ok) return checkedOut
  const uncommitted = await uncommitCarried(git, record)
  if (!uncommitted.ok) return uncommitted
  const named = await included()
  if (!named.ok) return named
  const { paths } = named.value
  let left: readonly string[] = []
  if (paths.length > 0) {
    const { from } = record
    const written = await writeExcludes(git, record.path, { from, copied: paths, configHome })
    if (!written.ok) return written
    left = await copyIncluded(from, record.path, paths)
  }
  const uncopied = new Set(left)
  return ok({
    copied: paths.filter((path) => !uncopied.has(path)),
    notes: [
      ...named.value.notes,
      ...left.map(
        (path) =>
          `${path} was not copied: the worktree already has a file of this name, or the file can’t be read.`,
      ),
      ...(await submoduleNotes(git, record.path)),
      ...checkedOut.value,
    ],
  })
}

async function checkOut(
  git: Git,
  path: string,
  signal: AbortSignal,
): Promise<WorktreeResult<readonly string[]>> {
  const tolerant = tolerateLargeFiles(git)
  const done = await tolerant.run(path, ['reset', '--hard', '-q', '--no-recurse-submodules'], {
    signal,
    config: [`checkout.workers=${WORKERS}`],
  })
  if (!done.ok) return done
  if (tolerant.fellBack())
    return ok([
      'Files in git-lfs are pointers in the worktree: git-lfs could not run or could not fetch them. Run `git lfs pull` in the worktree.',
    ])
  if (await lacksLargeFiles(git, path))
    return ok([
      'Files in git-lfs are pointers in the worktree: git-lfs is not set up here. Install it and run `git lfs install`.',
    ])
  return ok([])
}

/** Moves the branch back to the base, so that the carried-over changes are uncommitted. `git diff` shows new files too. */
async function uncommitCarried(
  git: Git,
  { path, base, carried, carriedAs }: WorktreeRecord,
): Promise<GitResult<unknown>> {
  if (carriedAs !== 'changes' || carried === null || (await commitOf(git, path, 'HEAD')) !== carried)
    return ok(undefined)
  return git.run(path, ['reset', '--mixed', '--intent-to-add', '--quiet', base])
}

/**
 * Commits carried-over changes that are still uncommitted on the worktree's own branch, as they were carried over.
 * What its agent changed stays uncommitted.
 */
export async function commitCarriedAgain(
  git: Git,
  { path, base, branch, carried, carriedAs }: WorktreeRecord,
): Promise<GitResult<unknown>> {
  if (carriedAs !== 'changes' || carried === null) return ok(undefined)
  const head = await git.run(path, ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD'])
  if (!head.ok) return head
  if (head.value.trim() !== `${base}\n${branchRef(branch)}`) return ok(undefined)
  return git.run(path, ['reset', '--mixed', '--quiet', carried])
}

async function submoduleNotes(git: Git, path: string): Promise<readonly string[]> {
  const found = await stat(join(path, '.gitmodules')).catch(() => null)
  if (!found?.isFile()) return []
  const names = [...(await submodulePaths(git, path))]
  if (names.length === 0) return []
  const list =
    names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
  return [
    `Submodules are empty in the worktree: ${list}. To fill them, run \`git submodule update --init\` in the worktree.`,
  ]
}
