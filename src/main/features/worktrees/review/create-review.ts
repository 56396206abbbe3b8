/** The `Review` port on git. */

import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { memoizeAsync } from '../../../../shared/kernel/memoize-async.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { emptyReview, type RemovedWorktrees, type ReviewRange } from '../../../../shared/worktrees/review.ts'
import { type Git, limitGit } from '../../../platform/git/git-client.ts'
import type { GitFailure } from '../../../platform/git/git-failure.ts'
import { type LockRetryOptions, retryLocks } from '../../../platform/git/lock-retries.ts'
import { type Repository, repositoryAround } from '../../../platform/git/repository.ts'
import { checkGitVersion } from '../../../platform/git/version.ts'
import { confineGit } from '../../../platform/git/with-options.ts'
import { exists } from '../../../platform/system/exists.ts'
import type { Review, ReviewResult, WorktreeKey } from '../../../runtime/ports/worktrees.ts'
import { withRepositoryLock, withReviewLock } from '../repository-lock.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { createWorktreeRecords } from '../worktree-records.ts'
import { carryOver } from './carry-over.ts'
import { createComparisons } from './comparisons.ts'
import { conflictsOfMerge } from './conflicts-of-merge.ts'
import { discardWorktree } from './discard-worktree.ts'
import { conversationsToReview, listWorktrees } from './list-worktrees.ts'
import { mergeResolved } from './merge-resolved.ts'
import { findTarget, mergeIntoTarget } from './merge-work.ts'
import { createRecentSnapshots } from './recent-snapshots.ts'
import { abortResolving, beginResolving } from './resolve-conflicts.ts'
import {
  type FoundWorktree,
  findWorktree,
  isInUse,
  type RecentWork,
  type ReviewTools,
  readWork,
  recentKey,
} from './review-tools.ts'
import { sendComments } from './send-comments.ts'
import { takeBack, undoTakeBack } from './take-back.ts'
import { tidyWorktrees } from './tidy-worktrees.ts'
import { undoDiscard } from './undo-discard.ts'
import { undoMerge } from './undo-merge.ts'
import { type Compared, changedFileText, changedPicture, worktreeChanges } from './worktree-changes.ts'

interface ReviewOptions {
  readonly git: Git
  /** Absolute. Worktrees are in its folder `worktrees`. */
  readonly dataFolder: string
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (message: string) => void
  /** Whether a conversation exists. Default: all do. */
  readonly conversationExists?: (id: string) => Promise<boolean>
  /** The files that agents of the conversation changed since, in ms, by the path below their folder. Null: not known. */
  readonly changedByAgents?: (conversationId: string, since: number) => Promise<ReadonlySet<string> | null>
  /** Finds the answers to sent comments. Default: none is known. */
  readonly repliesTo?: ReviewTools['repliesTo']
  /** Called before a worktree is discarded, when nothing speaks against it any more. */
  readonly onLeaving?: ReviewTools['onLeaving']
  /** Called after a worktree was discarded. */
  readonly onDiscarded?: ReviewTools['onDiscarded']
  /** How long a call waits for locks of other programs, see `retryLocks`. */
  readonly lockRetries?: LockRetryOptions
}

/** Concurrent git processes: a list of twenty worktrees makes about a hundred calls. */
const MAX_PROCESSES = 6

export function createReview({
  git: anyGit,
  dataFolder,
  now,
  onProblem,
  conversationExists = async () => true,
  changedByAgents = async () => null,
  repliesTo = async () => new Map(),
  onLeaving = async () => {},
  onDiscarded = async () => {},
  lockRetries,
}: ReviewOptions): Review {
  const git = retryLocks(limitGit(anyGit, MAX_PROCESSES), lockRetries)
  const tools: ReviewTools = {
    git,
    records: createWorktreeRecords({ dataFolder, onProblem }),
    comparisons: createComparisons(git),
    now,
    onProblem,
    conversationExists,
    changedByAgents,
    repliesTo,
    ...{ onLeaving, onDiscarded },
    snapshots: createRecentSnapshots<RecentWork>(now),
  }
  const versions = memoizeAsync<void, GitFailure>(1)
  const checkVersion = (folder: string) => versions('git', () => checkGitVersion(git, folder))

  async function find(key: WorktreeKey): Promise<ReviewResult<FoundWorktree>> {
    const [version, found] = await Promise.all([checkVersion(key.folder), findWorktree(tools, key)])
    return version.ok ? found : version
  }
  const commands = createCommands(tools, find)

  return {
    ...createQueries(tools, find),
    ...commands,
    async list(folder, options) {
      const [version, listed] = await Promise.all([
        checkVersion(folder),
        listWorktrees(tools, folder, options),
      ])
      return version.ok ? listed : emptyReview(folder, version.failure.message)
    },
    conversations: (folderOf) => conversationsToReview(tools, folderOf),
    stamp: (folder) => reviewStamp(tools, folder),
    async removeMerged(folder, ids) {
      const version = await checkVersion(folder)
      return version.ok ? commands.removeMerged(folder, ids) : version
    },
  }
}

