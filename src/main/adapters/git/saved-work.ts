/** Commits what an agent left uncommitted in its worktree, and says what there is. Nothing is ever thrown away by it. */
import { dirname } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { SavedWork, WorktreePlace } from '../../../shared/worktree.ts'
import { type RepositoryGit, repositoryGit, tipsOf } from './branch-ref.ts'
import { type CommittedAll, commitAll } from './commit-all.ts'
import type { Git } from './git-client.ts'
import { inWords } from './git-words.ts'
import { tolerateLargeFiles } from './large-files.ts'
import type { WorktreeDeps } from './new-worktree.ts'
import { followHead } from './own-branch.ts'
import { createPatientGit } from './patient-git.ts'
import { isTied, rejoinWorktree } from './rejoin-worktree.ts'
import { exists } from './remove-worktree.ts'
import { inRepositoryTurn } from './repository-turn.ts'
import { SHORT_WAITS, withoutStaleLock } from './stale-lock.ts'
import { taskMessage } from './task-message.ts'
import { isUnchanged } from './unchanged-work.ts'
import { workFigures } from './work-figures.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'

type Ended = 'completed' | 'failed' | 'stopped'

export async function saveWork(
  deps: WorktreeDeps,
  place: WorktreePlace,
  { task, ended }: { readonly task: string; readonly ended: Ended },
): Promise<Result<SavedWork>> {
  try {
    const record = await deps.records.read(place.path)
    if (record === null)
      return fail({
        type: 'io',
        message: `What Troupe wrote down of the worktree ${place.path} can’t be read, so its work was not committed. It is still in that folder, and what is committed is on the branch ${place.branch}.`,
      })
    return await save(deps, record, { task, ended })
  } catch (error) {
    return fail({
      type: 'io',
      message: `The work in ${place.path} could not be looked at: ${messageOf(error)}. It is still there.`,
      cause: error,
    })
  }
}

async function save(
  { git, rawGit, records }: WorktreeDeps,
  record: WorktreeRecord,
  { task, ended }: { readonly task: string; readonly ended: Ended },
): Promise<Result<SavedWork>> {
  const isThere = await exists(record.path)
  const isLoose = isThere && !(await isTied(record))
  const tied = isLoose
    ? await inRepositoryTurn(record.commonFolder, () => rejoinWorktree(git, record))
    : ok([])
  if (!tied.ok) return fail(inWords(tied.failure, `The work in ${record.path} could not be committed`))
  const committed = isThere ? await commitWork(rawGit, record, taskMessage(task, ended)) : gone(record)
  const tip = isThere ? await tipAfter(git, record) : await tipOnBranch(git, record)
  if (!tip.ok) return fail(inWords(tip.failure, `The work in ${record.path} could not be looked at`))
  const { head, problems } = tip.value
  const folder = isThere ? record.path : dirname(record.path)
  const repository = repositoryGit(git, { folder, commonFolder: record.commonFolder })
  const [figures, unchanged, strays] = await Promise.all([
    workFigures(repository, { place: record, tip: head }),
    isUnchanged(git, record),
    copiedOnBranch(repository, record, head),
  ])
  if (!figures.ok) return fail(inWords(figures.failure, `The work in ${record.path} could not be counted`))
  await records.update(record.path, (now) => ({ ...now, head, ended }))
  return ok({
    head,
    ...figures.value,
    unchanged,
    committedAs: committed.committedAs,
    problems: [...tied.value, ...committed.problems, ...problems, ...strays],
  })
}

type Outcome = Pick<CommittedAll, 'committedAs' | 'problems'>

async function commitWork(rawGit: Git, record: WorktreeRecord, message: string): Promise<Outcome> {
  const { path, copied } = record
  let fellBack = false
  const commit = async (patient: Git) => {
    const tolerant = tolerateLargeFiles(patient)
    const excludesFile = excludesFileOf(path)
    const done = await commitAll(tolerant, path, { message, excludesFile, never: copied })
    fellBack = tolerant.fellBack()
    return done
  }
  const committed = await withoutStaleLock(
    record,
    () => commit(createPatientGit(rawGit, { waits: SHORT_WAITS })),
    () => commit(createPatientGit(rawGit)),
  )
  if (!committed.ok) {
    const { message: words } = inWords(committed.failure, 'What is not committed could not be')
    return { committedAs: null, problems: [`${words} It is still in ${path}.`] }
  }
  const { committedAs, unfinished } = committed.value
  const problems = [
    ...committed.value.problems,
    ...(committedAs !== null && fellBack ? [WITHOUT_LARGE_FILES] : []),
  ]
  if (unfinished.length === 0) return { committedAs, problems }
  const named = unfinished.slice(0, 5).join(', ')
  return {
    committedAs,
    problems: [
      ...problems,
      `Conflict markers are left in ${named}${unfinished.length > 5 ? ` and ${unfinished.length - 5} more` : ''}, so nothing was committed. The work is still in ${path}.`,
    ],
  }
}

const WITHOUT_LARGE_FILES =
  'git-lfs could not be run: if files that it keeps were changed, they are committed as they are. Look at them before you merge.'

const gone = ({ path, branch }: WorktreeRecord): Outcome => ({
  committedAs: null,
  problems: [
    `The folder ${path} was deleted. What was committed is on the branch ${branch}; what was not is gone.`,
  ],
})

interface Tip {
  readonly head: string
  readonly problems: readonly string[]
}

async function tipAfter(git: Git, record: WorktreeRecord): Promise<Result<Tip>> {
  const { branch, path } = record
  const own = await followHead(git, record)
  if (!own.ok) return own
  const { tip, head, checkedOut } = own.value
  if (tip === head) return ok({ head, problems: [] })
  const where = checkedOut === null ? `at the commit ${head.slice(0, 12)}` : `on the branch ${checkedOut}`
  return ok({
    head: tip,
    problems: [
      `Its last work is ${where} in ${path}, not on ${branch}, and the two went apart. Both are kept; merge what you want into ${branch} there.`,
    ],
  })
}

async function tipOnBranch(
  git: Git,
  { path, branch, commonFolder, head }: WorktreeRecord,
): Promise<Result<Tip>> {
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
        `${path} was only copied into the worktree (.worktreeinclude), but its agent committed it. Take it out of the branch before you merge.`,
    )
}
