/** Why a path is in conflict, in a few words, and markers that name branches. */
import type { UnmergedPath } from './merge-trees.ts'

/** The two sides of a merge, as a person calls them. `ours` is merged into. */
export interface MergeSides {
  readonly ours: { readonly commit: string; readonly name: string }
  readonly theirs: { readonly commit: string; readonly name: string }
}

/** "both changed it", "deleted in main, changed in troupe/refactorer-a91e42". */
export function conflictWords(path: UnmergedPath, { ours, theirs }: MergeSides): string {
  const { base, trouble } = path
  if (trouble === 'binary') return 'both changed it, and it is not text'
  if (trouble === 'submodule' || trouble.startsWith('submodule')) return 'a submodule that both moved'
  if (trouble === 'distinct modes' || trouble === 'distinct types') return 'both made it, of different kinds'
  if (trouble === 'rename/rename') return 'both renamed it, to different names'
  if (trouble === 'rename/delete') {
    return path.ours
      ? `renamed in ${ours.name}, deleted in ${theirs.name}`
      : `deleted in ${ours.name}, renamed in ${theirs.name}`
  }
  if (trouble === 'file/directory' || trouble === 'directory/file')
    return 'a file on one side, a folder on the other'
  if (trouble === 'file location') return 'in a folder that the other side renamed'
  if (path.ours && path.theirs) return base ? 'both changed it' : 'both added it'
  if (base && path.ours) return `changed in ${ours.name}, deleted in ${theirs.name}`
  if (base && path.theirs) return `deleted in ${ours.name}, changed in ${theirs.name}`
  return trouble === '' ? 'both moved it' : trouble
}

/** Git writes the commits' names behind the markers; people know the branches'. */
export function namedMarkers(text: string, { ours, theirs }: MergeSides): string {
  return text
    .replaceAll(new RegExp(`^(<{7,} )${ours.commit}`, 'gm'), (_all, marker) => marker + ours.name)
    .replaceAll(new RegExp(`^(>{7,} )${theirs.commit}`, 'gm'), (_all, marker) => marker + theirs.name)
}
