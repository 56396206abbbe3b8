/**
 * The environment of commands in a worktree: git stays in the worktree, ignores files that were copied in, and runs no
 * hooks, because an agent commits there without permission.
 */
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { excludesFileOf } from './worktree-excludes.ts'

export function worktreeEnvironment({ path }: WorktreeLocation): Readonly<Record<string, string>> {
  // Where the worktree's .git is missing, git must not find a repository that contains the data folder.
  const ceiling = { GIT_CEILING_DIRECTORIES: dirname(path) }
  const withoutHooks = { GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: devNull }
  const excludes = excludesFileOf(path)
  if (excludes === null) return { ...ceiling, GIT_CONFIG_COUNT: '1', ...withoutHooks }
  return {
    ...ceiling,
    GIT_CONFIG_COUNT: '2',
    ...withoutHooks,
    GIT_CONFIG_KEY_1: 'core.excludesFile',
    GIT_CONFIG_VALUE_1: excludes,
  }
}
