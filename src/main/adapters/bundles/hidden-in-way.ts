/** Files that git does not track, and that it would replace or remove without asking when a checkout moves on. */
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ok } from '../../../shared/result.ts'
import type { Git } from '../git/git-client.ts'
import type { GitResult } from '../git/git-failure.ts'

/** @param range two trees; the files of `from` are the tracked ones in the folder */
export async function hasHiddenInWay(
  git: Git,
  folder: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<GitResult<boolean>> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to]
  const added = await git.run(folder, args)
  if (!added.ok) return added
  const paths = added.value.split('\0').filter((path) => path !== '')
  const onDisk = new Set((await Promise.all(paths.map((path) => occupied(folder, path)))).flat())
  if (onDisk.size === 0) return ok(false)
  const listed = await git.run(folder, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', from])
  if (!listed.ok) return listed
  const tracked = new Set(listed.value.split('\0'))
  return ok([...onDisk].some((path) => !tracked.has(path)))
}

/** The files on the disk that must go before the path can be a file. */
async function occupied(folder: string, path: string): Promise<readonly string[]> {
  const found = await lstat(join(folder, path)).catch(() => null)
  if (found?.isDirectory()) {
    const entries = await readdir(join(folder, path), { withFileTypes: true, recursive: true })
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  }
  if (found) return [path]
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const above = await lstat(join(folder, parent)).catch(() => null)
    if (above) return above.isDirectory() ? [] : [parent]
  }
  return []
}
