/** Creates a worktree: its record first, then branch, entry and files. A failure or a stop leaves nothing behind. */
import { mkdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { agentSlug } from '../../../shared/agent-definition/agent-slug.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { BRANCH_PREFIX, type WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { type MadeBranch, makeBranch, repositoryGit } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { type Repository, repositoryAround } from '../../platform/git/repository.ts'
import { exists } from '../../platform/system/exists.ts'
import type { ProcessIdentity } from '../../platform/system/process-identity.ts'
import type {
  CarryOver,
  NewWorktree,
  WorktreeFailure,
  WorktreeOwner,
  WorktreeResult,
} from '../../runtime/ports/worktrees.ts'
import { commitCarried } from './carried-work.ts'
import { fillWorktree } from './checkout-files.ts'
import { leftBehind, noCommits, treeOfCommit } from './checkout-state.ts'
import { type CutOffDeps, clearCutOff, undoMaking } from './cut-off-worktrees.ts'
import { explainFailure, explainWriteFailure } from './failure-text.ts'
import { type InspectedCheckout, inspectCheckout, leftOutOf } from './inspect-checkout.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { excludesFileOf } from './worktree-excludes.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { ioFailure } from './worktree-records.ts'
import { baseOf, limitToPaths, type WorktreeStartSettings } from './worktree-settings.ts'

export interface WorktreeDeps extends CutOffDeps {
  /** Git that fails at once where a lock is held. */
  readonly rawGit: Git
  readonly now: () => number
  /** The identity of this process. */
  readonly self: () => Promise<ProcessIdentity>
  /** `$XDG_CONFIG_HOME`, if set. */
  readonly configHome: string | undefined
  /** Called before an unchanged worktree is removed. @param path its folder */
  readonly onLeaving: (path: string) => Promise<void>
  readonly settingsOf: (folder: string) => Promise<WorktreeStartSettings>
}

interface NewWorktreeOptions {
  readonly folder: string
  readonly owner: WorktreeOwner
  readonly carryOver: CarryOver
}

const MOST_LEFT_OUT = 200
const CANNOT = 'The worktree could not be created'
const CANNOT_CARRY = 'Uncommitted changes could not be carried over'

export async function makeWorktree(
  deps: WorktreeDeps,
  { folder, owner, carryOver }: NewWorktreeOptions,
  signal: AbortSignal,
): Promise<WorktreeResult<NewWorktree>> {
  const around = await repositoryAround(deps.git, folder, signal)
  if (!around.ok) return fail(explainFailure(around.failure, CANNOT))
  const repository = around.value
  const { head } = repository
  if (head === null) return fail(noCommits(repository.top))
  const home = await deps.records.prepare(repository.commonFolder)
  if (!home.ok) return home

  const inspecting = inspectCheckout(deps, repository, { carryOver, signal })
  const carried =
    carryOver !== 'no'
      ? await carry(deps, { repository, head, home: home.value, inspecting, signal })
      : ok(null)
  if (!carried.ok)
    return fail(await explainWriteFailure(carried.failure, CANNOT_CARRY, [repository.commonFolder]))
  const settings = await deps.settingsOf(folder)
  const start = await baseOf(
    deps.git,
    { top: repository.top, head },
    { settings, carriesOver: carried.value !== null },
  )
  const { base } = start
  const claimed = await withRepositoryLock(repository.commonFolder, () =>
    claim(deps, {
      repository,
      owner,
      home: home.value,
      base,
      carried: carried.value?.commit ?? null,
      carriedAs: carryOver === 'changes' ? 'changes' : 'commit',
      signal,
    }),
  )
  if (!claimed.ok) {
    await inspecting
    return fail(await explainWriteFailure(claimed.failure, CANNOT, [repository.commonFolder, home.value]))
  }
  const record = claimed.value
  const notesBefore = [...settings.notes, ...start.notes]
  const filled = await finish(deps, { record, repository, settings, notesBefore, inspecting, signal })
  if (!filled.ok) {
    // Explained before the cleanup, which frees space on a full disk.
    const failure = await explainWriteFailure(filled.failure, CANNOT, [home.value, repository.commonFolder])
    await withRepositoryLock(repository.commonFolder, () => undo(deps, record))
    return fail(failure)
  }
  const { inspected, cwd, notes } = filled.value
  const startTree = await treeOfCommit(deps.git, repository.top, carried.value?.commit ?? base)
  if (!startTree.ok) return fail(explainFailure(startTree.failure, CANNOT))
  const left = leftOutOf(inspected, carryOver)
  return ok({
    location: locationOf(record),
    startTree: startTree.value,
    cwd,
    leftOut: left.slice(0, MOST_LEFT_OUT),
    moreLeftOut: Math.max(0, left.length - MOST_LEFT_OUT),
    notes: [...notes, ...(carried.value?.committedAs === 'fallback' ? [CARRIED_BY_FALLBACK] : [])],
  })
}

const CARRIED_BY_FALLBACK =
  'The carried-over changes are committed as Troupe <troupe@localhost>, because git has no name for you.'

async function carry(
  { git }: WorktreeDeps,
  {
    repository,
    head,
    home,
    inspecting,
    signal,
  }: {
    repository: Repository
    head: string
    home: string
    inspecting: Promise<WorktreeResult<InspectedCheckout>>
    signal: AbortSignal
  },
) {
  const inspected = await inspecting
  if (!inspected.ok) return inspected
  if (inspected.value.status.length === 0) return ok(null)
  return commitCarried(git, {
    repository,
    base: head,
    excludesFile: excludesFileOf(repository.top),
    without: leftBehind(inspected.value),
    draftFolder: home,
    signal,
  })
}

interface Claim {
  readonly repository: Repository
  readonly owner: WorktreeOwner
  readonly home: string
  /** The commit that it starts from. */
  readonly base: string
  readonly carried: string | null
  readonly carriedAs: WorktreeRecord['carriedAs']
  readonly signal: AbortSignal
}

/** Makes the record, the branch and an empty worktree under the first free name. */
async function claim(deps: WorktreeDeps, options: Claim): Promise<WorktreeResult<WorktreeRecord>> {
  const { repository, owner, home, base, carried, carriedAs, signal } = options
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
      base,
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
      carriedAs,
      head: null,
      merged: null,
      mergedBefore: [],
      takenBack: [],
      asked: [],
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
    message: 'Too many worktrees and branches have this name. Remove some in Review.',
  })
}

