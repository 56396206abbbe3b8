/** The amount of work on a branch, and whether the branch merges. */
import { ok } from '../../../shared/kernel/result.ts'
import type { MergeCheck, SavedWork, WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { type RepositoryGit, tipsOf } from '../../platform/git/branches.ts'
import { RAW_NUMSTAT, readChangedFiles } from '../../platform/git/diff-tree.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { mergeTrees } from '../../platform/git/merge-tree.ts'

type WorkFigures = Pick<SavedWork, 'commits' | 'files' | 'insertions' | 'deletions' | 'check'>

/** @param options.tip the tip of the branch */
export async function workFigures(
  repository: RepositoryGit,
  {
    location,
    tip,
  }: {
    readonly location: Pick<WorktreeLocation, 'base' | 'target'>
    readonly tip: string
  },
): Promise<GitResult<WorkFigures>> {
  const { base, target } = location
  const tips = await tipsOf(repository, target === null ? [] : [target])
  if (!tips.ok) return tips
  const into = target === null ? undefined : tips.value.get(target)
  const [count, changes, check] = await Promise.all([
    repository.run(['rev-list', '--count', tip, '--not', base, ...(into ? [into.commit] : [])]),
    changesSince(repository, { from: into?.commit ?? base, base, tip }),
    mergeCheck(repository, { target, into, tip }),
  ])
  if (!count.ok) return count
  if (!changes.ok) return changes
  return ok({ commits: Number(count.value.trim()), ...changes.value, check })
}

async function changesSince(
  repository: RepositoryGit,
  { from, base, tip }: { readonly from: string; readonly base: string; readonly tip: string },
): Promise<GitResult<Pick<WorkFigures, 'files' | 'insertions' | 'deletions'>>> {
  const since = await repository.run(['diff', ...RAW_NUMSTAT, `${from}...${tip}`])
  // `from...tip` fails for two histories without a common commit.
  const printed = since.ok ? since : await repository.run(['diff', ...RAW_NUMSTAT, base, tip])
  if (!printed.ok) return printed
  const files = readChangedFiles(printed.value)
  return ok({
    files: files.length,
    insertions: files.reduce((sum, { insertions }) => sum + (insertions ?? 0), 0),
    deletions: files.reduce((sum, { deletions }) => sum + (deletions ?? 0), 0),
  })
}

async function mergeCheck(
  repository: RepositoryGit,
  {
    target,
    into,
    tip,
  }: {
    readonly target: string | null
    readonly into: { readonly commit: string; readonly tree: string } | undefined
    readonly tip: string
  },
): Promise<MergeCheck> {
  if (target === null)
    return unknown('no branch was checked out where the worktree began, so choose a branch to merge into')
  if (into === undefined)
    return unknown(`the branch ${target} is gone, so choose another branch to merge into`)
  const merged = await mergeTrees(repository.git, repository.folder, { ours: into.commit, theirs: tip })
  if (!merged.ok) return unknown(`the merge could not be checked (${merged.failure.message})`)
  const { conflicts, tree } = merged.value
  if (conflicts.length > 0) return { kind: 'conflicts', files: conflicts.map(({ path }) => path) }
  return { kind: tree === into.tree ? 'nothing' : 'clean' }
}

const unknown = (because: string): MergeCheck => ({ kind: 'unknown', because })
