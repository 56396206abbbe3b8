/** Conflict markers that a merge left in files. */
import { ok } from '../../../shared/kernel/result.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'
import { readBlobs, treeEntry } from './objects.ts'

/** Whether a text holds both sides of a conflict. */
export function hasMarkers(text: string): boolean {
  return /^<{7,}( |$)/m.test(text) && /^>{7,}( |$)/m.test(text)
}

export interface CommitRange {
  /** The commit that the range starts after. */
  readonly from: string
  readonly tip: string
}

/** `path:line` of each marker that the range added, in files that hold both sides of a conflict. */
export async function addedMarkers(
  git: Git,
  folder: string,
  range: CommitRange,
): Promise<GitResult<readonly string[]>> {
  const checked = await markedLines(git, folder, range)
  if (!checked.ok) return checked
  const paths = [...checked.value.keys()]
  const entries = await Promise.all(paths.map((path) => treeEntry(git, folder, { tree: range.tip, path })))
  const shas = entries.map((entry) => (entry.ok ? (entry.value?.sha ?? null) : null))
  const contents = await readBlobs(git, folder, shas)
  if (!contents.ok) return contents
  return ok(
    paths.flatMap((path, index) => {
      const text = contents.value[index]?.toString('latin1').split('\n') ?? []
      // A line of equals signs alone may underline a heading.
      const added = (checked.value.get(path) ?? []).filter((line) => /^[<>]{7}/.test(text[line - 1] ?? ''))
      return hasMarkers(added.map((line) => text[line - 1]).join('\n'))
        ? added.map((line) => `${path}:${line}`)
        : []
    }),
  )
}

/** `--check` reports added lines as `path:line: leftover conflict marker`. It has no other output format. */
async function markedLines(
  git: Git,
  folder: string,
  { from, tip }: CommitRange,
): Promise<GitResult<ReadonlyMap<string, readonly number[]>>> {
  const args = ['diff-tree', '-r', '--check', '--no-ext-diff', '--no-textconv', from, tip]
  const checked = await git.answers(folder, args, {
    accepts: [1, 2],
    config: ['core.whitespace=-blank-at-eol,-blank-at-eof,-space-before-tab'],
  })
  if (!checked.ok) return checked
  const lines = new Map<string, number[]>()
  for (const [, path = '', line] of checked.value.output.matchAll(/^(.+):(\d+): leftover conflict marker$/gm))
    lines.set(path, [...(lines.get(path) ?? []), Number(line)])
  return ok(lines)
}
