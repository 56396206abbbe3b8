/** `git worktree list`, and what blocks the checkout of a branch. */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import { branchRef } from './branches.ts'
import { changedFiles } from './diff-tree.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'
import { readStatus } from './status.ts'

interface Checkout {
  readonly path: string
  /** The full ref of its branch; null: no branch is checked out. */
  readonly ref: string | null
}

export async function listCheckouts(git: Git, folder: string): Promise<GitResult<readonly Checkout[]>> {
  const output = await git.run(folder, ['worktree', 'list', '--porcelain', '-z'])
  if (!output.ok) return output
  return ok(
    output.value.split('\0\0').flatMap((entry) => {
      const lines = entry.split('\0')
      const value = (key: string) =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null
      const path = value('worktree')
      return path === null ? [] : [{ path, ref: value('branch') }]
    }),
  )
}

/** Whether a rebase of the branch is unfinished. Git lists the branch as checked out nowhere during the rebase. */
export async function isBeingRebased(commonFolder: string, branch: string): Promise<boolean> {
  const linked = await readdir(join(commonFolder, 'worktrees')).catch(() => [])
  const folders = [commonFolder, ...linked.map((name) => join(commonFolder, 'worktrees', name))]
  const names = await Promise.all(
    folders
      .flatMap((folder) => ['rebase-merge', 'rebase-apply'].map((step) => join(folder, step, 'head-name')))
      .map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  return names.some((name) => name.trim() === branchRef(branch))
}

/** Whether a merge, a cherry-pick or a revert is unfinished in a checkout, or files are in conflict. */
export async function hasUnfinishedMerge(git: Git, folder: string): Promise<boolean> {
  const heads = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']
  const found = await Promise.all(
    heads.map((head) => git.answers(folder, ['rev-parse', '-q', '--verify', head], { accepts: [1] })),
  )
  if (found.some((answer) => answer.ok && answer.value.code === 0)) return true
  const unmerged = await git.run(folder, ['ls-files', '--unmerged', '-z'])
  return unmerged.ok && unmerged.value !== ''
}

/** The files with uncommitted changes, tracked or not, that a move of the checkout to another commit would overwrite. */
export async function filesInTheWay(
  git: Git,
  folder: string,
  range: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const [files, status] = await Promise.all([changedFiles(git, folder, range), readStatus(git, folder)])
  if (!files.ok || !status.ok) return []
  const changed = new Set(
    files.value.flatMap(({ path, oldPath, kind }) =>
      oldPath && kind !== 'copied' ? [path, oldPath] : [path],
    ),
  )
  const dirty = status.value.map(({ path }) => path.replace(/\/$/, ''))
  const overlaps = (path: string) =>
    changed.has(path) ||
    [...changed].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
  // `git status` lists no ignored files: look at the disk for the paths that the move adds.
  const added = files.value.flatMap(({ path, before, oldPath }) =>
    before === null || oldPath !== null ? [path] : [],
  )
  const onDisk = await Promise.all(added.map((path) => firstOnDisk(folder, path)))
  const inTheWay = onDisk.filter((path) => path !== null && !isTrackedSource(path, changed, added))
  return [...new Set([...dirty.filter(overlaps), ...inTheWay.flatMap((path) => path ?? [])])]
}

/** The path itself if it exists, or the nearest parent of it that is not a folder; null: the path is free. */
async function firstOnDisk(folder: string, path: string): Promise<string | null> {
  if (await lstat(join(folder, path)).catch(() => null)) return path
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const found = await lstat(join(folder, parent)).catch(() => null)
    if (found) return found.isDirectory() ? null : parent
  }
  return null
}

/** Whether the move itself removes the path: then it is tracked and not in the way. */
const isTrackedSource = (path: string, changed: ReadonlySet<string>, added: readonly string[]): boolean =>
  changed.has(path) && !added.includes(path)
