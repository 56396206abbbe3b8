/** The dependencies of Review, and the lookup of worktrees and their work. */
import { dirname } from 'node:path'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { type Repository, repositoryAround } from '../../../platform/git/repository.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { confineGit } from '../../../platform/git/with-options.ts'
import { exists } from '../../../platform/system/exists.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import type {
  RefusedReview,
  ReviewResult,
  WorktreeFailure,
  WorktreeKey,
} from '../../../runtime/ports/worktrees.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import type { WorktreeRecords } from '../worktree-records.ts'
import type { RepliesTo } from './comment-replies.ts'
import type { CommitComparisons } from './comparisons.ts'
import type { RecentSnapshots } from './recent-snapshots.ts'
import { type WorkSnapshot, workSnapshot } from './work-snapshot.ts'

export interface ReviewTools {
  readonly git: Git
  readonly records: WorktreeRecords
  readonly comparisons: CommitComparisons
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (message: string) => void
  readonly conversationExists: (id: string) => Promise<boolean>
  readonly changedByAgents: (conversationId: string, since: number) => Promise<ReadonlySet<string> | null>
  readonly repliesTo: RepliesTo
  /** The discard waits for it. Never rejects. */
  readonly onDiscarded: (owner: WorktreeRecord['owner'], path: string) => Promise<void>
  /** The discard waits for it. Never rejects. @param path of the worktree */
  readonly onLeaving: (path: string) => Promise<void>
  readonly snapshots: RecentSnapshots<RecentWork>
}

/** A worktree and the repository of the folder that the request named. */
export interface FoundWorktree {
  readonly repository: Repository
  readonly record: WorktreeRecord
}

export async function findWorktree(
  tools: ReviewTools,
  { folder, id }: WorktreeKey,
): Promise<ReviewResult<FoundWorktree>> {
  const repository = await repositoryAround(tools.git, folder)
  if (!repository.ok) return repository
  const record = await tools.records.find(repository.value.commonFolder, id)
  if (record === null || record.state === 'removed')
    return fail({ type: 'not-there', message: `Worktree "${id}" not found in this repository.` })
  if (record.state === 'discarded')
    return fail({
      type: 'discarded',
      message: `The worktree ${id} was discarded. The discard can be undone until the next start.`,
    })
  return ok({ repository: repository.value, record })
}

/** Whether an agent of a running process works in the worktree. */
export async function isInUse({ holder }: WorktreeRecord): Promise<boolean> {
  return holder !== null && (await isRunning(holder))
}

export const inUse = ({ id, owner }: WorktreeRecord): RefusedReview => ({
  type: 'in-use',
  message: `${owner.name} is still working in ${id}. Wait until it is done, or stop it first.`,
})

/** The current content of a worktree. */
export interface WorkInWorktree {
  /** The tip of the branch. */
  readonly tip: string
  /** The tip with all uncommitted changes on top. Comparisons use this commit. */
  readonly commit: string
  readonly tree: string
  /** Null: the folder is gone. */
  readonly snapshot: WorkSnapshot | null
}

/** A worktree as the last list read it. */
export interface RecentWork {
  readonly found: FoundWorktree
  readonly work: WorkInWorktree
  /** The tip of its target; null: there is none. */
  readonly target: string | null
}

/** The key of a recent snapshot. */
export const recentKey = ({ folder, id }: WorktreeKey): string => `${folder}\n${id}`

/**
 * @param options.lenient whether to leave out unreadable files instead of failing
 * @param options.tip the tip of the branch, if it is being read anyway
 */
export async function readWork(
  { git }: Pick<ReviewTools, 'git'>,
  { repository, record }: FoundWorktree,
  {
    lenient,
    tip: known,
  }: { readonly lenient: boolean; readonly tip?: Promise<string | undefined> | undefined },
): Promise<ReviewResult<WorkInWorktree>> {
  const within = confineGit(git, dirname(record.path))
  const [branch, snapshot] = await Promise.all([
    Promise.resolve(known).then((tip) => tip ?? commitOf(git, repository.top, branchRef(record.branch))),
    exists(record.path).then((isThere) =>
      isThere ? workSnapshot(within, record.path, { copied: record.copied, lenient }) : null,
    ),
  ])
  if (snapshot !== null) {
    if (!snapshot.ok) return branch === null ? fail(branchGone(record)) : snapshot
    const { commit, tree, head } = snapshot.value
    // Where the branch was renamed, its work continues at the checked-out commit.
    return ok({ tip: branch ?? head, commit, tree, snapshot: snapshot.value })
  }
  if (branch === null) return fail(branchGone(record))
  const tree = await git.run(repository.top, ['rev-parse', '--verify', `${branch}^{tree}`])
  return tree.ok ? ok({ tip: branch, commit: branch, tree: tree.value.trim(), snapshot: null }) : tree
}

/** `ReviewWorktree.version` of work that was read leniently. */
export const workVersionOf = ({ tip, commit }: WorkInWorktree): string =>
  tip === commit ? tip : `${tip} ${commit}`

/** Fails as `moved` if the work is no longer the version that the user saw. @param seen null: the user saw none */
export async function checkSeen(
  tools: Pick<ReviewTools, 'git'>,
  found: FoundWorktree,
  seen: string | null | undefined,
): Promise<ReviewResult<void>> {
  if (seen === null || seen === undefined) return ok(undefined)
  const work = await readWork(tools, found, { lenient: true })
  if ((work.ok ? workVersionOf(work.value) : '') === seen) return ok(undefined)
  return fail({
    type: 'moved',
    message: `${found.record.id} changed since it was shown. Nothing was done. Check its changes, then try again.`,
  })
}

/** The commit that the work is compared with: the merge base with the target. */
export async function comparedFrom(
  { comparisons }: Pick<ReviewTools, 'comparisons'>,
  { repository, record }: FoundWorktree,
  { target, work }: { readonly target: string | null; readonly work: WorkInWorktree },
): Promise<ReviewResult<string>> {
  if (target === null) return ok(record.base)
  const { commit, snapshot } = work
  // Uncommitted changes have the merge base of HEAD, unless a merge is unfinished.
  const tip = snapshot?.merging.length === 0 ? snapshot.head : commit
  const base = await comparisons.base(repository.top, { target, tip })
  if (!base.ok) return base
  // For merged work the merge base is the work itself: show the work since the base of the worktree.
  return ok(base.value === null || base.value === commit ? record.base : base.value)
}

function branchGone({ branch, head, path }: WorktreeRecord): WorktreeFailure {
  const last =
    head === null
      ? ''
      : ` Its last known commit is ${head}. To restore the branch, run \`git branch ${branch} ${head}\`.`
  return {
    type: 'not-there',
    message: `The branch ${branch} was deleted outside of Troupe.${last} Files in ${path} are unchanged.`,
  }
}
