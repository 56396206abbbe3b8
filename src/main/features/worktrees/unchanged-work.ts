/** Whether a worktree is unchanged since its creation and may be removed. False if that is uncertain. */
import { branchRef } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { excludedFiles, hiddenFiles } from '../../platform/git/hidden-files.ts'
import { tolerateLargeFiles } from '../../platform/git/large-files.ts'
import { nestedRepositories } from '../../platform/git/nested-repositories.ts'
import { readStatus } from '../../platform/git/status.ts'
import { hasUnfinished, isJoined, isLocked, worktreeEntryOf } from '../../platform/git/worktree-entry.ts'
import { exists } from '../../platform/system/exists.ts'
import { isStillThere } from './carried-work.ts'
import { strayCommits } from './stray-commits.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/**
 * Files that a `.gitignore` names and files that were copied in don't count, nested repositories in them do.
 * @param folder the folder with the files, if it was put aside
 */
export async function isUnchanged(
  git: Git,
  record: WorktreeRecord,
  folder: string = record.path,
): Promise<boolean> {
  const { commonFolder, path, branch, base, carried } = record
  if (!(await exists(folder))) return false
  const entry = await worktreeEntryOf(commonFolder, path)
  if (entry === null || (await isLocked(entry)) || (await hasUnfinished(entry))) return false
  if (folder === path && !(await isJoined(entry, path))) return false
  const excludes = excludesFileOf(path)
  const options = {
    environment: { GIT_DIR: entry, GIT_WORK_TREE: folder },
    config: excludes === null ? [] : [`core.excludesFile=${excludes}`],
  }
  const [status, head, hidden, excluded, strays, nested] = await Promise.all([
    readStatus(tolerateLargeFiles(git), folder, options),
    git.run(folder, ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD'], options),
    hiddenFiles(git, folder, options.environment),
    excludedFiles(git, folder, { commonFolder, environment: options.environment }),
    strayCommits(git, record),
    nestedRepositories(folder),
  ])
  if (!status.ok || !head.ok || !hidden.ok || !excluded.ok || !strays.ok) return false
  const copied = new Set(record.copied)
  const unlisted = [...hidden.value, ...strays.value, ...nested]
  if (unlisted.length > 0 || excluded.value.some((name) => !copied.has(name))) return false
  if (status.value.some(({ path: name, kind }) => kind !== 'untracked' || !copied.has(name))) return false
  const start = carried ?? base
  const [commit, ref] = head.value.split('\n')
  // With the branch checked out, its tip is this commit too.
  if (commit !== start || ref !== branchRef(branch)) return false
  // Its parent changes its own files meanwhile, and the copy was never meant as work.
  if (carried === null || record.carriedAs === 'changes') return true
  return (await exists(record.from)) && isStillThere(git, record.from, { base, carried })
}
