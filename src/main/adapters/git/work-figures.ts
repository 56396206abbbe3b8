/** How much work is on a branch, and whether it merges. */
import { ok, type Result } from '../../../shared/result.ts'
import type { MergeCheck, SavedWork, WorktreePlace } from '../../../shared/worktree.ts'
import { type RepositoryGit, tipsOf } from './branch-ref.ts'
import { mergeTrees } from './review/merge-trees.ts'

export type WorkFigures = Pick<SavedWork, 'commits' | 'files' | 'insertions' | 'deletions' | 'check'>

/** @param options.tip the branch's */
export async function workFigures(
  repository: RepositoryGit,
  {
    place,
    tip,
  }: {
    readonly place: Pick<WorktreePlace, 'base' | 'target'>
    readonly tip: string
  },
): Promise<Result<WorkFigures>> {
  const { base, target } = place
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
): Promise<Result<Pick<WorkFigures, 'files' | 'insertions' | 'deletions'>>> {
  const shortstat = [
    'diff',
    '--shortstat',
    '-M',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=none',
  ]
  const since = await repository.run([...shortstat, `${from}...${tip}`])
  // Two histories that have nothing in common.
  const counted = since.ok ? since : await repository.run([...shortstat, base, tip])
  if (!counted.ok) return counted
  const number = (word: RegExp): number => Number(word.exec(counted.value)?.[1] ?? 0)
  return ok({
    files: number(/(\d+) files? changed/),
    insertions: number(/(\d+) insertions?\(/),
    deletions: number(/(\d+) deletions?\(/),
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
    return unknown('no branch was checked out where it began, so choose one to merge it into')
  if (into === undefined)
    return unknown(`the branch ${target} is gone, so choose another one to merge it into`)
  const merged = await mergeTrees(repository.git, repository.folder, { ours: into.commit, theirs: tip })
  if (!merged.ok) return unknown(`whether it merges could not be found out (${merged.failure.message})`)
  const { conflicts, tree } = merged.value
  if (conflicts.length > 0) return { kind: 'conflicts', files: conflicts.map(({ path }) => path) }
  return { kind: tree === into.tree ? 'nothing' : 'clean' }
}

const unknown = (because: string): MergeCheck => ({ kind: 'unknown', because })
