/** `git merge-tree`: merges two commits without a checkout. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'
import type { GitFile } from './objects.ts'

/** A path in conflict. */
export interface UnmergedPath {
  readonly path: string
  /** The sides that contain the path; null: a side does not. */
  readonly base: UnmergedSide | null
  readonly ours: UnmergedSide | null
  readonly theirs: UnmergedSide | null
  /** Git's short name of the conflict type: `contents`, `modify/delete`, `binary`; may be empty. */
  readonly conflictType: string
  /** The paths that git names with the conflict: the old and the new names of a rename. */
  readonly related: readonly string[]
}

export interface UnmergedSide extends GitFile {
  /** The path in the merged tree. It differs where a folder or a file of another type has the path: `path~commit`. */
  readonly storedAs: string
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
  // The markers also hold the lines before both changes, whatever the user's configuration says.
  const merged = await git.answers(folder, args, { accepts: [1], config: ['merge.conflictStyle=zdiff3'] })
  if (!merged.ok) return merged
  const read = readMergedTrees(merged.value.output, [ours, theirs])
  // Exit code 1 means conflicts, but also some failures.
  if (read === null) return fail({ type: 'git', reason: 'other', message: 'git merge-tree printed no tree.' })
  return ok(read)
}

/** Parses the output of `merge-tree --write-tree -z`. Null: the output has another form. */
function readMergedTrees(output: string, commits: readonly string[]): MergedTrees | null {
  const fields = output.split('\0')
  const tree = fields[0]?.trim() ?? ''
  if (!/^[0-9a-f]{40,64}$/.test(tree)) return null
  const original = originalNames(commits)
  const sides = new Map<string, (UnmergedSide | null)[]>()
  let at = 1
  for (; fields[at]; at += 1) {
    const [, mode = '', sha = '', stage, storedAs] =
      /^(\d+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(fields[at] ?? '') ?? []
    if (stage === undefined || storedAs === undefined) return null
    const path = original(storedAs)
    const known = sides.get(path) ?? [null, null, null]
    sides.set(path, known.with(Number(stage) - 1, { mode, sha, storedAs }))
  }
  const messages = readConflictMessages(fields.slice(at + 1)).map(({ type, paths }) => ({
    type,
    paths: [...new Set(paths.map(original))],
  }))
  for (const { paths } of messages) {
    const [first] = paths
    if (first !== undefined && !sides.has(first)) sides.set(first, [null, null, null])
  }
  return {
    tree,
    conflicts: [...sides].map(([path, [base = null, ours = null, theirs = null]]) => {
      const message = messages.find(({ paths }) => paths.includes(path))
      return { path, base, ours, theirs, conflictType: message?.type ?? '', related: message?.paths ?? [] }
    }),
  }
}

/** Removes what git appends to the name of a file that is in the way of another: `~` and the commit of its side. */
function originalNames(commits: readonly string[]): (path: string) => string {
  const suffix = new RegExp(`~(?:${commits.join('|')})(?:_\\d+)?$`)
  return (path) => path.replace(suffix, '')
}

/** Parses the informational messages: the number of paths, the paths, a stable short type, a sentence. */
function readConflictMessages(
  fields: readonly string[],
): readonly { readonly type: string; readonly paths: readonly string[] }[] {
  const messages: { type: string; paths: readonly string[] }[] = []
  for (let at = 0; at < fields.length && fields[at] !== ''; ) {
    const count = Number(fields[at])
    const [, type] = /^CONFLICT \((.*)\)$/.exec(fields[at + 1 + count] ?? '') ?? []
    if (type !== undefined) messages.push({ type, paths: fields.slice(at + 1, at + 1 + count) })
    at += count + 3
  }
  return messages
}
