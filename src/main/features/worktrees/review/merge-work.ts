/**
 * Merges the work of a worktree into a branch. The result is computed without a checkout, then the branch moves in one
 * step or not at all. The folder and the branch of the worktree stay, so that review comments can still be sent to its
 * agent.
 */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { MergedWork } from '../../../../shared/worktrees/review.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { commitTree } from '../../../platform/git/commit-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { mergeTrees } from '../../../platform/git/merge-tree.ts'
import type { Repository } from '../../../platform/git/repository.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import type { MergeOptions, RefusedReview, ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { fileListText } from '../named-files.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import type { CommitPair } from './comparisons.ts'
import { defaultMessage, publishMerge } from './publish-merge.ts'
import { replayCommits } from './replay-commits.ts'
import { checkSeen, type FoundWorktree, inUse, isInUse, type ReviewTools } from './review-tools.ts'
import { savedBranch } from './saved-branch.ts'
import { checkFinished } from './unfinished-work.ts'

export async function mergeIntoTarget(
  tools: ReviewTools,
  found: FoundWorktree,
  options: MergeOptions,
): Promise<ReviewResult<MergedWork>> {
  const { git, comparisons } = tools
  const { repository, record } = found
  if (await isInUse(record)) return fail(inUse(record))
  const asSeen = await checkSeen(tools, found, options.seen)
  if (!asSeen.ok) return asSeen
  const into = await findTarget(git, repository, { record, into: options.into })
  if (!into.ok) return into
  const tip = await savedBranch(tools, found)
  if (!tip.ok) return tip
  const pair = { target: into.value.commit, tip: tip.value }
  const base = await comparisons.base(repository.top, pair)
  if (!base.ok) return base
  const finished = await checkFinished(tools, {
    folder: repository.top,
    record,
    range: { from: base.value ?? record.base, tip: tip.value },
  })
  if (!finished.ok) return finished
  const result = await computeMerge(tools, found, { options, pair, into: into.value.branch })
  if (!result.ok) return result
  return publishMerge(tools, found, {
    into: into.value,
    head: tip.value,
    result: result.value.tip,
    commits: result.value.commits,
    method: options.method,
  })
}

/** The branch to merge into, and its tip. */
export async function findTarget(
  git: Git,
  { top, branch: current }: Repository,
  { record, into }: { readonly record: WorktreeRecord; readonly into: string | null },
): Promise<ReviewResult<{ readonly branch: string; readonly commit: string }>> {
  const branch = into ?? record.target ?? current
  if (branch === null)
    return fail({
      type: 'not-there',
      message: 'No branch is checked out to merge into. Name a branch.',
    })
  const checked = branch.startsWith('-')
    ? null
    : await git.answers(top, ['check-ref-format', '--branch', branch], { accepts: [1, 128] })
  if (!checked?.ok || checked.value.output !== `${branch}\n`)
    return fail({ type: 'not-there', message: `"${branch}" is not a valid branch name.` })
  if (branch === record.branch)
    return fail({ type: 'nothing', message: `${branch} can’t be merged into itself.` })
  const commit = await commitOf(git, top, branchRef(branch))
  if (commit === null)
    return fail({
      type: 'not-there',
      message: `Branch "${branch}" not found. Choose another branch.`,
    })
  return ok({ branch, commit })
}

interface MergeResult {
  readonly tip: string
  readonly commits: number
}

interface MergePlan {
  readonly options: MergeOptions
  readonly pair: CommitPair
  readonly into: string
}

