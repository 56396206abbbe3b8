/** Gives commits a ref that only the entry of a deleted worktree still names, before the entry is removed. */
import { ok } from '../../../shared/result.ts'
import { repositoryGit } from '../git/branches.ts'
import type { Git } from '../git/git-client.ts'
import type { GitResult } from '../git/git-failure.ts'
import { entryOf } from '../git/worktree-entry.ts'
import { keptRef } from './kept-refs.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** @returns the ref; null: every commit of the worktree is on a branch */
export async function keepStrayHead(
  git: Git,
  { id, path, commonFolder }: Pick<WorktreeRecord, 'id' | 'path' | 'commonFolder'>,
): Promise<GitResult<string | null>> {
  const entry = await entryOf(commonFolder, path)
  if (entry === null) return ok(null)
  const verify = ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']
  const head = await git.answers(commonFolder, verify, { environment: { GIT_DIR: entry }, accepts: [1, 128] })
  if (!head.ok) return head
  if (head.value.code !== 0) return ok(null)
  const commit = head.value.output.trim()
  const repository = repositoryGit(git, { folder: commonFolder, commonFolder })
  const stray = await repository.run(['rev-list', '--count', commit, '--not', '--glob=refs/*'])
  if (!stray.ok) return stray
  if (Number(stray.value) === 0) return ok(null)
  const kept = await repository.run(['update-ref', keptRef(id, commit), commit])
  return kept.ok ? ok(keptRef(id, commit)) : kept
}

export const strayHeadText = (ref: string): string => `Commits that were on no branch are kept under ${ref}.`
