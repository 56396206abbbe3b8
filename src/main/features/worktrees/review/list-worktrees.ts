/** Lists all worktrees of a repository for Review, with the conflicts between them. */
import { ok } from '../../../../shared/kernel/result.ts'
import {
  type DiscardedWorktree,
  emptyReview,
  type ReviewSnapshot,
  type ReviewWorktree,
} from '../../../../shared/worktrees/review.ts'
import { BRANCH_PREFIX } from '../../../../shared/worktrees/worktree.ts'
import { type Repository, repositoryAround } from '../../../platform/git/repository.ts'
import { inParallel } from '../../../platform/system/in-parallel.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { trashRef } from '../kept-refs.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { type DescribedWorktree, describeWorktree } from './describe-worktree.ts'
import { mayClash } from './may-clash.ts'
import type { ReviewTools } from './review-tools.ts'

export async function listWorktrees(
  tools: ReviewTools,
  folder: string,
  { thorough }: { readonly thorough: boolean },
): Promise<ReviewSnapshot> {
  const repository = await repositoryAround(tools.git, folder)
  if (!repository.ok) return emptyReview(folder, repository.failure.message)
  const [reading, counting] = [
    readRefs(tools, repository.value),
    aheadOfUpstream(tools, repository.value),
  ] as const
  const records = await tools.records.ofRepository(repository.value.commonFolder)
  const options = { thorough, folder, refs: reading.then((refs) => (refs.ok ? refs.value : new Map())) }
  const described = await Promise.all(
    records
      .filter(({ state }) => state === 'there' || state === 'making')
      .map((record) => describeWorktree(tools, { repository: repository.value, record }, options)),
  )
  const [refs, ahead] = await Promise.all([reading, counting])
  if (!refs.ok) return emptyReview(folder, refs.failure.message)
  const there = described.filter((one) => one !== null)
  const worktrees = thorough
    ? await withConflicts(tools, repository.value, there)
    : there.map(({ worktree }) => worktree)
  return {
    folder,
    worktrees,
    discarded: discardedOf(records, refs.value),
    order: mergeOrder(worktrees),
    branches: branchesOf(refs.value, { current: repository.value.branch, records }),
    current: repository.value.branch,
    ahead,
    problem: null,
  }
}

/**
 * The conversations with ready worktrees, in all repositories.
 *
 * @param folderOf the folder of a conversation; null: its repository must not be read
 */
export async function conversationsToReview(
  tools: ReviewTools,
  folderOf: (conversationId: string) => string | null,
): Promise<readonly string[]> {
  const folders = new Map<string, string>()
  for (const { commonFolder, state, ended, owner } of await tools.records.all()) {
    const folder = state === 'there' && ended !== null ? folderOf(owner.conversationId) : null
    if (folder !== null) folders.set(commonFolder, folder)
  }
  const lists = await inParallel([...folders.values()], 2, (folder) =>
    listWorktrees(tools, folder, { thorough: false }),
  )
  const ready = lists.flatMap(({ worktrees }) => worktrees).filter(({ state }) => state === 'ready')
  return [...new Set(ready.map(({ conversationId }) => conversationId))]
}

/** The commits of branches and of discarded worktrees, by full ref, the most recent commit first. */
async function readRefs(
  { git }: ReviewTools,
  { top }: Repository,
): Promise<ReviewResult<ReadonlyMap<string, string>>> {
  const args = ['for-each-ref', '--sort=-committerdate', '--format=%(objectname) %(refname)']
  const output = await git.run(top, [...args, 'refs/heads', 'refs/troupe/trash'])
  if (!output.ok) return output
  const lines = output.value.split('\n').filter((line) => line !== '')
  return ok(
    new Map(
      lines.map((line) => {
        const space = line.indexOf(' ')
        return [line.slice(space + 1), line.slice(0, space)]
      }),
    ),
  )
}

