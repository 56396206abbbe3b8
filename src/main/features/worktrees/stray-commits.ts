/** Commits that only the entry of a worktree in git names: they would be lost when the entry is removed. */
import { ok } from '../../../shared/kernel/result.ts'
import { type RepositoryGit, repositoryGit } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { inGitFolder } from '../../platform/git/with-options.ts'
import { worktreeEntryOf } from '../../platform/git/worktree-entry.ts'
import { keptRef, keptRefsOf } from './kept-refs.ts'
import { fileListText } from './named-files.ts'
import type { WorktreeRecord } from './worktree-record.ts'

type Named = Pick<WorktreeRecord, 'id' | 'path' | 'commonFolder'>

/** The commit that is checked out in a worktree, even if its folder is gone. */
export interface CheckedOut {
  readonly commit: string
  /** The full ref of the branch; null: none is checked out. */
  readonly ref: string | null
}

/** Null: git has no entry of the worktree, or its HEAD names no commit. */
export async function checkedOutIn(
  git: Git,
  { path, commonFolder }: Omit<Named, 'id'>,
): Promise<GitResult<CheckedOut | null>> {
  const entry = await worktreeEntryOf(commonFolder, path)
  if (entry === null) return ok(null)
  const args = ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']
  const within = inGitFolder(git, entry)
  const [head, ref] = await Promise.all([
    within.answers(commonFolder, args, { accepts: [1, 128] }),
    within.answers(commonFolder, ['symbolic-ref', '--quiet', 'HEAD'], { accepts: [1, 128] }),
  ])
  if (!head.ok) return head
  if (!ref.ok) return ref
  if (head.value.code !== 0) return ok(null)
  const name = ref.value.output.trim()
  return ok({ commit: head.value.output.trim(), ref: name.startsWith('refs/heads/') ? name : null })
}

/** The newest commits that HEAD, its reflog or the worktree's own refs name, and that no ref of the repository contains. */
export async function strayCommits(git: Git, record: Named): Promise<GitResult<readonly string[]>> {
  const { path, commonFolder } = record
  const entry = await worktreeEntryOf(commonFolder, path)
  if (entry === null) return ok([])
  const within = inGitFolder(git, entry)
  const [head, reflog, own] = await Promise.all([
    checkedOutIn(git, record),
    // Exit code 128: HEAD names no commit, or a commit of the log was pruned.
    within.answers(commonFolder, ['reflog', 'show', '--format=%H', 'HEAD', '--'], { accepts: [128] }),
    within.run(commonFolder, ['for-each-ref', '--format=%(objectname)', ...OWN_REFS]),
  ])
  if (!head.ok) return head
  if (!reflog.ok) return reflog
  if (!own.ok) return own
  const named = `${head.value?.commit ?? ''}\n${reflog.value.output}\n${own.value}`.split('\n')
  const commits = [...new Set(named)].filter((commit) => commit !== '')
  if (commits.length === 0) return ok([])
  const args = ['rev-list', '--parents', '--ignore-missing', '--stdin', '--not', '--glob=refs/*']
  const listed = await inGitFolder(git, commonFolder).run(commonFolder, args, {
    input: commits.map((commit) => `${commit}\n`).join(''),
  })
  if (!listed.ok) return listed
  const strays = listed.value.split('\n').map((line) => line.split(' '))
  const parents = new Set(strays.flatMap((line) => line.slice(1)))
  return ok(strays.flatMap(([commit = '']) => (commit === '' || parents.has(commit) ? [] : [commit])))
}

/** Refs that each checkout has for itself. */
const OWN_REFS = ['refs/worktree', 'refs/bisect', 'refs/rewritten']

/** Gives stray commits refs that stay when the entry is removed. @returns all refs that keep commits of the worktree */
export async function keepStrayCommits(git: Git, record: Named): Promise<GitResult<readonly string[]>> {
  const { id, commonFolder } = record
  const strays = await strayCommits(git, record)
  if (!strays.ok) return strays
  const repository = repositoryGit(git, { folder: commonFolder, commonFolder })
  for (const commit of strays.value) {
    const kept = await repository.run(['update-ref', keptRef(id, commit), commit])
    if (!kept.ok) return kept
  }
  return listKept(repository, id)
}

/** The refs that keep commits of a worktree. */
export async function listKept(repository: RepositoryGit, id: string): Promise<GitResult<readonly string[]>> {
  const listed = await repository.run(['for-each-ref', '--format=%(refname)', keptRefsOf(id)])
  return listed.ok ? ok(listed.value.split('\n').filter((ref) => ref !== '')) : listed
}

export const strayCommitsText = (refs: readonly string[]): string =>
  `Commits that were on no branch are kept under ${fileListText(refs)}.`
