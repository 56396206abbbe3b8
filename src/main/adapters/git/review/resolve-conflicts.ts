/** A merge of the target into a worktree, left unfinished for its agent to resolve; and taking that back. */
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import { branchRef } from '../branch-ref.ts'
import { inRepositoryTurn } from '../repository-turn.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { commitTree } from './commit-tree.ts'
import { findTarget } from './merge-work.ts'
import {
  commitOf,
  confineGit,
  type FoundWorktree,
  inUse,
  isInUse,
  lookInto,
  type ReviewTools,
} from './review-tools.ts'
import { savedBranch } from './saved-branch.ts'
import { keptRef } from './trash-ref.ts'
import type { WorkSnapshot } from './work-snapshot.ts'

/** Failures: `in-use`, `nothing` (it merges cleanly), `unfinished`, `would-overwrite`, `not-there`, `git`. */
export async function beginResolving(
  tools: ReviewTools,
  found: FoundWorktree,
): Promise<Result<{ readonly into: string; readonly files: readonly string[] }>> {
  const { git, records, comparisons } = tools
  const { record, repository } = found
  if (await isInUse(record)) return fail(inUse(record))
  const before = await lookInto(tools, found, { lenient: true })
  if (!before.ok) return before
  if (before.value.snapshot === null)
    return fail({
      type: 'not-there',
      message: `The folder ${record.path} was deleted. Send its agent a message: it gets its folder back from the branch.`,
    })
  if (before.value.snapshot.merging.length > 0) {
    if (record.resolving === null)
      return fail({
        type: 'unfinished',
        message: `A merge is under way in ${record.path} that was begun there. Finish or abort it there first.`,
      })
    return ok({ into: record.resolving.into, files: before.value.snapshot.unmerged })
  }
  const into = await findTarget(git, repository, { record, into: null })
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
      message: `${record.branch} merges into ${into.value.branch} without conflicts: there is nothing to resolve.`,
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

/** @returns files in conflict */
async function beginMerge(
  tools: ReviewTools,
  path: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<Result<readonly string[]>> {
  const git = confineGit(tools.git, dirname(path))
  // By this name markers show the branch's; the commit is looked at after.
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
      message: `Files that git does not track are in the way of a merge in ${path}. Nothing was changed.`,
    })
  if (heads.value.output.trim() !== commit)
    return fail({
      type: 'moved',
      message: `${branch} moved meanwhile: what is merged now is its newest commit. Abort, or resolve that.`,
    })
  return ok(unmerged.value.split('\0').filter((file) => file !== ''))
}

/**
 * Everything that was done since goes with it; it is kept under `refs/troupe/kept/`. Failures: `in-use`,
 * `nothing` (none is under way), `unfinished` (its agent committed meanwhile), `git`.
 */
export async function abortResolving(tools: ReviewTools, found: FoundWorktree): Promise<Result<void>> {
  const { records } = tools
  const { record, repository } = found
  if (await isInUse(record)) return fail(inUse(record))
  const work = await lookInto(tools, found, { lenient: false })
  if (!work.ok) return work
  const { snapshot } = work.value
  if (record.resolving === null || !snapshot || snapshot.merging.length === 0)
    return fail({ type: 'nothing', message: `No merge is under way in ${record.id}.` })
  const { before } = record.resolving
  if (snapshot.head !== before) return fail(gotCommits(record))
  return inRepositoryTurn(repository.commonFolder, async () => {
    // Its agent may have gone on since.
    const now = await records.read(record.path)
    if (now === null || (await isInUse(now))) return fail(inUse(record))
    return takeBack(tools, record, { snapshot, before })
  })
}

async function takeBack(
  tools: ReviewTools,
  record: WorktreeRecord,
  { snapshot, before }: { readonly snapshot: WorkSnapshot; readonly before: string },
): Promise<Result<void>> {
  const git = confineGit(tools.git, dirname(record.path))
  const paths = ['.', ...snapshot.without.map((path) => `:(top,exclude,literal)${path}`)]
  // Files that came up since are git's first, so that the reset takes them away.
  const added = await git.run(
    record.path,
    ['add', '--all', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'],
    {
      input: paths.map((path) => `${path}\0`).join(''),
    },
  )
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
    message: `Taken back: a merge that was being resolved in ${record.id}`,
  })
  if (!made.ok) return made
  const kept = await git.run(record.path, ['update-ref', keptRef(record.id, made.value), made.value])
  if (!kept.ok) return kept
  const reset = await git.run(record.path, ['reset', '--hard', '--quiet', before])
  if (!reset.ok) return reset
  const noted = await tools.records.update(record.path, (now) => ({ ...now, resolving: null }))
  return noted.ok ? ok(undefined) : noted
}

const gotCommits = ({ branch, path }: WorktreeRecord) => ({
  type: 'unfinished',
  message: `${branch} got commits since the merge was begun, so it is not taken back. Abort it in ${path} by hand (\`git merge --abort\`).`,
})
