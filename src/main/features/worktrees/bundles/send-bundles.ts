/** The sender's side of an agent on another machine: its worktree goes out as bundles. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../shared/kernel/json.ts'
import { KeyedLock } from '../../../../shared/kernel/keyed-lock.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { ObjectStore } from '../../../../shared/workers/object-store.ts'
import {
  type JobRepository,
  type StoredBundle,
  storedBundle,
} from '../../../../shared/workers/worker-protocol.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { repositoryGit } from '../../../platform/git/branches.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { hasUnfinished } from '../../../platform/git/worktree-entry.ts'
import { replaceFile } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { draftMark } from '../../../platform/system/draft-name.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import { draftName, sweepDrafts } from '../draft-files.ts'
import { excludesFileOf } from '../worktree-excludes.ts'
import type { WorktreeRecords } from '../worktree-records.ts'
import { type BundleResult, bundleFailure } from './bundle-failure.ts'
import { writeBundle } from './bundle-file.ts'
import { readCheckoutState } from './checkout-state.ts'
import { repositoryFacts } from './repository-facts.ts'

export interface SendDeps {
  readonly git: Git
  readonly store: ObjectStore
  readonly records: WorktreeRecords
  /** `<data>/bundles`: what was sent, and temporary files. */
  readonly folder: string
  /** Bytes of one bundle. */
  readonly maxBytes: number
}

export interface Sending {
  readonly location: WorktreeLocation
  readonly jobId: string
  /** Sends the whole repository, because a worker could not use what it has. */
  readonly full?: boolean
  readonly signal?: AbortSignal
  /** Bytes that are packed so far. */
  readonly onBytes?: (bytes: number) => void
}

export interface SentRepository {
  readonly repository: JobRepository
  /** What the worker's checkout will lack, for the user and the agent. */
  readonly notes: readonly string[]
}

const CANNOT = 'The agent’s files could not be sent to another machine'

/** Keeps what was sent from garbage collection until the work is back. */
export const sentRef = (jobId: string): string => `refs/troupe/sent/${jobId}`

/** Sends the worktree as it is. Its index, its files and its branch stay as they are. */
export async function sendRepository(
  deps: SendDeps,
  sending: Sending,
): Promise<BundleResult<SentRepository>> {
  const { git, folder } = deps
  const { location, jobId, signal } = sending
  const facts = await repositoryFacts(git, location.path, signal)
  if (!facts.ok) return facts
  const { repository, id, url } = facts.value
  if (await hasUnfinished(repository.gitFolder))
    return fail({
      type: 'refused',
      message: `A merge, a rebase or a bisection is unfinished in ${location.path}, and it can’t go to another machine. Finish or abort it there, or run the agent on this machine.`,
    })
  try {
    await mkdir(folder, { recursive: true })
    await sweepDrafts(folder)
    const record = await deps.records.read(location.path)
    const copied = record?.copied ?? []
    const state = await readCheckoutState(git, {
      ...repository,
      excludesFile: excludesFileOf(repository.top),
      without: copied,
      draftFolder: folder,
      ...(signal ? { signal } : {}),
    })
    if (!state.ok) return fail(await bundleFailure(state.failure, CANNOT, [repository.commonFolder, folder]))
    const { head, commit, nested } = state.value
    const common = repositoryGit(git, { folder: repository.top, commonFolder: repository.commonFolder })
    const kept = await common.run(['update-ref', sentRef(jobId), commit])
    if (!kept.ok) return fail(await bundleFailure(kept.failure, CANNOT, [repository.commonFolder]))
    const bundles = await lock.withLock(`${folder} ${id}`, () =>
      bundlesFor(deps, sending, { id, base: location.base, commit }),
    )
    if (!bundles.ok) return bundles
    return ok({
      repository: { id, url, branch: location.branch, head, commit, bundles: [...bundles.value] },
      notes: [...facts.value.notes, ...leftOutNotes(nested, copied)],
    })
  } catch (error) {
    return fail({ ...diskFailure(error, CANNOT, folder), type: 'io' })
  }
}

function leftOutNotes(nested: readonly string[], copied: readonly string[]): readonly string[] {
  return [
    ...nested.map((path) => `${path} is a repository of its own and is not sent to the other machine.`),
    ...(copied.length > 0
      ? [
          `Files of .worktreeinclude stay on this machine: ${copied.slice(0, 5).join(', ')}${copied.length > 5 ? ' and others' : ''}.`,
        ]
      : []),
  ]
}

/** One process sends the history of a repository once, however many agents start together. */
const lock = new KeyedLock()

