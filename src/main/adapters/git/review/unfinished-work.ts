/** What must not come into another branch: conflict markers that were left, files that were only copied in. */
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { hasMarkers } from '../commit-all.ts'
import type { Git } from '../git-client.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import type { Comparisons } from './comparisons.ts'
import { readBlobs, treeEntry } from './file-sides.ts'
import { namedFiles } from './named-files.ts'

export interface BranchRange {
  /** Where the branch left its target. */
  readonly from: string
  readonly tip: string
}

/** Failures: `unfinished`, with files and lines; `git`. */
export async function checkFinished(
  { git, comparisons }: { readonly git: Git; readonly comparisons: Comparisons },
  {
    folder,
    record,
    range,
  }: { readonly folder: string; readonly record: WorktreeRecord; readonly range: BranchRange },
): Promise<Result<void>> {
  const files = await comparisons.files(folder, { from: range.from, to: range.tip })
  if (!files.ok) return files
  const copied = new Set(record.copied)
  const strays = files.value.filter(({ kind, path }) => kind !== 'deleted' && copied.has(path))
  if (strays.length > 0)
    return fail({
      type: 'unfinished',
      message: `${namedFiles(strays.map(({ path }) => path))} came into the worktree as a copy (.worktreeinclude) and was committed on ${record.branch}. Such files hold what is yours alone: have the agent take them out of its commits, then merge again.`,
    })
  const marked = await leftMarkers(git, folder, range)
  if (!marked.ok) return marked
  if (marked.value.length === 0) return ok(undefined)
  return fail({
    type: 'unfinished',
    message: `Conflict markers are left in ${record.branch}: ${namedFiles(marked.value)}. Let its agent finish them, then merge again.`,
  })
}

/** `path:line` of each marker that the range added, in files that hold both sides of a conflict. */
async function leftMarkers(
  git: Git,
  folder: string,
  { from, tip }: BranchRange,
): Promise<Result<readonly string[]>> {
  const checked = await git.answers(
    folder,
    ['diff-tree', '-r', '--check', '--no-ext-diff', '--no-textconv', from, tip],
    { accepts: [1, 2], config: ['core.whitespace=-blank-at-eol,-blank-at-eof,-space-before-tab'] },
  )
  if (!checked.ok) return checked
  const lines = new Map<string, number[]>()
  for (const [, path = '', line] of checked.value.output.matchAll(/^(.+):(\d+): leftover conflict marker$/gm))
    lines.set(path, [...(lines.get(path) ?? []), Number(line)])
  const paths = [...lines.keys()]
  const entries = await Promise.all(paths.map((path) => treeEntry(git, folder, { tree: tip, path })))
  const shas = entries.map((entry) => (entry.ok ? (entry.value?.sha ?? null) : null))
  const contents = await readBlobs(git, folder, shas)
  if (!contents.ok) return contents
  return ok(
    paths.flatMap((path, index) => {
      const text = contents.value[index]?.toString('latin1').split('\n') ?? []
      // A row of equals signs alone underlines a heading.
      const added = (lines.get(path) ?? []).filter((line) => /^[<>]{7}/.test(text[line - 1] ?? ''))
      return hasMarkers(added.map((line) => text[line - 1]).join('\n'))
        ? added.map((line) => `${path}:${line}`)
        : []
    }),
  )
}
