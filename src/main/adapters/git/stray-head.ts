/** Commits that only the entry of a worktree knows of, whose folder is gone: they get a ref before the entry goes. */
import { ok, type Result } from '../../../shared/result.ts'
import { repositoryGit } from './branch-ref.ts'
import type { Git } from './git-client.ts'
import { keptRef } from './review/trash-ref.ts'
import { entryOf } from './worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'

/** @returns the ref; null: all that was checked out there is on a branch. Failures: those of git */
export async function keepStrayHead(
  git: Git,
  { id, path, commonFolder }: Pick<WorktreeRecord, 'id' | 'path' | 'commonFolder'>,
): Promise<Result<string | null>> {
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

export const strayWords = (ref: string): string => `Commits that were on no branch are kept under ${ref}.`
