/** Commits the uncommitted changes of the checkout that a worktree was created from into the worktree. */
import { dirname } from 'node:path'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { commitTree } from '../../../platform/git/commit-tree.ts'
import { repositoryAround } from '../../../platform/git/repository.ts'
import { readStatus } from '../../../platform/git/status.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { commitCarried } from '../carried-work.ts'
import { fileListText } from '../named-files.ts'
import { excludesFileOf } from '../worktree-excludes.ts'
import { advanceBranch } from './advance-branch.ts'
import { applyCommitOnto } from './replay-commits.ts'
import { type FoundWorktree, type ReviewTools, readWork } from './review-tools.ts'

/** The checkout does not change. The agent may be working: files that it changed are not overwritten. */
export async function carryOver(
  tools: ReviewTools,
  found: FoundWorktree,
): Promise<ReviewResult<{ readonly files: readonly string[] }>> {
  const { git, comparisons } = tools
  const { record, repository } = found
  const from = await repositoryAround(git, record.from)
  if (!from.ok) return from
  const { head: base, top } = from.value
  if (base === null || from.value.commonFolder !== repository.commonFolder || top === record.path)
    return fail({
      type: 'not-there',
      message: `${record.from} is no longer the checkout that ${record.id} was created from. Nothing was changed.`,
    })
  const status = await readStatus(git, top)
  if (!status.ok) return status
  if (status.value.some(({ kind }) => kind === 'unmerged'))
    return fail({
      type: 'unfinished',
      message: `A merge with conflicts is unfinished in ${top}. Finish it first. Nothing was changed.`,
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
  const work = await readWork(tools, found, { lenient: true })
  if (!work.ok) return work
  const { snapshot, tip } = work.value
  if (snapshot !== null && snapshot.ref !== branchRef(record.branch))
    return fail({
      type: 'unfinished',
      message: `${record.branch} is not checked out in ${record.path}. Nothing was changed.`,
    })
  const { commit } = carried.value
  const applied = await applyCommitOnto(git, repository.top, { commit, parent: base, onto: tip })
  if (!applied.ok) return applied
  const { conflicts, tree } = applied.value
  if (conflicts.length > 0)
    return fail({
      type: 'conflicts',
      message: `Uncommitted changes in ${top} conflict with ${record.id} in ${fileListText(conflicts.map(({ path }) => path))}. Nothing was changed.`,
    })
  const made = await commitTree(git, repository.top, {
    tree,
    parents: [tip],
    message: `Carried over: uncommitted changes of ${top}`,
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
