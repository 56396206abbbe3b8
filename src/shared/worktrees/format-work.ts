/** Short descriptions of the work in a worktree, for reports, rows, the window and the command line. */
import { countOf } from '../kernel/amounts.ts'
import type { MergeCheck, SavedWork } from './worktree.ts'

/** "3 commits, 4 files +61 −48, merges cleanly". */
export function formatWork(work: SavedWork): string {
  if (work.unchanged) return 'nothing was changed, so its worktree is gone'
  return [countOf(work.commits, 'commit'), formatChanges(work), mergeCheckText(work.check)].join(', ')
}

/** "4 files +61 −48". */
export function formatChanges({
  files,
  insertions,
  deletions,
}: Pick<SavedWork, 'files' | 'insertions' | 'deletions'>): string {
  return `${countOf(files, 'file')} +${insertions} −${deletions}`
}

export function mergeCheckText(check: MergeCheck): string {
  switch (check.kind) {
    case 'clean':
      return 'merges cleanly'
    case 'conflicts':
      return `conflicts in ${check.files.length === 1 ? check.files[0] : countOf(check.files.length, 'file')}`
    case 'nothing':
      return 'nothing to merge'
    case 'unknown':
      return check.because
  }
}