interface Wanted {
  readonly id: string
  /** The commit that the agent's worktree began with: other agents begin there too. */
  readonly base: string
  readonly commit: string
}

/** The history up to an earlier commit, which all jobs share, and what this job adds to it. */
async function bundlesFor(
  deps: SendDeps,
  sending: Sending,
  { id, base, commit }: Wanted,
): Promise<BundleResult<readonly StoredBundle[]>> {
  let whole = sending.full ? null : await readSent(deps, id, sending.location.path)
  if (whole === null) {
    const sent = await sendBundle(deps, sending, { commit: base, known: [] })
    if (!sent.ok) return sent
    whole = sent.value
    if (whole === null) return ok([])
    await writeSent(deps, id, whole)
  }
  const added = await sendBundle(deps, sending, { commit, known: [whole.commit] })
  if (!added.ok) return added
  if (added.value === null) return ok([whole])
  // Much has changed since then: the next job sends the history anew.
  if (added.value.bytes > whole.bytes / 2 + LARGE_ADDITION) await rm(sentPath(deps, id), { force: true })
  return ok([whole, added.value])
}

/** Bytes. */
const LARGE_ADDITION = 1_000_000

const sentPath = ({ folder }: SendDeps, id: string): string => join(folder, `${id}.json`)

const sentFile = z.object({ v: z.literal(1), bundle: storedBundle })

/** Null: the history must be sent. */
async function readSent(deps: SendDeps, id: string, folder: string): Promise<StoredBundle | null> {
  const text = await readFile(sentPath(deps, id), 'utf8').catch(() => '')
  const read = sentFile.safeParse(jsonOrUndefined(text))
  if (!read.success) return null
  const { bundle } = read.data
  // Another clone of the repository may have sent it.
  if ((await commitOf(deps.git, folder, bundle.commit)) === null) return null
  return (await deps.store.has(bundle.object)) ? bundle : null
}

const writeSent = (deps: SendDeps, id: string, bundle: StoredBundle): Promise<void> =>
  replaceFile(sentPath(deps, id), `${JSON.stringify({ v: 1, bundle })}\n`, { durable: false })

/** Packs and stores a bundle with one commit. Null: the known commits hold everything. */
async function sendBundle(
  deps: SendDeps,
  { location, signal, onBytes }: Sending,
  { commit, known }: { readonly commit: string; readonly known: readonly string[] },
): Promise<BundleResult<StoredBundle | null>> {
  return storeBundle(deps, {
    folder: location.path,
    commit,
    known,
    ...(signal ? { signal } : {}),
    ...(onBytes ? { onBytes } : {}),
  })
}

interface StoredCommit {
  /** A checkout of the repository. */
  readonly folder: string
  readonly commit: string
  /** Commits that the receiver has. */
  readonly known: readonly string[]
  readonly signal?: AbortSignal
  readonly onBytes?: (bytes: number) => void
}

/** Packs and stores a bundle with one commit. Null: the known commits hold everything. Throws errors of the disk. */
export async function storeBundle(
  deps: Pick<SendDeps, 'git' | 'store' | 'folder' | 'maxBytes'>,
  { folder, commit, ...options }: StoredCommit,
): Promise<BundleResult<StoredBundle | null>> {
  const { git, store } = deps
  const name = `${process.pid}-${draftMark()}`
  const path = join(deps.folder, draftName())
  // A bundle can only hold refs.
  const ref = `${PACKING}${name}`
  await sweepPacking(git, folder)
  const pointed = await git.run(folder, ['update-ref', ref, commit])
  if (!pointed.ok) return fail(await bundleFailure(pointed.failure, CANNOT, []))
  try {
    const written = await writeBundle(git, { ...options, folder, ref, path, maxBytes: deps.maxBytes })
    if (!written.ok) return written
    if (written.value === null) return ok(null)
    const stored = await store.put(path, options.signal)
    if (!stored.ok) return fail({ ...stored.failure, type: 'io' })
    return ok({ ...stored.value, commit })
  } finally {
    await git.run(folder, ['update-ref', '-d', ref])
    await rm(path, { force: true })
  }
}

const PACKING = 'refs/troupe/packing/'

/** Removes the refs of processes that have ended. */
async function sweepPacking(git: Git, folder: string): Promise<void> {
  const listed = await git.run(folder, ['for-each-ref', '--format=%(refname)', PACKING])
  for (const ref of listed.ok ? listed.value.split('\n') : []) {
    const pid = Number.parseInt(ref.slice(PACKING.length), 10)
    if (pid > 0 && !(await isRunning({ pid, start: 'unknown' })))
      await git.run(folder, ['update-ref', '-d', ref])
  }
}