/** Null: the name of the branch is taken, and nothing was made. A failure leaves nothing behind. */
async function beginOnDisk(
  deps: WorktreeDeps,
  claimed: WorktreeRecord,
): Promise<WorktreeResult<WorktreeRecord | null>> {
  const { git, records } = deps
  const { commonFolder, from, path } = claimed
  const repository = repositoryGit(git, { folder: from, commonFolder })
  const start = claimed.carried ?? claimed.base
  let record = claimed
  let made: WorktreeResult<MadeBranch> = await makeBranch(repository, record.branch, start)
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
  readonly inspected: InspectedCheckout
  readonly cwd: string
  readonly notes: readonly string[]
}

async function finish(
  deps: WorktreeDeps,
  {
    record,
    repository,
    settings,
    notesBefore,
    inspecting,
    signal,
  }: {
    record: WorktreeRecord
    repository: Repository
    settings: WorktreeStartSettings
    notesBefore: readonly string[]
    inspecting: Promise<WorktreeResult<InspectedCheckout>>
    signal: AbortSignal
  },
): Promise<WorktreeResult<Finished>> {
  try {
    const limited = await limitToPaths(deps.git, { ...record, below: repository.below }, settings)
    if (!limited.ok) return limited
    const filled = await fillWorktree(deps, {
      record,
      included: async () => {
        const inspected = await inspecting
        return inspected.ok
          ? ok({ paths: inspected.value.included, notes: inspected.value.notes })
          : inspected
      },
      signal,
    })
    const inspected = await inspecting
    if (!filled.ok) return filled
    if (!inspected.ok) return inspected
    const cwd = await folderWithin(record.path, repository.below)
    if (!cwd.ok) return cwd
    if (signal.aborted) return fail(ABORTED)
    const { copied } = filled.value
    const notes = [...notesBefore, ...limited.value, ...filled.value.notes]
    const done = await deps.records.write({
      ...record,
      state: 'there',
      copied: [...copied],
      notes,
    })
    if (!done.ok) return done
    return ok({ inspected: inspected.value, cwd: cwd.value, notes })
  } catch (error) {
    await inspecting
    return fail(ioFailure(error, CANNOT, record.path))
  }
}

/** The folder `below` in the worktree, made where the commit lacks it. A link that leads out is not followed. */
async function folderWithin(top: string, below: string): Promise<WorktreeResult<string>> {
  const folder = join(top, below)
  if (below === '') return ok(folder)
  await mkdir(folder, { recursive: true })
  const real = await realpath(folder)
  if (real === top || real.startsWith(top + sep)) return ok(folder)
  return fail({
    type: 'git',
    message: `In the last commit, ${below} is a link that leads out of the repository, so an agent can’t work there in isolation.`,
  })
}

/** Candidate ids, each longer than the one before. */
function* idsFor({ name, task, agentId }: WorktreeOwner): Generator<string> {
  const slug = taskSlug(task) || agentSlug(name)
  const letters = agentId.toLowerCase().replace(/[^a-z0-9]/g, '')
  for (let length = 6; length < letters.length; length += 2) yield `${slug}-${letters.slice(-length)}`
  for (let count = 1; count <= 100; count++) yield `${slug}-${letters}${count === 1 ? '' : `-${count}`}`
}

const locationOf = ({ id, path, branch, base, from, target }: WorktreeRecord): WorktreeLocation => ({
  id,
  path,
  branch,
  base,
  from,
  target,
})

export const ABORTED: WorktreeFailure = { type: 'aborted', message: 'Stopped before the worktree was ready.' }

/** Characters. */
const LONGEST = 40

/** A task as a part of paths and branches: "Fix the parser!" → `fix-the-parser`. Empty: no letter of it can be used. */
export function taskSlug(task: string): string {
  const plain = task
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (plain.length <= LONGEST) return plain
  const cut = plain.slice(0, LONGEST + 1)
  return cut.slice(0, cut.includes('-') ? cut.lastIndexOf('-') : LONGEST)
}