type Find = (key: WorktreeKey) => Promise<ReviewResult<FoundWorktree>>

/** The methods that change nothing. */
function createQueries(
  tools: ReviewTools,
  find: Find,
): Pick<Review, 'changes' | 'file' | 'picture' | 'conflicts'> {
  /** The trees of the last list of changes, by worktree and range: its files are read from the same trees. */
  const compared = new Map<string, Compared>()
  const keyOf = ({ record }: FoundWorktree, range: ReviewRange | null) =>
    range === null ? record.path : `${record.path}\n${range.kind} ${range.commit}`

  async function compare(found: FoundWorktree, range: ReviewRange | null, recent?: RecentWork | null) {
    const seen = await worktreeChanges(tools, found, { range, recent: recent ?? null })
    if (seen.ok) compared.set(keyOf(found, range), seen.value.compared)
    return seen
  }

  /** Reads from the trees of the last list of changes. */
  async function withCompared<T>(
    key: WorktreeKey,
    range: ReviewRange | null,
    read: (repository: Repository, trees: Compared) => Promise<ReviewResult<T>>,
  ): Promise<ReviewResult<T>> {
    const found = await find(key)
    if (!found.ok) return found
    const known = compared.get(keyOf(found.value, range))
    if (known) return read(found.value.repository, known)
    const seen = await compare(found.value, range)
    return seen.ok ? read(found.value.repository, seen.value.compared) : seen
  }

  return {
    async changes(key, range = null) {
      const recent = tools.snapshots.take(recentKey(key))
      const found = recent ? ok(recent.found) : await find(key)
      if (!found.ok) return found
      const seen = await compare(found.value, range, recent)
      return seen.ok ? ok(seen.value.changes) : seen
    },
    file: (key, path, range = null) =>
      withCompared(key, range, (repository, trees) =>
        changedFileText(tools, repository, { path, compared: trees }),
      ),
    picture: (key, path, range = null) =>
      withCompared(key, range, (repository, trees) =>
        changedPicture(tools, repository, { path, compared: trees }),
      ),
    async conflicts(key, other) {
      const found = await find(key)
      if (!found.ok) return found
      const { repository, record } = found.value
      const theirs = await readWork(tools, found.value, { lenient: true })
      if (!theirs.ok) return theirs
      const ours = await otherSide(found.value)
      if (!ours.ok) return ours
      return conflictsOfMerge(tools, repository.top, {
        ours: ours.value,
        theirs: { commit: theirs.value.commit, name: record.branch },
      })

      async function otherSide({ repository, record }: FoundWorktree) {
        if ('into' in other) {
          const target = await findTarget(tools.git, repository, { record, into: other.into })
          return target.ok ? ok({ commit: target.value.commit, name: target.value.branch }) : target
        }
        const second = await find({ folder: key.folder, id: other.id })
        if (!second.ok) return second
        const work = await readWork(tools, second.value, { lenient: true })
        return work.ok ? ok({ commit: work.value.commit, name: second.value.record.branch }) : work
      }
    },
  }
}

