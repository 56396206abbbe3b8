/** Keeps an agent's work on the branch that its worktree is known by, whatever it checked out there. */
import { ok, type Result } from '../../../shared/result.ts'
import { branchRef, repositoryGit, tipsOf } from './branch-ref.ts'
import type { Git } from './git-client.ts'

export interface OwnBranch {
  /** The tip of the branch. */
  readonly tip: string
  /** What is checked out; another commit than the tip where the two went apart. */
  readonly head: string
  /** By name; null: no branch is. */
  readonly checkedOut: string | null
}

/**
 * The branch follows what is checked out, as long as nothing that is on it gets lost by that. It is made again
 * where it was renamed or deleted. Failures: those of git.
 */
export async function followHead(
  git: Git,
  {
    path,
    branch,
    commonFolder,
  }: { readonly path: string; readonly branch: string; readonly commonFolder: string },
): Promise<Result<OwnBranch>> {
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

async function isAncestor(
  git: Git,
  folder: string,
  { older, newer }: { readonly older: string; readonly newer: string },
): Promise<boolean> {
  const asked = await git.answers(folder, ['merge-base', '--is-ancestor', older, newer], { accepts: [1] })
  return asked.ok && asked.value.code === 0
}
