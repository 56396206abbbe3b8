/** Short descriptions of conflicts, and conflict markers that name branches. */
import type { UnmergedPath } from '../git/merge-tree.ts'

/** The two sides of a merge with the names of their branches. `ours` is the target. */
export interface MergeSides {
  readonly ours: { readonly commit: string; readonly name: string }
  readonly theirs: { readonly commit: string; readonly name: string }
}

/** "both changed it", "deleted in main, changed in troupe/refactorer-a91e42". */
export function conflictText(path: UnmergedPath, { ours, theirs }: MergeSides): string {
  const { base, conflictType } = path
  if (conflictType === 'binary') return 'both changed it, and it is not text'
  if (conflictType === 'submodule' || conflictType.startsWith('submodule'))
    return 'a submodule that both changed'
  if (conflictType === 'distinct modes' || conflictType === 'distinct types')
    return 'both added it, with different file types'
  if (conflictType === 'rename/rename') return 'both renamed it, to different names'
  if (conflictType === 'rename/delete') {
    return path.ours
      ? `renamed in ${ours.name}, deleted in ${theirs.name}`
      : `deleted in ${ours.name}, renamed in ${theirs.name}`
  }
  if (conflictType === 'file/directory' || conflictType === 'directory/file')
    return 'a file on one side, a folder on the other'
  if (conflictType === 'file location') return 'in a folder that the other side renamed'
  if (path.ours && path.theirs) return base ? 'both changed it' : 'both added it'
  if (base && path.ours) return `changed in ${ours.name}, deleted in ${theirs.name}`
  if (base && path.theirs) return `deleted in ${ours.name}, changed in ${theirs.name}`
  return conflictType === '' ? 'both renamed it' : conflictType
}

/** Replaces the commit ids behind git's conflict markers with the names of the branches. */
export function namedMarkers(text: string, { ours, theirs }: MergeSides): string {
  return text
    .replaceAll(new RegExp(`^(<{7,} )${ours.commit}`, 'gm'), (_all, marker) => marker + ours.name)
    .replaceAll(new RegExp(`^(>{7,} )${theirs.commit}`, 'gm'), (_all, marker) => marker + theirs.name)
}
