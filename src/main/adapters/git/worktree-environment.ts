/** What commands in a worktree are told, so that git stays in it and leaves alone what was copied in. */
import { dirname } from 'node:path'
import type { WorktreePlace } from '../../../shared/worktree.ts'
import { excludesFileOf } from './worktree-excludes.ts'

export function worktreeEnvironment({ path }: WorktreePlace): Readonly<Record<string, string>> {
  // Without its own .git, git would go up and find a repository that the data folder happens to lie in.
  const ceiling = { GIT_CEILING_DIRECTORIES: dirname(path) }
  const excludes = excludesFileOf(path)
  if (excludes === null) return ceiling
  return {
    ...ceiling,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.excludesFile',
    GIT_CONFIG_VALUE_0: excludes,
  }
}
