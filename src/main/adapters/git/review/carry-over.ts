/** Brings what is not committed in the checkout that a worktree was made from into the worktree, as a commit. */
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { branchRef } from '../branch-ref.ts'
import { commitCarried } from '../carried-work.ts'
import { readStatus } from '../git-status.ts'
import { repositoryAround } from '../repository.ts'
import { excludesFileOf } from '../worktree-excludes.ts'
import { advanceBranch } from './advance-branch.ts'
import { commitTree } from './commit-tree.ts'
import { namedFiles } from './named-files.ts'
import { applyChange } from './replay-commits.ts'
import { type FoundWorktree, lookInto, type ReviewTools } from './review-tools.ts'

/**
 * The checkout itself is untouched. Its agent may be at work: files that it changed are not overwritten.
 * Failures: `not-there`, `unfinished` (a merge is under way there), `conflicts`, `would-overwrite`, `moved`, `git`.
 */
export async function carryOver(
  tools: ReviewTools,
  found: FoundWorktree,
): Promise<Result<{ readonly files: readonly string[] }>> {
  const { git, comparisons } = tools
  const { record, repository } = found
  const from = await repositoryAround(git, record.from)
  if (!from.ok) return from
  const { head: base, top } = from.value
  if (base === null || from.value.commonFolder !== repository.commonFolder || top === record.path)
    return fail({
      type: 'not-there',
      message: `${record.from} is not the checkout any more that ${record.id} was made from. Nothing was changed.`,
    })
  const status = await readStatus(git, top)
  if (!status.ok) return status
  if (status.value.some(({ kind }) => kind === 'unmerged'))
    return fail({
      type: 'unfinished',
      message: `A merge with conflicts is under way in ${top}. Finish it first; nothing was changed.`,
    })
  const copied = new Set(record.copied)
  const without = status.value
    .filter(({ kind, path }) => kind === 'nested' || (kind === 'untracked' && copied.has(path)))
    .map(({ path }) => path)
  const carried = await commitCarried(git, {
    repository: from.value,
    base,
    excludesFile: excludesFileOf(top),
    without,
    draftFolder: dirname(record.path),
  })
  if (!carried.ok) return carried
  if (carried.value === null) return ok({ files: [] })
  const work = await lookInto(tools, found, { lenient: true })
  if (!work.ok) return work
  const { snapshot, tip } = work.value
  if (snapshot !== null && snapshot.ref !== branchRef(record.branch))
    return fail({
      type: 'unfinished',
      message: `${record.branch} is not checked out in ${record.path}, so nothing was brought there.`,
    })
  const { commit } = carried.value
  const applied = await applyChange(git, repository.top, { commit, parent: base, onto: tip })
  if (!applied.ok) return applied
  const { conflicts, tree } = applied.value
  if (conflicts.length > 0)
    return fail({
      type: 'conflicts',
      message: `What is not committed in ${top} conflicts with ${record.id} in ${namedFiles(conflicts.map(({ path }) => path))}. Nothing was changed.`,
    })
  const made = await commitTree(git, repository.top, {
    tree,
    parents: [tip],
    message: `Carried over: what was not committed in ${top}`,
  })
  if (!made.ok) return made
  const files = await comparisons.files(repository.top, { from: tip, to: made.value })
  if (!files.ok) return files
  if (files.value.length === 0) return ok({ files: [] })
  const moved = await advanceBranch(git, repository, {
    branch: record.branch,
    from: tip,
    to: made.value,
    why: 'carry over',
  })
  return moved.ok ? ok({ files: files.value.map(({ path }) => path) }) : moved
}
