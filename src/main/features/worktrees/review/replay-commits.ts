/**
 * Applies commits one by one on top of another commit without a checkout, like rebase and cherry-pick. To apply a
 * commit, git merges it with a stand-in commit that has the same parent and the tree to apply the commit on.
 */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { commitTree, NOBODY } from '../../../platform/git/commit-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { type MergedTrees, mergeTrees } from '../../../platform/git/merge-tree.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { fileListText } from '../named-files.ts'

interface ReadCommit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly author: { readonly name: string; readonly email: string; readonly date: string }
  readonly message: string
}

interface Replayed {
  /** The last commit; `onto` where it already had every change. */
  readonly tip: string
  /** The number of new commits. */
  readonly commits: number
}

/** Keeps authors, dates and messages. Merge commits can't be applied. */
export async function replayCommits(
  git: Git,
  folder: string,
  { commits, onto }: { readonly commits: readonly string[]; readonly onto: string },
): Promise<ReviewResult<Replayed>> {
  const read = await readCommits(git, folder, commits)
  if (!read.ok) return read
  let tip = onto
  let count = 0
  for (const commit of read.value) {
    const applied = await applyCommit(git, folder, { commit, onto: tip })
    if (!applied.ok) return applied
    if (applied.value !== tip) count += 1
    tip = applied.value
  }
  return ok({ tip, commits: count })
}

/** @returns the new commit, or `onto` where it already has the change */
async function applyCommit(
  git: Git,
  folder: string,
  { commit, onto }: { readonly commit: ReadCommit; readonly onto: string },
): Promise<ReviewResult<string>> {
  const { sha, parents, author, message } = commit
  const [parent] = parents
  const subject = message.split('\n', 1)[0] ?? ''
  if (parent === undefined || parents.length > 1)
    return fail({
      type: 'unfinished',
      message: `${sha.slice(0, 10)} "${subject}" has ${parents.length} parents, so it can’t be applied by itself. Use merge or squash.`,
    })
  if (parent === onto) return ok(sha)
  const applied = await applyCommitOnto(git, folder, { commit: sha, parent, onto })
  if (!applied.ok) return applied
  const { tree, conflicts } = applied.value
  if (conflicts.length > 0)
    return fail({
      type: 'conflicts',
      message: `The commit ${sha.slice(0, 10)} "${subject}" conflicts in ${fileListText(conflicts.map(({ path }) => path))}. Nothing was changed.`,
    })
  const trees = await git.run(folder, ['rev-parse', `${onto}^{tree}`, `${sha}^{tree}`, `${parent}^{tree}`])
  if (!trees.ok) return trees
  const [before, its, itsParent] = trees.value.split('\n')
  // Keep a commit that was empty from the start. Skip a commit whose change `onto` already has.
  if (tree === before && its !== itsParent) return ok(onto)
  return commitTree(git, folder, { tree, parents: [onto], message, author })
}

/** The tree that results from a commit's change on top of another commit. */
export async function applyCommitOnto(
  git: Git,
  folder: string,
  { commit, parent, onto }: { readonly commit: string; readonly parent: string; readonly onto: string },
): Promise<ReviewResult<MergedTrees>> {
  const standIn = await git.run(folder, ['commit-tree', '-p', parent, '-m', 'Stand-in', `${onto}^{tree}`], {
    environment: NOBODY,
  })
  if (!standIn.ok) return standIn
  return mergeTrees(git, folder, { ours: standIn.value.trim(), theirs: commit })
}

async function readCommits(
  git: Git,
  folder: string,
  commits: readonly string[],
): Promise<ReviewResult<readonly ReadCommit[]>> {
  if (commits.length === 0) return ok([])
  const format = '--format=%H%x01%P%x01%an%x01%ae%x01%ad%x01%B'
  const options = [
    '--no-walk=unsorted',
    '--stdin',
    '-z',
    '--date=raw',
    '--encoding=UTF-8',
    '--no-show-signature',
  ]
  const output = await git.run(folder, ['log', ...options, format], {
    input: commits.map((commit) => `${commit}\n`).join(''),
  })
  if (!output.ok) return output
  return ok(
    output.value
      .split('\0')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => {
        const [sha = '', parents = '', name = '', email = '', date = '', ...message] = entry.split('\x01')
        return {
          sha: sha.trim(),
          parents: parents.split(' ').filter((parent) => parent !== ''),
          author: { name, email, date: `@${date}` },
          message: message.join('\x01'),
        }
      }),
  )
}