/** Compares each pair of unmerged worktrees once. */
async function withConflicts(
  { comparisons }: ReviewTools,
  { top }: Repository,
  described: readonly DescribedWorktree[],
): Promise<readonly ReviewWorktree[]> {
  const found = new Map<string, ReviewWorktree['conflictsWith'][number][]>(
    described.map(({ worktree }) => [worktree.id, []]),
  )
  const unmerged = described.filter(({ worktree }) => worktree.state !== 'merged')
  const pairs = unmerged.flatMap((one, index) => unmerged.slice(index + 1).map((other) => ({ one, other })))
  await Promise.all(
    pairs.map(async ({ one, other }) => {
      if (!one.work || !other.work || !mayClash(one.work, other.work)) return
      const clashes = await comparisons.clashes(top, one.work.commit, other.work.commit)
      if (!clashes.ok || clashes.value.length === 0) return
      found.get(one.worktree.id)?.push({ id: other.worktree.id, files: clashes.value })
      found.get(other.worktree.id)?.push({ id: one.worktree.id, files: clashes.value })
    }),
  )
  const position = new Map(described.map(({ worktree }, index) => [worktree.id, index]))
  return described.map(({ worktree }) => ({
    ...worktree,
    conflictsWith: (found.get(worktree.id) ?? []).sort(
      (a, b) => (position.get(a.id) ?? 0) - (position.get(b.id) ?? 0),
    ),
  }))
}

function discardedOf(
  records: readonly WorktreeRecord[],
  refs: ReadonlyMap<string, string>,
): readonly DiscardedWorktree[] {
  return records.flatMap(({ id, branch, owner, state, discarded }) =>
    state === 'discarded' && discarded && refs.has(trashRef(id))
      ? [{ id, branch, agentName: owner.name, task: owner.task, at: discarded.at }]
      : [],
  )
}

function branchesOf(
  refs: ReadonlyMap<string, string>,
  { current, records }: { readonly current: string | null; readonly records: readonly WorktreeRecord[] },
): readonly string[] {
  const own = new Set(records.map(({ branch }) => branch))
  const all = [...refs.keys()]
    .filter((ref) => ref.startsWith('refs/heads/'))
    .map((ref) => ref.slice('refs/heads/'.length))
    .filter((branch) => branch !== current && !own.has(branch) && !branch.startsWith(BRANCH_PREFIX))
  return current !== null && refs.has(`refs/heads/${current}`) ? [current, ...all] : all
}

async function aheadOfUpstream({ git }: ReviewTools, { top, branch }: Repository): Promise<number | null> {
  if (branch === null) return null
  const args = ['rev-list', '--count', '@{upstream}..HEAD', '--']
  const count = await git.answers(top, args, { accepts: [128] })
  return count.ok && count.value.code === 0 ? Number(count.value.output) : null
}

type Waiting = Pick<ReviewWorktree, 'id' | 'state' | 'check' | 'conflictsWith' | 'createdAt'>

/** @returns the ids of the worktrees that are ready */
function mergeOrder(worktrees: readonly Waiting[]): readonly string[] {
  const left = new Map(worktrees.filter(({ state }) => state === 'ready').map((one) => [one.id, one]))
  const order: string[] = []
  while (left.size > 0) {
    const [next] = [...left.values()]
      .map((one) => ({ one, clashes: one.conflictsWith.filter(({ id }) => left.has(id)).length }))
      .sort(
        (a, b) =>
          Number(isStuck(a.one)) - Number(isStuck(b.one)) ||
          a.clashes - b.clashes ||
          a.one.createdAt - b.one.createdAt ||
          (a.one.id < b.one.id ? -1 : 1),
      )
    if (!next) break
    order.push(next.one.id)
    left.delete(next.one.id)
  }
  return order
}

const isStuck = ({ check }: Waiting): boolean => check?.kind === 'conflicts' || check?.kind === 'unknown'
