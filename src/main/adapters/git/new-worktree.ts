/** Makes a worktree: its record first, then branch, entry and files. What fails or is stopped leaves nothing behind. */
import { mkdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { agentSlug } from '../../../shared/agent-slug.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { BRANCH_PREFIX, type WorktreePlace } from '../../../shared/worktree.ts'
import type { NewWorktree, WorktreeOwner } from '../../runtime/worktrees.ts'
import type { ProcessIdentity } from '../transcripts/process-identity.ts'
import { makeBranch, repositoryGit } from './branch-ref.ts'
import { commitCarried } from './carried-work.ts'
import { fillWorktree } from './checkout-files.ts'
import { type CutOffDeps, clearCutOff, undoMaking } from './cut-off-worktrees.ts'
import type { Git } from './git-client.ts'
import { readStatus, type StatusEntry } from './git-status.ts'
import { inDiskWords, inWords } from './git-words.ts'
import { includedFiles } from './include-files.ts'
import { tolerateLargeFiles } from './large-files.ts'
import { exists } from './remove-worktree.ts'
import { type Repository, repositoryAround } from './repository.ts'
import { inRepositoryTurn } from './repository-turn.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { ioFailure } from './worktree-records.ts'

export interface WorktreeDeps extends CutOffDeps {
  /** Git that does not wait for locks. */
  readonly rawGit: Git
  readonly now: () => number
  /** This process. */
  readonly self: () => Promise<ProcessIdentity>
  /** `$XDG_CONFIG_HOME`, where it is set. */
  readonly configHome: string | undefined
}

export interface NewWorktreeOptions {
  readonly folder: string
  readonly owner: WorktreeOwner
  readonly carryOver: boolean
}

const MOST_LEFT_OUT = 200
const CANNOT = 'The worktree could not be made'
const CANNOT_CARRY = 'What is not committed could not be carried over'

export async function makeWorktree(
  deps: WorktreeDeps,
  { folder, owner, carryOver }: NewWorktreeOptions,
  signal: AbortSignal,
): Promise<Result<NewWorktree>> {
  const around = await repositoryAround(deps.git, folder, signal)
  if (!around.ok) return fail(inWords(around.failure, CANNOT))
  const repository = around.value
  const { head } = repository
  if (head === null) return fail(noCommits(repository.top))
  const home = await deps.records.prepare(repository.commonFolder)
  if (!home.ok) return home

  const looking = lookAround(deps, repository, signal)
  const carried = carryOver
    ? await carry(deps, { repository, head, home: home.value, looking, signal })
    : ok(null)
  if (!carried.ok) return fail(await inDiskWords(carried.failure, CANNOT_CARRY, [repository.commonFolder]))
  const claimed = await inRepositoryTurn(repository.commonFolder, () =>
    claim(deps, {
      repository,
      owner,
      home: home.value,
      head,
      carried: carried.value?.commit ?? null,
      signal,
    }),
  )
  if (!claimed.ok) {
    await looking
    return fail(await inDiskWords(claimed.failure, CANNOT, [repository.commonFolder, home.value]))
  }
  const record = claimed.value
  const filled = await finish(deps, { record, repository, looking, signal })
  if (!filled.ok) {
    // Before there is room again.
    const failure = await inDiskWords(filled.failure, CANNOT, [home.value, repository.commonFolder])
    await inRepositoryTurn(repository.commonFolder, () => undo(deps, record))
    return fail(failure)
  }
  const { surroundings, cwd, notes } = filled.value
  const left = leftOutOf(surroundings, carryOver)
  return ok({
    place: placeOf(record),
    cwd,
    leftOut: left.slice(0, MOST_LEFT_OUT),
    moreLeftOut: Math.max(0, left.length - MOST_LEFT_OUT),
    notes: [...notes, ...(carried.value?.committedAs === 'fallback' ? [CARRIED_BY_FALLBACK] : [])],
  })
}

const CARRIED_BY_FALLBACK =
  'What was carried over is committed as Troupe <troupe@localhost>, since git knows no name of yours.'

/** What is uncommitted in the checkout it is made from, and what its list of files to copy names. */
interface Surroundings {
  readonly status: readonly StatusEntry[]
  /** Files that are copied anyway, or were copied in there, as far as git does not ignore them. */
  readonly copies: readonly string[]
  readonly included: readonly string[]
  readonly notes: readonly string[]
}

async function lookAround(
  { git, records }: WorktreeDeps,
  { top }: Repository,
  signal: AbortSignal,
): Promise<Result<Surroundings>> {
  // The checkout may itself be a worktree of ours, with copied files that are nobody's work.
  const excludes = excludesFileOf(top)
  const [status, included, own] = await Promise.all([
    readStatus(tolerateLargeFiles(git), top, {
      signal,
      config: excludes === null ? [] : [`core.excludesFile=${excludes}`],
    }),
    includedFiles(git, top, { signal }),
    excludes === null ? null : records.read(top),
  ])
  if (!status.ok) return status
  if (!included.ok) return included
  const copied = new Set([...included.value.paths, ...(own?.copied ?? [])])
  const isCopy = ({ path, kind }: StatusEntry) => kind === 'untracked' && copied.has(path)
  return ok({
    status: status.value.filter((entry) => !isCopy(entry)),
    copies: status.value.filter(isCopy).map(({ path }) => path),
    included: included.value.paths,
    notes: included.value.notes,
  })
}

async function carry(
  { git }: WorktreeDeps,
  {
    repository,
    head,
    home,
    looking,
    signal,
  }: {
    repository: Repository
    head: string
    home: string
    looking: Promise<Result<Surroundings>>
    signal: AbortSignal
  },
) {
  const looked = await looking
  if (!looked.ok) return looked
  const { status, copies } = looked.value
  if (status.length === 0) return ok(null)
  const nested = status.filter(({ kind }) => kind === 'nested').map(({ path }) => path)
  return commitCarried(git, {
    repository,
    base: head,
    excludesFile: excludesFileOf(repository.top),
    without: [...nested, ...copies],
    draftFolder: home,
    signal,
  })
}

function leftOutOf({ status }: Surroundings, carryOver: boolean): readonly string[] {
  const left = carryOver
    ? status.filter(({ kind, submodule }) => kind === 'nested' || submodule?.dirty === true)
    : status
  return left.map(({ path }) => path)
}

interface Claim {
  readonly repository: Repository
  readonly owner: WorktreeOwner
  readonly home: string
  readonly head: string
  readonly carried: string | null
  readonly signal: AbortSignal
}

/** Record, branch and an empty worktree, under the first name that is free. */
async function claim(deps: WorktreeDeps, options: Claim): Promise<Result<WorktreeRecord>> {
  const { repository, owner, home, head, carried, signal } = options
  await clearCutOff(deps, repository.commonFolder)
  const holder = await deps.self()
  for (const id of idsFor(owner)) {
    if (signal.aborted) return fail(ABORTED)
    if (await exists(join(home, id))) continue
    const record: WorktreeRecord = {
      v: 1,
      id,
      path: join(home, id),
      branch: `${BRANCH_PREFIX}${id}`,
      base: head,
      from: repository.top,
      target: repository.branch,
      commonFolder: repository.commonFolder,
      owner: {
        agentId: owner.agentId,
        conversationId: owner.conversationId,
        name: owner.name,
        color: owner.color,
        task: owner.task,
      },
      createdAt: deps.now(),
      state: 'making',
      holder,
      ended: null,
      copied: [],
      carried,
      head: null,
      merged: null,
      resolving: null,
      discarded: null,
      notes: [],
    }
    const created = await deps.records.create(record)
    if (!created.ok) return created
    if (!created.value) continue
    const begun = await beginOnDisk(deps, record)
    if (begun.ok && begun.value !== null) return ok(begun.value)
    if (!begun.ok) return begun
  }
  return fail({
    type: 'git',
    message: 'There are too many worktrees and branches of this name. Remove some in Review.',
  })
}

/** Null: the branch's name is taken; nothing was made. A failure leaves nothing either. */
async function beginOnDisk(
  deps: WorktreeDeps,
  claimed: WorktreeRecord,
): Promise<Result<WorktreeRecord | null>> {
  const { git, records } = deps
  const { commonFolder, from, path } = claimed
  const repository = repositoryGit(git, { folder: from, commonFolder })
  const start = claimed.carried ?? claimed.base
  let record = claimed
  let made = await makeBranch(repository, record.branch, start)
  if (made.ok && made.value === 'blocked') {
    record = { ...record, branch: record.branch.replaceAll('/', '-') }
    const noted = await records.write(record)
    made = noted.ok ? await makeBranch(repository, record.branch, start) : noted
  }
  if (!made.ok || made.value !== 'made') {
    await records.remove(path)
    return made.ok ? ok(null) : made
  }
  const added = await git.run(from, ['worktree', 'add', '--no-checkout', '--', path, record.branch])
  if (added.ok) return ok(record)
  await undo(deps, record)
  return added
}

async function undo(deps: WorktreeDeps, record: WorktreeRecord): Promise<void> {
  if (await undoMaking(deps, record)) await deps.records.remove(record.path)
}

interface Finished {
  readonly surroundings: Surroundings
  readonly cwd: string
  readonly notes: readonly string[]
}

async function finish(
  deps: WorktreeDeps,
  {
    record,
    repository,
    looking,
    signal,
  }: {
    record: WorktreeRecord
    repository: Repository
    looking: Promise<Result<Surroundings>>
    signal: AbortSignal
  },
): Promise<Result<Finished>> {
  try {
    const filled = await fillWorktree(deps, {
      record,
      included: async () => {
        const looked = await looking
        return looked.ok ? ok({ paths: looked.value.included, notes: looked.value.notes }) : looked
      },
      signal,
    })
    const looked = await looking
    if (!filled.ok) return filled
    if (!looked.ok) return looked
    const cwd = await folderWithin(record.path, repository.below)
    if (!cwd.ok) return cwd
    if (signal.aborted) return fail(ABORTED)
    const { copied, notes } = filled.value
    const done = await deps.records.write({
      ...record,
      state: 'there',
      copied: [...copied],
      notes: [...notes],
    })
    if (!done.ok) return done
    return ok({ surroundings: looked.value, cwd: cwd.value, notes })
  } catch (error) {
    await looking
    return fail(ioFailure(error, CANNOT, record.path))
  }
}

/** Made where the commit does not have it. A link of the commit's that leads out is not followed. */
async function folderWithin(top: string, below: string): Promise<Result<string>> {
  const folder = join(top, below)
  if (below === '') return ok(folder)
  await mkdir(folder, { recursive: true })
  const real = await realpath(folder)
  if (real === top || real.startsWith(top + sep)) return ok(folder)
  return fail({
    type: 'git',
    message: `In the last commit ${below} is a link that leads out of the repository, so no agent can work there apart from the others.`,
  })
}

/** Each a little longer than the one before. */
function* idsFor({ name, agentId }: WorktreeOwner): Generator<string> {
  const slug = agentSlug(name)
  const letters = agentId.toLowerCase().replace(/[^a-z0-9]/g, '')
  for (let length = 6; length < letters.length; length += 2) yield `${slug}-${letters.slice(-length)}`
  for (let count = 1; count <= 100; count++) yield `${slug}-${letters}${count === 1 ? '' : `-${count}`}`
}

/** What a record says of where it is. */
export const placeOf = ({ id, path, branch, base, from, target }: WorktreeRecord): WorktreePlace => ({
  id,
  path,
  branch,
  base,
  from,
  target,
})

export const ABORTED: Failure = { type: 'aborted', message: 'Stopped before the worktree was ready.' }

const noCommits = (top: string): Failure => ({
  type: 'no-commits',
  message: `Nothing was committed yet in ${top}, so there is nothing to start a worktree from. Make a first commit, or start the agent without isolation.`,
})
