/** Short descriptions of conflicts, and conflict markers that name branches. */
import type { UnmergedPath, UnmergedSide } from '../../../platform/git/merge-tree.ts'
import { LINK_MODE, SUBMODULE_MODE } from '../../../platform/git/status.ts'

/** The two sides of a merge with the names of their branches. `ours` is the target. */
export interface MergeSides {
  readonly ours: { readonly commit: string; readonly name: string }
  readonly theirs: { readonly commit: string; readonly name: string }
}

/** "both changed it", "deleted in main, changed in troupe/refactorer-a91e42". */
export function conflictText(path: UnmergedPath, sides: MergeSides): string {
  const { conflictType, base, related } = path
  const [ours, theirs] = [sides.ours.name, sides.theirs.name]
  const other = related.find((one) => one !== path.path)
  switch (conflictType) {
    case 'binary':
      return 'both changed it, and it is not text'
    case 'distinct modes':
    case 'distinct types':
      return `${typeOf(path.ours)} in ${ours}, ${typeOf(path.theirs)} in ${theirs}`
    case 'rename/rename': {
      const [from, inOurs, inTheirs] = related
      return inTheirs === undefined
        ? 'both renamed it, to different names'
        : `${from} was renamed to ${inOurs} in ${ours} and to ${inTheirs} in ${theirs}`
    }
    case 'rename/delete': {
      const renamed = other === undefined ? 'renamed' : `renamed from ${other}`
      return path.ours
        ? `${renamed} in ${ours}, deleted in ${theirs}`
        : `deleted in ${ours}, ${renamed} in ${theirs}`
    }
    case 'file/directory':
    case 'directory/file':
      return path.ours
        ? `a file in ${ours}, a folder in ${theirs}`
        : `a folder in ${ours}, a file in ${theirs}`
    case 'file location': // git 2.38
    case 'directory rename suggested': {
      const [adds, renames] = path.ours ? [ours, theirs] : [theirs, ours]
      return `added in ${adds}${other === undefined ? '' : ` as ${other}`}, to a folder that ${renames} renamed`
    }
  }
  if (conflictType.startsWith('submodule') || path.ours?.mode === SUBMODULE_MODE)
    return `a submodule at ${commitIn(path.ours)} in ${ours}, at ${commitIn(path.theirs)} in ${theirs}`
  if (path.ours?.mode === LINK_MODE && path.theirs?.mode === LINK_MODE)
    return base ? 'both changed where the link leads' : 'both added it, as links to different files'
  if (path.ours && path.theirs) return base ? 'both changed it' : 'both added it'
  if (base && path.ours) return `changed in ${ours}, deleted in ${theirs}`
  if (base && path.theirs) return `deleted in ${ours}, changed in ${theirs}`
  return conflictType === '' ? 'both renamed it' : conflictType
}

const typeOf = (side: UnmergedSide | null): string =>
  side === null
    ? 'missing'
    : side.mode === LINK_MODE
      ? 'a link'
      : side.mode === SUBMODULE_MODE
        ? 'a submodule'
        : 'a file'

const commitIn = (side: UnmergedSide | null): string => side?.sha.slice(0, 10) ?? 'no commit'

/** Replaces the commit ids behind git's conflict markers with the names of the branches. */
export function namedMarkers(text: string, { ours, theirs }: MergeSides): string {
  return text
    .replaceAll(new RegExp(`^(<{7,} )${ours.commit}`, 'gm'), (_all, marker) => marker + ours.name)
    .replaceAll(new RegExp(`^(>{7,} )${theirs.commit}`, 'gm'), (_all, marker) => marker + theirs.name)
}
