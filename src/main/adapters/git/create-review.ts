/** The review of worktrees, by git: what each method of the port asks of which part. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import { emptyReview } from '../../../shared/review.ts'
import type { Review, WorktreeKey } from '../../runtime/worktrees.ts'
import type { Git } from './git-client.ts'
import { createPatientGit } from './patient-git.ts'
import { repositoryAround } from './repository.ts'
import { inRepositoryTurn } from './repository-turn.ts'
import { carryOver } from './review/carry-over.ts'
import { createComparisons } from './review/comparisons.ts'
import { conflictsOfMerge } from './review/conflicts-of-merge.ts'
import { discardWorktree } from './review/discard-worktree.ts'
import { checkGitVersion } from './review/git-version.ts'
import { limitGit } from './review/limited-git.ts'
import { listWorktrees } from './review/list-worktrees.ts'
import { findTarget, mergeWork } from './review/merge-work.ts'
import { createRecentLooks } from './review/recent-looks.ts'
import { remember } from './review/remembered.ts'
import { removeMerged } from './review/remove-merged.ts'
import { abortResolving, beginResolving } from './review/resolve-conflicts.ts'
import {
  type FoundWorktree,
  findWorktree,
  lookInto,
  type ReviewTools,
  type WorkInWorktree,
} from './review/review-tools.ts'
import { tidyWorktrees } from './review/tidy-worktrees.ts'
import { undoDiscard } from './review/undo-discard.ts'
import { type Compared, changedFileText, worktreeChanges } from './review/worktree-changes.ts'
import { createWorktreeRecords } from './worktree-records.ts'

export interface ReviewOptions {
  readonly git: Git
  /** Absolute; worktrees lie in `worktrees/` below it. */
  readonly dataFolder: string
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (message: string) => void
  /** Whether a conversation is still there; without it all are taken to be. */
  readonly conversationExists?: (id: string) => Promise<boolean>
}

/** Processes of git at a time. */
const AT_A_TIME = 6

export function createReview({
  git: anyGit,
  dataFolder,
  now,
  onProblem,
  conversationExists = async () => true,
}: ReviewOptions): Review {
  const git = createPatientGit(limitGit(anyGit, AT_A_TIME))
  const records = createWorktreeRecords({ dataFolder, onProblem })
  const comparisons = createComparisons(git)
  const looks = createRecentLooks<WorkInWorktree>(now)
  const tools: ReviewTools = { git, records, comparisons, now, onProblem, conversationExists, looks }
  const versions = remember<void>(1)
  /** By worktree: what its list of changes was made from, so that its files are those of the list. */
  const compared = new Map<string, Compared>()

  const isNewEnough = (folder: string) => versions('git', () => checkGitVersion(git, folder))

  async function find(key: WorktreeKey): Promise<Result<FoundWorktree>> {
    const [version, found] = await Promise.all([isNewEnough(key.folder), findWorktree(tools, key)])
    return version.ok ? found : version
  }

  /** What changes a branch or a worktree: in one repository one after the other. */
  async function change<T>(
    key: WorktreeKey,
    act: (found: FoundWorktree) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const found = await find(key)
    if (!found.ok) return found
    return inRepositoryTurn(`${found.value.repository.commonFolder} review`, async () => {
      // What came before in the queue may have changed it.
      const again = await find(key)
      looks.clear()
      return again.ok ? act(again.value) : again
    })
  }

  return {
    async list(folder, options) {
      const [version, listed] = await Promise.all([
        isNewEnough(folder),
        listWorktrees(tools, folder, options),
      ])
      return version.ok ? listed : emptyReview(folder, version.failure.message)
    },
    async changes(key) {
      const found = await find(key)
      if (!found.ok) return found
      const seen = await worktreeChanges(tools, found.value)
      if (!seen.ok) return seen
      compared.set(found.value.record.path, seen.value.compared)
      return ok(seen.value.changes)
    },
    async file(key, path) {
      const found = await find(key)
      if (!found.ok) return found
      const { repository, record } = found.value
      const before = compared.get(record.path)
      if (before) return changedFileText(tools, repository, { path, compared: before })
      const seen = await worktreeChanges(tools, found.value)
      if (!seen.ok) return seen
      compared.set(record.path, seen.value.compared)
      return changedFileText(tools, repository, { path, compared: seen.value.compared })
    },
    async conflicts(key, other) {
      const found = await find(key)
      if (!found.ok) return found
      const { repository, record } = found.value
      const theirs = await lookInto(tools, found.value, { lenient: true })
      if (!theirs.ok) return theirs
      const ours = await otherSide(found.value, { key, other })
      if (!ours.ok) return ours
      return conflictsOfMerge(tools, repository.top, {
        ours: ours.value,
        theirs: { commit: theirs.value.commit, name: record.branch },
      })
    },
    merge: (key, options) => change(key, (found) => mergeWork(tools, found, options)),
    beginResolving: (key) => change(key, (found) => beginResolving(tools, found)),
    abortResolving: (key) => change(key, (found) => abortResolving(tools, found)),
    carryOver: (key) => change(key, (found) => carryOver(tools, found)),
    discard: (key, confirm) => change(key, (found) => discardWorktree(tools, found, confirm)),
    async undoDiscard({ folder, id }) {
      const repository = await repositoryAround(git, folder)
      if (!repository.ok) return repository
      return inRepositoryTurn(repository.value.commonFolder, async () => {
        const record = await records.find(repository.value.commonFolder, id)
        if (record?.state !== 'discarded')
          return fail({ type: 'not-there', message: `No worktree "${id}" was discarded.` })
        return undoDiscard(tools, { repository: repository.value, record })
      })
    },
    async removeMerged(folder) {
      const version = await isNewEnough(folder)
      if (!version.ok) return version
      const repository = await repositoryAround(git, folder)
      if (!repository.ok) return repository
      return inRepositoryTurn(`${repository.value.commonFolder} review`, async () =>
        ok(await removeMerged(tools, repository.value)),
      )
    },
    async tidy(folder) {
      const repository = await repositoryAround(git, folder)
      if (repository.ok) await tidyWorktrees(tools, repository.value)
    },
  }

  async function otherSide(
    { repository, record }: FoundWorktree,
    { key, other }: { readonly key: WorktreeKey; readonly other: Parameters<Review['conflicts']>[1] },
  ): Promise<Result<{ readonly commit: string; readonly name: string }>> {
    if ('into' in other) {
      const target = await findTarget(git, repository, { record, into: other.into })
      return target.ok ? ok({ commit: target.value.commit, name: target.value.branch }) : target
    }
    const found = await find({ folder: key.folder, id: other.id })
    if (!found.ok) return found
    const work = await lookInto(tools, found.value, { lenient: true })
    return work.ok ? ok({ commit: work.value.commit, name: found.value.record.branch }) : work
  }
}