/** The methods that change a branch or a worktree. They are serialized within one repository. */
function createCommands(
  tools: ReviewTools,
  find: Find,
): Omit<Review, 'list' | 'conversations' | 'stamp' | 'changes' | 'file' | 'picture' | 'conflicts'> {
  const { git, records } = tools

  async function change<T>(
    key: WorktreeKey,
    act: (found: FoundWorktree) => Promise<ReviewResult<T>>,
  ): Promise<ReviewResult<T>> {
    const found = await find(key)
    if (!found.ok) return found
    return withReviewLock(found.value.repository.commonFolder, async () => {
      // An earlier command may have changed the worktree.
      const current = await find(key)
      tools.snapshots.clear()
      return current.ok ? act(current.value) : current
    })
  }

  return {
    async comment(key, asked, send) {
      const found = await find(key)
      return found.ok ? sendComments(tools, found.value, { asked, send }) : found
    },
    merge: (key, options) => change(key, (found) => mergeIntoTarget(tools, found, options)),
    mergeResolved: (key, options) => change(key, (found) => mergeResolved(tools, found, options)),
    undoMerge: (key) => change(key, (found) => undoMerge(tools, found)),
    takeBack: (key, options) => change(key, (found) => takeBack(tools, found, options)),
    undoTakeBack: (key) => change(key, (found) => undoTakeBack(tools, found)),
    beginResolving: (key, into = null) => change(key, (found) => beginResolving(tools, found, into)),
    abortResolving: (key) => change(key, (found) => abortResolving(tools, found)),
    carryOver: (key) => change(key, (found) => carryOver(tools, found)),
    discard: (key, confirm, seen) => change(key, (found) => discardWorktree(tools, found, { confirm, seen })),
    async undoDiscard({ folder, id }) {
      const repository = await repositoryAround(git, folder)
      if (!repository.ok) return repository
      return withRepositoryLock(repository.value.commonFolder, async () => {
        const record = await records.find(repository.value.commonFolder, id)
        if (record?.state !== 'discarded')
          return fail({ type: 'not-there', message: `No discarded worktree has the id "${id}".` })
        return undoDiscard(tools, { repository: repository.value, record })
      })
    },
    async removeMerged(folder, ids = null) {
      const repository = await repositoryAround(git, folder)
      if (!repository.ok) return repository
      return withReviewLock(repository.value.commonFolder, async () =>
        ok(await removeMerged(tools, repository.value, ids)),
      )
    },
    async tidy(folder) {
      const repository = await repositoryAround(git, folder)
      if (repository.ok) await tidyWorktrees(tools, repository.value)
    },
  }
}

/** Removed worktrees can be restored like discarded ones. @returns the removed worktrees, and why the others stay */
async function removeMerged(
  tools: ReviewTools,
  repository: Repository,
  ids: readonly string[] | null,
): Promise<RemovedWorktrees> {
  const removed: string[] = []
  const kept: { id: string; because: string }[] = []
  const records = await tools.records.ofRepository(repository.commonFolder)
  for (const record of records) {
    if ((record.state !== 'there' && record.state !== 'making') || ids?.includes(record.id) === false)
      continue
    if (await isInUse(record))
      kept.push({ id: record.id, because: `${record.owner.name} is still working in it` })
    else {
      const gone = await discardWorktree(tools, { repository, record }, { confirm: null })
      if (gone.ok) removed.push(record.id)
      else {
        const { failure } = gone
        kept.push({ id: record.id, because: failure.type === 'confirm' ? failure.stakes : failure.message })
      }
    }
  }
  return { removed, kept }
}

/** Changed files of a worktree whose times are compared. Changes of further files show when their number changes. */
const MOST_FILES = 1000

/** A text that changes when the list of worktrees or their changes may change. */
async function reviewStamp(tools: ReviewTools, folder: string): Promise<string> {
  const repository = await repositoryAround(tools.git, folder)
  if (!repository.ok) return repository.failure.message
  const { top, branch, head, commonFolder } = repository.value
  const refs = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/troupe']
  const [records, named] = await Promise.all([
    tools.records.ofRepository(commonFolder),
    tools.git.run(top, refs),
  ])
  const worktrees = await Promise.all(
    records
      .filter(({ state }) => state === 'there')
      .map(async (record) => [record, await worktreeStamp(tools, record)]),
  )
  return JSON.stringify([branch, head, named.ok ? named.value : named.failure.message, worktrees])
}

async function worktreeStamp({ git }: ReviewTools, { path }: WorktreeRecord): Promise<string> {
  if (!(await exists(path))) return 'gone'
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames']
  const status = await confineGit(git, dirname(path)).run(path, args)
  if (!status.ok) return status.failure.message
  const files = status.value
    .split('\0')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line
        .split(' ')
        .slice(FIELDS[line[0] ?? ''] ?? 1)
        .join(' '),
    )
  const times = await Promise.all(files.slice(0, MOST_FILES).map((file) => timeOf(join(path, file))))
  return `${status.value}${times.join(' ')}`
}

/** The fields before the path, by the type of the line. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

const timeOf = (path: string): Promise<string> =>
  lstat(path).then(
    ({ mtimeMs, ctimeMs, size }) => `${mtimeMs}-${ctimeMs}-${size}`,
    () => '',
  )
