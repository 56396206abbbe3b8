/** Merges the target into a worktree and leaves the conflicts for its agent; or undoes that merge. */
import { dirname } from 'node:path'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { commitTree } from '../../../platform/git/commit-tree.ts'
import { allExcept, PATHSPECS_FROM_INPUT } from '../../../platform/git/pathspecs.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { confineGit } from '../../../platform/git/with-options.ts'
import type { RefusedReview, ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { keptRef } from '../kept-refs.ts'
import { withRepositoryLock } from '../repository-lock.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { findTarget } from './merge-work.ts'
import { type FoundWorktree, inUse, isInUse, type ReviewTools, readWork } from './review-tools.ts'
import { savedBranch } from './saved-branch.ts'
import type { WorkSnapshot } from './work-snapshot.ts'

/** Fails as `nothing` where the work merges cleanly. @param chosen the branch to merge; null: the target of the worktree */
export async function beginResolving(
  tools: ReviewTools,
  found: FoundWorktree,
  chosen: string | null,
): Promise<ReviewResult<{ readonly into: string; readonly files: readonly string[] }>> {
  const { git, records, comparisons } = tools
  const { record, repository } = found
  if (await isInUse(record)) return fail(inUse(record))
  const before = await readWork(tools, found, { lenient: true })
  if (!before.ok) return before
  if (before.value.snapshot === null)
    return fail({
      type: 'not-there',
      message: `The folder ${record.path} was deleted. Send its agent a message to restore the folder from the branch.`,
    })
  if (before.value.snapshot.merging.length > 0) {
    if (record.resolving === null)
      return fail({
        type: 'unfinished',
        message: `A merge that Troupe did not start is unfinished in ${record.path}. Finish or abort it there first.`,
      })
    const { into } = record.resolving
    if (chosen !== null && chosen !== into)
      return fail({
        type: 'unfinished',
        message: `A merge of ${into} is unfinished in ${record.id}. Finish or abort it before you merge ${chosen}.`,
      })
    return ok({ into, files: before.value.snapshot.unmerged })
  }
  const into = await findTarget(git, repository, { record, into: chosen })
  if (!into.ok) return into
  const tip = await savedBranch(tools, found)
  if (!tip.ok) return tip
  if (before.value.snapshot.ref !== branchRef(record.branch))
    return fail({
      type: 'unfinished',
      message: `${record.branch} is not checked out in ${record.path}. Run \`git switch ${record.branch}\` there first.`,
    })
  const merged = await comparisons.merged(repository.top, { target: into.value.commit, tip: tip.value })
  if (!merged.ok) return merged
  if (merged.value.conflicts.length === 0)
    return fail({
      type: 'nothing',
      message: `${record.branch} merges into ${into.value.branch} without conflicts. Nothing to resolve.`,
    })
  const noted = await records.update(record.path, (now) => ({
    ...now,
    head: tip.value,
    resolving: { into: into.value.branch, before: tip.value },
  }))
  if (!noted.ok) return noted
  const begun = await beginMerge(tools, record.path, into.value)
  if (begun.ok) return ok({ into: into.value.branch, files: begun.value })
  await records.update(record.path, (now) => ({ ...now, resolving: null }))
  return begun
}

/** @returns the files in conflict */
async function beginMerge(
  tools: ReviewTools,
  path: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<ReviewResult<readonly string[]>> {
  const git = confineGit(tools.git, dirname(path))
  // The branch's name, so that conflict markers show it. MERGE_HEAD is compared with the commit afterwards.
  const args = [
    '--no-commit',
    '--no-ff',
    '--no-squash',
    '--no-autostash',
    '--no-verify-signatures',
    '--quiet',
  ]
  const merge = await git.answers(path, ['merge', ...args, `heads/${branch}`], { accepts: [1] })
  if (!merge.ok) return merge
  const [heads, unmerged] = await Promise.all([
    git.answers(path, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'], { accepts: [1] }),
    git.run(path, ['diff', '--name-only', '--diff-filter=U', '-z', '--no-ext-diff']),
  ])
  if (!heads.ok) return heads
  if (!unmerged.ok) return unmerged
  if (heads.value.code !== 0)
    return fail({
      type: 'would-overwrite',
      message: `Untracked files in ${path} are in the way of the merge. Nothing was changed.`,
    })
  if (heads.value.output.trim() !== commit)
    return fail({
      type: 'moved',
      message: `${branch} got new commits meanwhile, and the newest was merged. Resolve its conflicts, or abort.`,
    })
  return ok(unmerged.value.split('\0').filter((file) => file !== ''))
}

/**
 * Undoes the merge and all changes since, and keeps them under `refs/troupe/kept/`. Fails as `unfinished` where the
 * agent has committed meanwhile.
 */
export async function abortResolving(tools: ReviewTools, found: FoundWorktree): Promise<ReviewResult<void>> {
  const { records } = tools
  const { record, repository } = found
  if (await isInUse(record)) return fail(inUse(record))
  const work = await readWork(tools, found, { lenient: false })
  if (!work.ok) return work
  const { snapshot } = work.value
  if (record.resolving === null || !snapshot || snapshot.merging.length === 0)
    return fail({ type: 'nothing', message: `No merge is unfinished in ${record.id}.` })
  const { before } = record.resolving
  if (snapshot.head !== before) return fail(gotCommits(record))
  return withRepositoryLock(repository.commonFolder, async () => {
    // The agent may have resumed meanwhile.
    const now = await records.read(record.path)
    if (now === null || (await isInUse(now))) return fail(inUse(record))
    return undoMerge(tools, record, { snapshot, before })
  })
}

async function undoMerge(
  tools: ReviewTools,
  record: WorktreeRecord,
  { snapshot, before }: { readonly snapshot: WorkSnapshot; readonly before: string },
): Promise<ReviewResult<void>> {
  const git = confineGit(tools.git, dirname(record.path))
  // Adds new files to the index, so that the reset removes them.
  const added = await git.run(record.path, ['add', '--all', '--sparse', ...PATHSPECS_FROM_INPUT], {
    input: allExcept(snapshot.without),
  })
  if (!added.ok) return added
  const [tree, head] = await Promise.all([
    git.run(record.path, ['write-tree']),
    commitOf(git, record.path, 'HEAD'),
  ])
  if (!tree.ok) return tree
  if (head !== before) return fail(gotCommits(record))
  const made = await commitTree(git, record.path, {
    tree: tree.value.trim(),
    parents: [snapshot.head, ...snapshot.merging],
    message: `Undone: an unfinished merge in ${record.id}`,
  })
  if (!made.ok) return made
  const kept = await git.run(record.path, ['update-ref', keptRef(record.id, made.value), made.value])
  if (!kept.ok) return kept
  const reset = await git.run(record.path, ['reset', '--hard', '--quiet', before])
  if (!reset.ok) return reset
  const noted = await tools.records.update(record.path, (now) => ({ ...now, resolving: null }))
  return noted.ok ? ok(undefined) : noted
}

const gotCommits = ({ branch, path }: WorktreeRecord): RefusedReview => ({
  type: 'unfinished',
  message: `${branch} got commits since the merge started, so the merge was not undone. Undo it in ${path} by hand.`,
})
