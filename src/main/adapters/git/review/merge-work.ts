/**
 * Merges the work of a worktree into a branch. The result is worked out beside every checkout, then the branch
 * moves in one step or not at all. Folder and branch stay: they go when a person discards them or removes all
 * that are merged, so that comments can still be sent back after a merge.
 */

import { fail, ok, type Result } from '../../../../shared/result.ts'
import type { MergedWork, MergeOptions } from '../../../runtime/worktrees.ts'
import { branchRef } from '../branch-ref.ts'
import type { Git } from '../git-client.ts'
import type { Repository } from '../repository.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { advanceBranch } from './advance-branch.ts'
import { commitTree } from './commit-tree.ts'
import type { CommitPair } from './comparisons.ts'
import { mergeTrees } from './merge-trees.ts'
import { namedFiles } from './named-files.ts'
import { replayCommits } from './replay-commits.ts'
import { commitOf, type FoundWorktree, inUse, isInUse, type ReviewTools } from './review-tools.ts'
import { savedBranch } from './saved-branch.ts'
import { checkFinished } from './unfinished-work.ts'

export async function mergeWork(
  tools: ReviewTools,
  found: FoundWorktree,
  options: MergeOptions,
): Promise<Result<MergedWork>> {
  const { git, comparisons, records } = tools
  const { repository, record } = found
  if (await isInUse(record)) return fail(inUse(record))
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
  const result = await workOut(tools, found, { options, pair, into: into.value.branch })
  if (!result.ok) return result
  const moved = await advanceBranch(git, repository, {
    branch: into.value.branch,
    from: pair.target,
    to: result.value.tip,
    why: `merge ${record.branch} (${options.method})`,
  })
  if (!moved.ok) return moved
  const merged = {
    into: into.value.branch,
    commit: result.value.tip,
    head: tip.value,
    method: options.method,
    at: tools.now(),
  }
  const written = await records.update(record.path, (now) => ({
    ...now,
    merged,
    head: tip.value,
    resolving: null,
  }))
  if (!written.ok)
    tools.onProblem(`${record.branch} was merged, but that could not be noted: ${written.failure.message}`)
  const files = await comparisons.files(repository.top, { from: pair.target, to: result.value.tip })
  return ok({
    into: into.value.branch,
    commit: result.value.tip,
    commits: result.value.commits,
    files: files.ok ? files.value.length : 0,
  })
}

/** The branch that is merged into, and its tip. Failures: `not-there`, `git`. */
export async function findTarget(
  git: Git,
  { top, branch: current }: Repository,
  { record, into }: { readonly record: WorktreeRecord; readonly into: string | null },
): Promise<Result<{ readonly branch: string; readonly commit: string }>> {
  const branch = into ?? record.target ?? current
  if (branch === null)
    return fail({
      type: 'not-there',
      message: 'No branch is checked out that it could be merged into. Name a branch.',
    })
  const checked = branch.startsWith('-')
    ? null
    : await git.answers(top, ['check-ref-format', '--branch', branch], { accepts: [1, 128] })
  if (!checked?.ok || checked.value.output !== `${branch}\n`)
    return fail({ type: 'not-there', message: `"${branch}" can’t be the name of a branch.` })
  if (branch === record.branch)
    return fail({ type: 'nothing', message: `${branch} can’t be merged into itself.` })
  const commit = await commitOf(git, top, branchRef(branch))
  if (commit === null)
    return fail({
      type: 'not-there',
      message: `There is no branch "${branch}" (any more). Choose another one.`,
    })
  return ok({ branch, commit })
}

interface WorkedOut {
  readonly tip: string
  readonly commits: number
}

interface MergePlan {
  readonly options: MergeOptions
  readonly pair: CommitPair
  readonly into: string
}

async function workOut(
  tools: ReviewTools,
  { repository, record }: FoundWorktree,
  { options, pair, into }: MergePlan,
): Promise<Result<WorkedOut>> {
  const { top } = repository
  const { method } = options
  if (method === 'cherry-pick') return pickCommits(tools, top, { options, pair, into })
  const isIn = await tools.comparisons.isIn(top, pair)
  if (!isIn.ok) return isIn
  if (isIn.value)
    return fail({ type: 'nothing', message: `All that is on ${record.branch} is in ${into} already.` })
  if (method === 'rebase') return rebase(tools, top, { pair, into })
  const [merged, ahead] = await Promise.all([
    // Anew: a tree that was worked out before, and that nothing names, may have been pruned since.
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
    message: options.message?.trim() || usualMessage(record, method),
  })
  return made.ok ? ok({ tip: made.value, commits: ahead.value }) : made
}

const conflictsFailure = (into: string, files: readonly string[]) => ({
  type: 'conflicts',
  message: `It conflicts with ${into} in ${namedFiles(files)}. Nothing was changed.`,
})

async function rebase(
  { git, comparisons }: ReviewTools,
  folder: string,
  { pair, into }: Pick<MergePlan, 'pair' | 'into'>,
): Promise<Result<WorkedOut>> {
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
  const advice = 'Use merge or squash: those take the branch as a whole.'
  if (!replayed.ok) return fail({ ...replayed.failure, message: `${replayed.failure.message} ${advice}` })
  const tree = await git.run(folder, ['rev-parse', `${replayed.value.tip}^{tree}`])
  if (!tree.ok) return tree
  // What was resolved in a merge would be lost without a word.
  if (whole.value.conflicts.length === 0 && tree.value.trim() === whole.value.tree) return replayed
  return fail({
    type: 'conflicts',
    message: `${into} was merged into this branch, and its commits one by one do not give what it holds now. ${advice} Nothing was changed.`,
  })
}

async function pickCommits(
  { git }: ReviewTools,
  folder: string,
  { options, pair, into }: MergePlan,
): Promise<Result<WorkedOut>> {
  const own = await git.run(folder, ['rev-list', pair.tip, `^${pair.target}`])
  if (!own.ok) return own
  const known = new Set(own.value.split('\n'))
  const chosen: string[] = []
  for (const name of options.commits ?? []) {
    const commit = /^[0-9a-f]{7,64}$/i.test(name) ? await commitOf(git, folder, name) : null
    if (commit === null || !known.has(commit))
      return fail({
        type: 'not-there',
        message: `"${name}" is no commit that this branch has and ${into} has not. Look at the list again.`,
      })
    chosen.push(commit)
  }
  const replayed = await replayCommits(git, folder, { commits: chosen, onto: pair.target })
  if (!replayed.ok || replayed.value.commits > 0) return replayed
  const message =
    chosen.length === 0 ? 'No commit was chosen.' : `What these commits change is in ${into} already.`
  return fail({ type: 'nothing', message })
}

/** The first line stays short enough for a log; the task follows whole where it does not fit. */
function usualMessage({ owner, branch }: WorktreeRecord, method: 'merge' | 'squash'): string {
  const task = owner.task.trim()
  const subject =
    (method === 'merge' ? `Merge the work of ${owner.name}: ${task}` : task).split('\n', 1)[0] ?? ''
  const short = subject.length > 72 ? `${subject.slice(0, 71)}…` : subject || `Work of ${owner.name}`
  const whole = short.endsWith(task) ? [] : [task, '']
  return [short, '', ...whole, `Agent: ${owner.name}`, `Branch: ${branch}`].join('\n')
}
