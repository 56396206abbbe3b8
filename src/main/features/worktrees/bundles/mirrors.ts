/** The repositories of a worker: a bare one for each repository that jobs have named, with the commits that arrived. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyedLock } from '../../../../shared/kernel/keyed-lock.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { ObjectStore } from '../../../../shared/workers/object-store.ts'
import type { StoredBundle } from '../../../../shared/workers/worker-protocol.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { inGitFolder } from '../../../platform/git/with-options.ts'
import { draftMark } from '../../../platform/system/draft-name.ts'
import { exists } from '../../../platform/system/exists.ts'
import { touch } from '../../../platform/system/file-times.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import { draftName, sweepDrafts } from '../draft-files.ts'
import { type BundleResult, bundleFailure, largerThan } from './bundle-failure.ts'
import { type ReceivingLimits, receiveBundle } from './receive-bundle.ts'

export interface ReceivingDeps {
  readonly git: Git
  readonly store: ObjectStore
  readonly limits: ReceivingLimits
}

interface Mirrors {
  /** The git folder of the mirror, which has all commits of these bundles afterwards. */
  receive(
    wanted: { readonly id: string; readonly commit: string; readonly bundles: readonly StoredBundle[] },
    signal: AbortSignal,
  ): Promise<BundleResult<string>>
  /** Removes the mirrors that were used longest ago, until all have at most this size. @returns bytes that remain */
  shrink(maxBytes: number, inUse: ReadonlySet<string>): Promise<number>
}

const CANNOT = 'The mirror of the repository could not be made'

/** @param folder `<data>/mirrors` */
export function createMirrors(deps: ReceivingDeps, folder: string): Mirrors {
  const { git } = deps
  const lock = new KeyedLock()

  async function receive(
    wanted: { readonly id: string; readonly commit: string; readonly bundles: readonly StoredBundle[] },
    signal: AbortSignal,
  ): Promise<BundleResult<string>> {
    if (!isHash(wanted.id) || !isHash(wanted.commit))
      return fail({ type: 'invalid', message: 'The job names a repository or a commit that is not a hash.' })
    const path = join(folder, wanted.id)
    const made = await makeMirror(git, path, wanted.commit)
    if (!made.ok) return made
    await touch(path)
    const fetched = await fetchChain(deps, {
      ...wanted,
      gitFolder: path,
      draftFolder: folder,
      signal,
      refFor,
    })
    return fetched.ok ? ok(path) : fetched
  }

  return {
    receive: (wanted, signal) => lock.withLock(wanted.id, () => receive(wanted, signal)),
    async shrink(maxBytes, inUse) {
      const names = (await readdir(folder).catch(() => [])).filter(isHash)
      const found = await Promise.all(
        names.map(async (id) => {
          const path = join(folder, id)
          return { id, path, bytes: await sizeOf(path), usedAt: (await stat(path)).mtimeMs }
        }),
      )
      let total = found.reduce((sum, { bytes }) => sum + bytes, 0)
      for (const { id, path, bytes } of found.sort((one, other) => one.usedAt - other.usedAt)) {
        if (total <= maxBytes) break
        if (inUse.has(id)) continue
        await lock.withLock(id, () => rm(path, { recursive: true, force: true }))
        total -= bytes
      }
      return total
    },
  }
}

const isHash = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

const refFor = (commit: string): string => `refs/troupe/known/${commit}`

/** Appears whole or not at all. */
async function makeMirror(git: Git, path: string, commit: string): Promise<BundleResult<void>> {
  if (await exists(path)) return ok(undefined)
  const folder = join(path, '..')
  await mkdir(folder, { recursive: true })
  await sweepMaking(folder)
  const draft = `${path}.making-${process.pid}-${draftMark()}`
  const made = await initRepository(git, { folder, path: draft, commit, bare: true })
  try {
    if (!made.ok) return made
    await rename(draft, path)
    return ok(undefined)
  } catch (error) {
    // Another process made it meanwhile.
    if (await exists(path)) return ok(undefined)
    throw error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function sweepMaking(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/\.making-(\d+)-/.exec(name)?.[1] ?? 0)
    if (pid > 0 && !(await isRunning({ pid, start: 'unknown' })))
      await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** @param options.commit decides the kind of hashes */
export async function initRepository(
  git: Git,
  {
    folder,
    path,
    commit,
    bare,
  }: { readonly folder: string; readonly path: string; readonly commit: string; readonly bare: boolean },
): Promise<BundleResult<void>> {
  const format = commit.length === 64 ? 'sha256' : 'sha1'
  const args = ['init', '--quiet', '--template=', `--object-format=${format}`, '-b', 'none']
  const made = await git.run(folder, [...args, ...(bare ? ['--bare'] : []), '--', path])
  return made.ok ? ok(undefined) : fail(await bundleFailure(made.failure, CANNOT, [folder]))
}

interface FetchedChain {
  readonly gitFolder: string
  readonly commit: string
  readonly bundles: readonly StoredBundle[]
  readonly draftFolder: string
  readonly refFor: (commit: string) => string
  readonly signal: AbortSignal
}

/** Fetches the bundles whose commits are missing in a repository, in their order. */
export async function fetchChain(deps: ReceivingDeps, chain: FetchedChain): Promise<BundleResult<void>> {
  const { git, store, limits } = deps
  const { gitFolder, commit, bundles, draftFolder, signal, refFor } = chain
  const inRepository = inGitFolder(git, gitFolder)
  if (!bundles.every((bundle) => isHash(bundle.commit)))
    return fail({ type: 'invalid', message: 'The job names a bundle whose commit is not a hash.' })
  const known = await Promise.all(
    bundles.map((bundle) => commitOf(inRepository, gitFolder, refFor(bundle.commit))),
  )
  const missing = bundles.slice(known.findLastIndex((found) => found !== null) + 1)
  if (missing.length > 0) await sweepDrafts(draftFolder)
  for (const bundle of missing) {
    if (bundle.bytes > limits.maxBytes) return fail(largerThan(bundle.bytes, limits.maxBytes))
    const path = join(draftFolder, draftName())
    try {
      const got = await store.get(bundle, path, signal)
      if (!got.ok) return fail({ ...got.failure, type: signal.aborted ? 'aborted' : 'io' })
      const ref = refFor(bundle.commit)
      const received = await receiveBundle(git, { gitFolder, path, bundle, ref, limits, signal })
      if (!received.ok) return received
    } finally {
      await rm(path, { force: true })
    }
  }
  if ((await commitOf(inRepository, gitFolder, commit)) !== null) return ok(undefined)
  return fail({
    type: 'needs-full',
    message: `The commit ${commit.slice(0, 12)} is missing here, and no bundle has it. The whole repository must be sent.`,
  })
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
