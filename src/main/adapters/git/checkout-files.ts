/** The files of a new worktree: what its commit has, and what is copied in. */
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ok, type Result } from '../../../shared/result.ts'
import { submodulePaths } from './commit-all.ts'
import type { Git } from './git-client.ts'
import { copyIncluded, type IncludedFiles } from './include-files.ts'
import { lacksLargeFiles, tolerateLargeFiles } from './large-files.ts'
import { writeExcludes } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** Git's own workers, which write files at the same time. */
const WORKERS = Math.min(8, availableParallelism())

export interface FilledWorktree {
  readonly copied: readonly string[]
  readonly notes: readonly string[]
}

/** Of a worktree that has its branch and entry already. Throws what the disk says. */
export async function fillWorktree(
  { git, configHome }: { readonly git: Git; readonly configHome: string | undefined },
  {
    record,
    included,
    signal,
  }: {
    readonly record: WorktreeRecord
    readonly included: () => Promise<Result<IncludedFiles>>
    readonly signal: AbortSignal
  },
): Promise<Result<FilledWorktree>> {
  const checkedOut = await checkOut(git, record.path, signal)
  if (!checkedOut.ok) return checkedOut
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
          `${path} was not copied: something of that name is in the worktree already, or it can’t be read.`,
      ),
      ...(await submoduleNotes(git, record.path)),
      ...checkedOut.value,
    ],
  })
}

async function checkOut(git: Git, path: string, signal: AbortSignal): Promise<Result<readonly string[]>> {
  const tolerant = tolerateLargeFiles(git)
  const done = await tolerant.run(path, ['reset', '--hard', '-q', '--no-recurse-submodules'], {
    signal,
    config: [`checkout.workers=${WORKERS}`],
  })
  if (!done.ok) return done
  if (tolerant.fellBack())
    return ok([
      'Files kept with git-lfs are pointers in the worktree: git-lfs could not be run, or could not fetch them. Run `git lfs pull` in it.',
    ])
  if (await lacksLargeFiles(git, path))
    return ok([
      'Files kept with git-lfs are pointers in the worktree: git-lfs is not set up here. Install it and run `git lfs install`.',
    ])
  return ok([])
}

async function submoduleNotes(git: Git, path: string): Promise<readonly string[]> {
  const found = await stat(join(path, '.gitmodules')).catch(() => null)
  if (!found?.isFile()) return []
  const names = [...(await submodulePaths(git, path))]
  if (names.length === 0) return []
  const which =
    names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
  return [
    `Submodules are empty in the worktree: ${which}. Where they are needed, run \`git submodule update --init\` in it.`,
  ]
}
