/** Repositories inside a checkout, found on the disk: git lists no repositories in ignored folders. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths relative to the folder, sorted: submodules, clones, worktrees and bare repositories. Skips unreadable folders. */
export async function nestedRepositories(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  const folders = ['']
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])
    const names = new Set(entries.map(({ name }) => name))
    const isRepository = names.has('.git') || ['HEAD', 'objects', 'refs'].every((name) => names.has(name))
    if (below !== '' && isRepository) found.push(below)
    else
      for (const entry of entries)
        if (entry.isDirectory() && entry.name !== '.git') folders.push(join(below, entry.name))
  }
  return found.sort()
}
