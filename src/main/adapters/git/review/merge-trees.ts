/** What a merge of two commits would give, worked out by `git merge-tree` without any work tree. */
import { fail, ok, type Result } from '../../../../shared/result.ts'
import type { Git } from '../git-client.ts'

/** A path that needs a person, as the merge would leave it. */
export interface UnmergedPath {
  readonly path: string
  /** The sides that have it. */
  readonly base: boolean
  readonly ours: boolean
  readonly theirs: boolean
  /** Git's short name of what is wrong: `contents`, `modify/delete`, `binary`; empty where it gave none. */
  readonly trouble: string
}

export interface MergedTrees {
  /** The merged tree; where paths are in conflict, with conflict markers in them. */
  readonly tree: string
  readonly conflicts: readonly UnmergedPath[]
}

/** `ours` and `theirs` are commits by their full names: markers carry these, see `namedMarkers`. */
export async function mergeTrees(
  git: Git,
  folder: string,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<Result<MergedTrees>> {
  const args = ['merge-tree', '--write-tree', '-z', '--end-of-options', ours, theirs]
  const merged = await git.answers(folder, args, { accepts: [1] })
  if (!merged.ok) return merged
  const read = readMergedTrees(merged.value.output)
  // It says 1 for conflicts and for some of its own troubles.
  if (read === null) return fail({ type: 'git', message: 'git merge-tree gave no tree.' })
  return ok(read)
}

/** Reads what `merge-tree --write-tree -z` prints. Null: it is no such output. */
export function readMergedTrees(output: string): MergedTrees | null {
  const words = output.split('\0')
  const tree = words[0]?.trim() ?? ''
  if (!/^[0-9a-f]{40,64}$/.test(tree)) return null
  let at = 1
  const sides = new Map<string, Set<string>>()
  for (; words[at]; at += 1) {
    const [, stage, path] = /^\d+ [0-9a-f]+ ([123])\t(.*)$/s.exec(words[at] ?? '') ?? []
    if (stage === undefined || path === undefined) return null
    sides.set(path, (sides.get(path) ?? new Set()).add(stage))
  }
  const troubles = readTroubles(words.slice(at + 1))
  for (const path of troubles.keys()) if (!sides.has(path)) sides.set(path, new Set())
  return {
    tree,
    conflicts: [...sides].map(([path, stages]) => ({
      path,
      base: stages.has('1'),
      ours: stages.has('2'),
      theirs: stages.has('3'),
      trouble: troubles.get(path) ?? '',
    })),
  }
}

/** Messages: how many paths, the paths, a short name, a sentence. Only conflicts count, and the first path of each. */
function readTroubles(words: readonly string[]): ReadonlyMap<string, string> {
  const troubles = new Map<string, string>()
  for (let at = 0; at < words.length && words[at] !== ''; ) {
    const paths = Number(words[at])
    const name = words[at + 1 + paths] ?? ''
    const [, trouble] = /^CONFLICT \((.*)\)$/.exec(name) ?? []
    const path = words[at + 1]
    if (trouble !== undefined && path !== undefined && paths > 0 && !troubles.has(path))
      troubles.set(path, trouble)
    at += paths + 3
  }
  return troubles
}
