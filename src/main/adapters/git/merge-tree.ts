/** `git merge-tree`: merges two commits without a checkout. */
import { fail, ok } from '../../../shared/result.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

/** A path in conflict. */
export interface UnmergedPath {
  readonly path: string
  /** The sides that contain the path. */
  readonly base: boolean
  readonly ours: boolean
  readonly theirs: boolean
  /** Git's short name of the conflict type: `contents`, `modify/delete`, `binary`; may be empty. */
  readonly conflictType: string
}

export interface MergedTrees {
  /** The merged tree. Files in conflict hold conflict markers. */
  readonly tree: string
  readonly conflicts: readonly UnmergedPath[]
}

/** `ours` and `theirs` are full commit ids: conflict markers carry these, see `namedMarkers`. */
export async function mergeTrees(
  git: Git,
  folder: string,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<GitResult<MergedTrees>> {
  const args = ['merge-tree', '--write-tree', '-z', '--end-of-options', ours, theirs]
  const merged = await git.answers(folder, args, { accepts: [1] })
  if (!merged.ok) return merged
  const read = readMergedTrees(merged.value.output)
  // Exit code 1 means conflicts, but also some failures.
  if (read === null) return fail({ type: 'git', reason: 'other', message: 'git merge-tree printed no tree.' })
  return ok(read)
}

/** Parses the output of `merge-tree --write-tree -z`. Null: the output has another form. */
export function readMergedTrees(output: string): MergedTrees | null {
  const fields = output.split('\0')
  const tree = fields[0]?.trim() ?? ''
  if (!/^[0-9a-f]{40,64}$/.test(tree)) return null
  let at = 1
  const sides = new Map<string, Set<string>>()
  for (; fields[at]; at += 1) {
    const [, stage, path] = /^\d+ [0-9a-f]+ ([123])\t(.*)$/s.exec(fields[at] ?? '') ?? []
    if (stage === undefined || path === undefined) return null
    sides.set(path, (sides.get(path) ?? new Set()).add(stage))
  }
  const types = readConflictTypes(fields.slice(at + 1))
  for (const path of types.keys()) if (!sides.has(path)) sides.set(path, new Set())
  return {
    tree,
    conflicts: [...sides].map(([path, stages]) => ({
      path,
      base: stages.has('1'),
      ours: stages.has('2'),
      theirs: stages.has('3'),
      conflictType: types.get(path) ?? '',
    })),
  }
}

/**
 * Parses the informational messages: the number of paths, the paths, a stable short type, a sentence. Only the
 * conflicts are kept, by their first path.
 */
function readConflictTypes(fields: readonly string[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>()
  for (let at = 0; at < fields.length && fields[at] !== ''; ) {
    const paths = Number(fields[at])
    const name = fields[at + 1 + paths] ?? ''
    const [, type] = /^CONFLICT \((.*)\)$/.exec(name) ?? []
    const path = fields[at + 1]
    if (type !== undefined && path !== undefined && paths > 0 && !types.has(path)) types.set(path, type)
    at += paths + 3
  }
  return types
}
