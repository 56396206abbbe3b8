/** A quick check for conflicts: most agents change different files, and their work needs no trial merge. */
import type { TreeChange } from '../../../platform/git/diff-tree.ts'

/** The files that a worktree changes since a commit. */
export interface TouchedFiles {
  readonly from: string
  readonly files: readonly Pick<TreeChange, 'path' | 'kind'>[]
}

/**
 * False only where a conflict is impossible: both start at the same commit, neither deletes a file (so git can detect
 * no renames), and no path of one is equal to, or a parent of, a path of the other.
 */
export function mayClash(one: TouchedFiles, other: TouchedFiles): boolean {
  if (one.from !== other.from) return true
  const all = [...one.files, ...other.files]
  if (all.some(({ kind }) => kind === 'deleted' || kind === 'renamed' || kind === 'copied')) return true
  return touches(one, other) || touches(other, one)
}

function touches({ files }: TouchedFiles, other: TouchedFiles): boolean {
  const paths = new Set(files.map(({ path }) => path.toLowerCase()))
  return other.files.some(({ path }) => {
    const parts = path.toLowerCase().split('/')
    return parts.some((_, index) => paths.has(parts.slice(0, index + 1).join('/')))
  })
}
