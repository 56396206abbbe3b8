/** Saves the work in a worktree: commits uncommitted changes and describes the result. Discards nothing. */
import { dirname } from 'node:path'
import { fail, messageOf, ok, sentence } from '../../../shared/kernel/result.ts'
import type { SavedWork, WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { type RepositoryGit, repositoryGit, tipsOf } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { tolerateLargeFiles } from '../../platform/git/large-files.ts'
import { retryLocks } from '../../platform/git/lock-retries.ts'
import { exists } from '../../platform/system/exists.ts'
import type { WorktreeResult } from '../../runtime/ports/worktrees.ts'
import { commitCarriedAgain } from './checkout-files.ts'
import { type CommittedAll, commitAll } from './commit-all.ts'
import { explainFailure } from './failure-text.ts'
import { fileListText } from './named-files.ts'
import type { WorktreeDeps } from './new-worktree.ts'
import { followHead } from './own-branch.ts'
import { isConnected, rejoinWorktree } from './rejoin-worktree.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { SHORT_WAITS, withoutStaleLock } from './stale-lock.ts'
import { keepStrayCommits } from './stray-commits.ts'
import { taskMessage } from './task-message.ts'
import { isUnchanged } from './unchanged-work.ts'
import { workFigures } from './work-figures.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'

type Ended = 'completed' | 'failed' | 'stopped'

export async function saveWorktree(
  deps: WorktreeDeps,
  location: WorktreeLocation,
  { task, ended }: { readonly task: string; readonly ended: Ended },
): Promise<WorktreeResult<SavedWork>> {
  try {
    const record = await deps.records.read(location.path)
    if (record === null)
      return fail({
        type: 'io',
        message: `The record of the worktree ${location.path} can’t be read, so its uncommitted changes were not committed. They are still in that folder; committed work is on the branch ${location.branch}.`,
      })
    return await save(deps, record, { task, ended })
  } catch (error) {
    return fail({
      type: 'io',
      message: `The work in ${location.path} could not be read: ${sentence(messageOf(error))} The work is still there.`,
      cause: error,
    })
  }
}

async function save(
  { git, rawGit, records }: WorktreeDeps,
  record: WorktreeRecord,
  { task, ended }: { readonly task: string; readonly ended: Ended },
): Promise<WorktreeResult<SavedWork>> {
  const isThere = await exists(record.path)
  const isDisconnected = isThere && !(await isConnected(record))
  const connected = isDisconnected
    ? await withRepositoryLock(record.commonFolder, () => rejoinWorktree(git, record))
    : ok([])
  if (!connected.ok)
    return fail(explainFailure(connected.failure, `The work in ${record.path} could not be committed`))
  const committed = isThere ? await commitWork(rawGit, record, taskMessage(task, ended)) : gone(record)
  const tip = isThere ? await tipAfter(git, record) : await tipOnBranch(git, record)
  if (!tip.ok) return fail(explainFailure(tip.failure, `The work in ${record.path} could not be read`))
  const { head, problems } = tip.value
  const folder = isThere ? record.path : dirname(record.path)
  const repository = repositoryGit(git, { folder, commonFolder: record.commonFolder })
  const [figures, unchanged, strays] = await Promise.all([
    workFigures(repository, { location: record, tip: head }),
    isUnchanged(git, record),
    copiedOnBranch(repository, record, head),
  ])
  if (!figures.ok)
    return fail(explainFailure(figures.failure, `The work in ${record.path} could not be counted`))
  await records.update(record.path, (now) => ({ ...now, head, ended }))
  return ok({
    head,
    ...figures.value,
    unchanged,
    committedAs: committed.committedAs,
    problems: [...connected.value, ...committed.problems, ...problems, ...strays],
  })
}

type Outcome = Pick<CommittedAll, 'committedAs' | 'problems'>

async function commitWork(rawGit: Git, record: WorktreeRecord, message: string): Promise<Outcome> {
  const { path, copied } = record
  let fellBack = false
  const commit = async (git: Git) => {
    const tolerant = tolerateLargeFiles(git)
    const carried = await commitCarriedAgain(tolerant, record)
    if (!carried.ok) return carried
    const excludesFile = excludesFileOf(path)
    const done = await commitAll(tolerant, path, { message, excludesFile, never: copied })
    fellBack = tolerant.fellBack()
    return done
  }
  const committed = await withoutStaleLock(
    record,
    () => commit(retryLocks(rawGit, { waits: SHORT_WAITS })),
    () => commit(retryLocks(rawGit)),
  )
  if (!committed.ok) {
    const { message } = explainFailure(committed.failure, 'Uncommitted changes could not be committed')
    return { committedAs: null, problems: [`${message} They are still in ${path}.`] }
  }
  const { committedAs, unfinished } = committed.value
  const problems = [
    ...committed.value.problems,
    ...(committedAs !== null && fellBack ? [WITHOUT_LARGE_FILES] : []),
  ]
  if (unfinished.length === 0) return { committedAs, problems }
  return {
    committedAs,
    problems: [
      ...problems,
      `Conflict markers are left in ${fileListText(unfinished)}, so nothing was committed. The work is still in ${path}.`,
    ],
  }
}

const WITHOUT_LARGE_FILES =
  'git-lfs could not run: changed git-lfs files are committed with their content. Check them before you merge.'

const gone = ({ path, branch }: WorktreeRecord): Outcome => ({
  committedAs: null,
  problems: [
    `The folder ${path} was deleted. Committed work is on the branch ${branch}; uncommitted changes are lost.`,
  ],
})

interface Tip {
  readonly head: string
  readonly problems: readonly string[]
}

async function tipAfter(git: Git, record: WorktreeRecord): Promise<WorktreeResult<Tip>> {
  const { branch, path } = record
  const own = await followHead(git, record)
  if (!own.ok) return own
  const { tip, head, checkedOut } = own.value
  if (tip === head) return ok({ head, problems: [] })
  // `git worktree prune` would drop the only name of these commits if the folder were deleted by hand.
  const kept = await keepStrayCommits(git, record)
  if (!kept.ok) return kept
  const where = checkedOut === null ? `at the commit ${head.slice(0, 12)}` : `on the branch ${checkedOut}`
  return ok({
    head: tip,
    problems: [
      `The last work is ${where} in ${path}, and has diverged from ${branch}. Both are kept. Merge the commits you want into ${branch} there.`,
    ],
  })
}

async function tipOnBranch(
  git: Git,
  { path, branch, commonFolder, head }: WorktreeRecord,
): Promise<WorktreeResult<Tip>> {
  const tips = await tipsOf(repositoryGit(git, { folder: dirname(path), commonFolder }), [branch])
  if (!tips.ok) return tips
  const tip = tips.value.get(branch)?.commit ?? head
  if (tip) return ok({ head: tip, problems: [] })
  return fail({ type: 'not-there', message: `The folder ${path} and the branch ${branch} are both gone.` })
}

async function copiedOnBranch(
  repository: RepositoryGit,
  { base, copied }: WorktreeRecord,
  head: string,
): Promise<readonly string[]> {
  if (copied.length === 0) return []
  const changed = await repository.run([
    'diff',
    '--name-only',
    '-z',
    '--no-renames',
    '--diff-filter=d',
    '--no-ext-diff',
    base,
    head,
  ])
  if (!changed.ok) return []
  const names = new Set(changed.value.split('\0'))
  return copied
    .filter((path) => names.has(path))
    .map(
      (path) =>
        `${path} was only copied into the worktree (.worktreeinclude), but its agent committed it. Remove it from the branch before you merge.`,
    )
}
