/** Whether two pieces of work can conflict at all: most agents touch different files, and need no trial merge. */
import type { ChangedFile } from './changed-files.ts'

/** What a worktree changes, against a commit that its branch has. */
export interface TouchedFiles {
  readonly from: string
  readonly files: readonly Pick<ChangedFile, 'path' | 'kind'>[]
}

/**
 * False only where it is certain: both began at the same commit, neither took a file away (so that nothing can
 * have been renamed), and they touch neither the same paths nor a folder where the other has a file.
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
