/** Keeps an agent's work on the branch of its worktree, even if the agent checked out another branch there. */
import { ok } from '../../../shared/kernel/result.ts'
import { branchRef, repositoryGit, tipsOf } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { isAncestor } from '../../platform/git/merge-base.ts'

interface OwnBranch {
  /** The tip of the branch. */
  readonly tip: string
  /** The commit that is checked out. It differs from the tip where the two diverged. */
  readonly head: string
  /** The name of the branch that is checked out; null: no branch is. */
  readonly checkedOut: string | null
}

/**
 * Moves the branch to the commit that is checked out, unless that would lose commits of the branch. Creates the branch
 * again if it was renamed or deleted.
 */
export async function followHead(
  git: Git,
  {
    path,
    branch,
    commonFolder,
  }: { readonly path: string; readonly branch: string; readonly commonFolder: string },
): Promise<GitResult<OwnBranch>> {
  const repository = repositoryGit(git, { folder: path, commonFolder })
  const [heads, tips] = await Promise.all([
    git.run(path, ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']),
    tipsOf(repository, [branch]),
  ])
  if (!heads.ok) return heads
  if (!tips.ok) return tips
  const [head = '', ref = ''] = heads.value.split('\n')
  const checkedOut = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
  const tip = tips.value.get(branch)?.commit ?? null
  if (tip === head) return ok({ tip, head, checkedOut })
  if (tip !== null && !(await isAncestor(git, path, { older: tip, newer: head })))
    return ok({ tip, head, checkedOut })
  const moved = await repository.run(['update-ref', '--no-deref', branchRef(branch), head, tip ?? ''])
  return moved.ok ? ok({ tip: head, head, checkedOut }) : moved
}
