/** What all parts of the review work with, and how one finds a worktree by its key. */
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/result.ts'
import type { WorktreeKey } from '../../../runtime/worktrees.ts'
import { isRunning } from '../../transcripts/process-identity.ts'
import { branchRef } from '../branch-ref.ts'
import type { Git, GitOptions } from '../git-client.ts'
import { exists } from '../remove-worktree.ts'
import { type Repository, repositoryAround } from '../repository.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import type { WorktreeRecords } from '../worktree-records.ts'
import type { Comparisons } from './comparisons.ts'
import type { RecentLooks } from './recent-looks.ts'
import { type WorkSnapshot, workSnapshot } from './work-snapshot.ts'

export interface ReviewTools {
  readonly git: Git
  readonly records: WorktreeRecords
  readonly comparisons: Comparisons
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (message: string) => void
  readonly conversationExists: (id: string) => Promise<boolean>
  readonly looks: RecentLooks<WorkInWorktree>
}

/** A worktree and the repository it was asked for from. */
export interface FoundWorktree {
  readonly repository: Repository
  readonly record: WorktreeRecord
}

/** Failures: those of the repository, `not-there`, `discarded`, and a git that is too old. */
export async function findWorktree(
  tools: ReviewTools,
  { folder, id }: WorktreeKey,
): Promise<Result<FoundWorktree>> {
  const repository = await repositoryAround(tools.git, folder)
  if (!repository.ok) return repository
  const record = await tools.records.find(repository.value.commonFolder, id)
  if (record === null || record.state === 'removed')
    return fail({ type: 'not-there', message: `There is no worktree "${id}" in this repository (any more).` })
  if (record.state === 'discarded')
    return fail({
      type: 'discarded',
      message: `The worktree ${id} was discarded. Until the next start it can be brought back.`,
    })
  return ok({ repository: repository.value, record })
}

/** Whether a living process's agent works in it. */
export async function isInUse({ holder }: WorktreeRecord): Promise<boolean> {
  return holder !== null && (await isRunning(holder))
}

export const inUse = ({ id, owner }: WorktreeRecord) => ({
  type: 'in-use',
  message: `${owner.name} still works in ${id}. Wait until it is done, or stop it first.`,
})

/** Null: there is no such ref. */
export async function commitOf(git: Git, folder: string, ref: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  const found = await git.answers(folder, args, { accepts: [1] })
  return found.ok && found.value.code === 0 ? found.value.output.trim() : null
}

/** The same git, which looks for a repository in no folder above: the data folder may itself be in one. */
export function confineGit(git: Git, ceiling: string): Git {
  const within = <O extends GitOptions>(options: O): O => ({
    ...options,
    environment: { GIT_CEILING_DIRECTORIES: ceiling, ...options.environment },
  })
  return {
    run: (folder, args, options = {}) => git.run(folder, args, within(options)),
    bytes: (folder, args, options = {}) => git.bytes(folder, args, within(options)),
    answers: (folder, args, options) => git.answers(folder, args, within(options)),
  }
}

/** What a worktree holds at this moment. */
export interface WorkInWorktree {
  /** The tip of its branch. */
  readonly tip: string
  /** The tip with all that is not committed on top: what is compared. */
  readonly commit: string
  readonly tree: string
  /** Null: its folder is gone. */
  readonly snapshot: WorkSnapshot | null
}

/** Failures: `not-there` (the branch is gone), `git`, `io`. */
export async function lookInto(
  { git }: Pick<ReviewTools, 'git'>,
  { repository, record }: FoundWorktree,
  { lenient, tip: known }: { readonly lenient: boolean; readonly tip?: string | undefined },
): Promise<Result<WorkInWorktree>> {
  const within = confineGit(git, dirname(record.path))
  const [branch, snapshot] = await Promise.all([
    known ?? commitOf(git, repository.top, branchRef(record.branch)),
    exists(record.path).then((isThere) =>
      isThere ? workSnapshot(within, record.path, { copied: record.copied, lenient }) : null,
    ),
  ])
  if (snapshot !== null) {
    if (!snapshot.ok) return branch === null ? fail(branchGone(record)) : snapshot
    const { commit, tree, head } = snapshot.value
    // A branch that was renamed goes on where the folder stands.
    return ok({ tip: branch ?? head, commit, tree, snapshot: snapshot.value })
  }
  if (branch === null) return fail(branchGone(record))
  const tree = await git.run(repository.top, ['rev-parse', '--verify', `${branch}^{tree}`])
  return tree.ok ? ok({ tip: branch, commit: branch, tree: tree.value.trim(), snapshot: null }) : tree
}

/** The commit that the work in a worktree is compared with: where it left its target. */
export async function comparedFrom(
  { comparisons }: Pick<ReviewTools, 'comparisons'>,
  { repository, record }: FoundWorktree,
  { target, work }: { readonly target: string | null; readonly work: WorkInWorktree },
): Promise<Result<string>> {
  if (target === null) return ok(record.base)
  const { commit, snapshot } = work
  // What is not committed continues what is, unless another commit is being merged in.
  const tip = snapshot?.merging.length === 0 ? snapshot.head : commit
  const base = await comparisons.base(repository.top, { target, tip })
  if (!base.ok) return base
  // Once it is merged they parted nowhere: then it is shown from where it began.
  return ok(base.value === null || base.value === commit ? record.base : base.value)
}

function branchGone({ branch, head, path }: WorktreeRecord) {
  const last =
    head === null ? '' : ` Its last known commit is ${head}: \`git branch ${branch} ${head}\` brings it back.`
  return {
    type: 'not-there',
    message: `The branch ${branch} was deleted outside of this program.${last} Files in ${path} are untouched.`,
  }
}