async function computeMerge(
  tools: ReviewTools,
  { repository, record }: FoundWorktree,
  { options, pair, into }: MergePlan,
): Promise<ReviewResult<MergeResult>> {
  const { top } = repository
  const { method } = options
  if (method === 'cherry-pick') return pickCommits(tools, top, { options, pair, into })
  const isIn = await tools.comparisons.isIn(top, pair)
  if (!isIn.ok) return isIn
  if (isIn.value)
    return fail({ type: 'nothing', message: `${into} already has all changes of ${record.branch}.` })
  if (method === 'rebase') return rebase(tools, top, { pair, into })
  const [merged, ahead] = await Promise.all([
    // Not cached: no ref names the merged tree, so git may have pruned it since.
    mergeTrees(tools.git, top, { ours: pair.target, theirs: pair.tip }),
    tools.comparisons.ahead(top, pair),
  ])
  if (!merged.ok) return merged
  if (!ahead.ok) return ahead
  if (merged.value.conflicts.length > 0)
    return fail(
      conflictsFailure(
        into,
        merged.value.conflicts.map(({ path }) => path),
      ),
    )
  const made = await commitTree(tools.git, top, {
    tree: merged.value.tree,
    parents: method === 'squash' ? [pair.target] : [pair.target, pair.tip],
    message: options.message?.trim() || defaultMessage(record, method),
  })
  return made.ok ? ok({ tip: made.value, commits: ahead.value }) : made
}

const conflictsFailure = (into: string, files: readonly string[]): RefusedReview => ({
  type: 'conflicts',
  message: `Conflicts with ${into} in ${fileListText(files)}. Nothing was changed.`,
})

async function rebase(
  { git, comparisons }: ReviewTools,
  folder: string,
  { pair, into }: Pick<MergePlan, 'pair' | 'into'>,
): Promise<ReviewResult<MergeResult>> {
  const range = `${pair.target}...${pair.tip}`
  const order = ['--reverse', '--topo-order', '--cherry-pick', '--right-only']
  const [listed, merges, whole] = await Promise.all([
    git.run(folder, ['rev-list', ...order, '--no-merges', range]),
    git.run(folder, ['rev-list', '--count', '--merges', pair.tip, `^${pair.target}`]),
    comparisons.merged(folder, pair),
  ])
  if (!listed.ok) return listed
  if (!merges.ok) return merges
  if (!whole.ok) return whole
  const commits = listed.value.split('\n').filter((line) => line !== '')
  const replayed = await replayCommits(git, folder, { commits, onto: pair.target })
  if (Number(merges.value) === 0) return replayed
  const advice = 'Use merge or squash instead.'
  if (!replayed.ok) return fail({ ...replayed.failure, message: `${replayed.failure.message} ${advice}` })
  const tree = await git.run(folder, ['rev-parse', `${replayed.value.tip}^{tree}`])
  if (!tree.ok) return tree
  // The rebase would silently drop conflict resolutions of the merge commits.
  if (whole.value.conflicts.length === 0 && tree.value.trim() === whole.value.tree) return replayed
  return fail({
    type: 'conflicts',
    message: `${into} was merged into this branch, so a rebase would lose resolved conflicts. ${advice} Nothing was changed.`,
  })
}

async function pickCommits(
  { git }: ReviewTools,
  folder: string,
  { options, pair, into }: MergePlan,
): Promise<ReviewResult<MergeResult>> {
  const own = await git.run(folder, ['rev-list', pair.tip, `^${pair.target}`])
  if (!own.ok) return own
  const known = new Set(own.value.split('\n'))
  const chosen: string[] = []
  for (const name of options.commits ?? []) {
    const commit = /^[0-9a-f]{7,64}$/i.test(name) ? await commitOf(git, folder, name) : null
    if (commit === null || !known.has(commit))
      return fail({
        type: 'not-there',
        message: `"${name}" is not a commit of this branch that ${into} lacks. Check the list of commits.`,
      })
    chosen.push(commit)
  }
  const replayed = await replayCommits(git, folder, { commits: chosen, onto: pair.target })
  if (!replayed.ok || replayed.value.commits > 0) return replayed
  const message =
    chosen.length === 0 ? 'No commit was chosen.' : `${into} already has the changes of these commits.`
  return fail({ type: 'nothing', message })
}
