/**
 * Takes the commits of a bundle into a repository. Its objects are unpacked and checked in a folder of their own, which
 * git looks into only for these calls. A bundle that fails a check leaves the repository as it was.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fail, ok, sentence } from '../../../../shared/kernel/result.ts'
import type { StoredBundle } from '../../../../shared/workers/worker-protocol.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { gitReason } from '../../../platform/git/git-failure.ts'
import { inGitFolder } from '../../../platform/git/with-options.ts'
import { syncFolder } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { draftMark } from '../../../platform/system/draft-name.ts'
import { isRunning } from '../../../platform/system/process-identity.ts'
import {
  type BundleFailure,
  type BundleResult,
  bundleFailure,
  largerThan,
  megabytes,
} from './bundle-failure.ts'
import { type BundleHeader, readHeader } from './bundle-file.ts'

export interface ReceivingLimits {
  /** Of a bundle. */
  readonly maxBytes: number
  /** Of the files of its commit, when they are checked out. */
  readonly maxCheckoutBytes: number
}

interface ReceivedBundle {
  /** The git folder of the repository. */
  readonly gitFolder: string
  /** The downloaded bundle. */
  readonly path: string
  readonly bundle: StoredBundle
  /** The ref that will point to the bundle's commit. */
  readonly ref: string
  readonly limits: ReceivingLimits
  readonly signal?: AbortSignal
}

export async function receiveBundle(git: Git, received: ReceivedBundle): Promise<BundleResult<void>> {
  const { gitFolder } = received
  try {
    const header = await checkFile(received)
    if (!header.ok) return header
    await sweepQuarantines(gitFolder)
    const quarantine = join(gitFolder, 'objects', `${QUARANTINE}${process.pid}-${draftMark()}`)
    await mkdir(join(quarantine, 'pack'), { recursive: true })
    try {
      const unpacked = await unpack(git, received, { header: header.value, quarantine })
      if (!unpacked.ok) return unpacked
      await moveObjects(quarantine, join(gitFolder, 'objects'))
    } finally {
      await rm(quarantine, { recursive: true, force: true })
    }
    const { ref, bundle } = received
    const pointed = await inGitFolder(git, gitFolder).run(gitFolder, ['update-ref', ref, bundle.commit])
    return pointed.ok ? ok(undefined) : fail(await bundleFailure(pointed.failure, CANNOT, [gitFolder]))
  } catch (error) {
    return fail({ ...diskFailure(error, CANNOT, gitFolder), type: 'io' })
  }
}

const CANNOT = 'The files could not be received'

/** `git gc` removes old folders with this start, should this program never return. */
const QUARANTINE = 'tmp_objdir-troupe-'

/** Checks everything that can be checked without git. */
async function checkFile({ path, bundle, limits }: ReceivedBundle): Promise<BundleResult<BundleHeader>> {
  if (bundle.bytes > limits.maxBytes) return fail(largerThan(bundle.bytes, limits.maxBytes))
  const { size } = await stat(path)
  if (size !== bundle.bytes) return fail(invalid(`it has ${size} bytes, and ${bundle.bytes} were announced`))
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  if (hash.digest('hex') !== bundle.sha256) return fail(invalid('its SHA-256 is not the announced one'))
  const header = await readHeader(path)
  if (!header.ok) return fail(invalid(header.failure.message))
  const [only, ...others] = header.value.refs
  if (only === undefined || others.length > 0 || only.commit !== bundle.commit)
    return fail(invalid('it names other commits than the announced one'))
  return header
}

interface Unpacking {
  readonly header: BundleHeader
  readonly quarantine: string
}

async function unpack(
  git: Git,
  { gitFolder, path, bundle, limits, signal }: ReceivedBundle,
  { header, quarantine }: Unpacking,
): Promise<BundleResult<void>> {
  const inRepository = inGitFolder(git, gitFolder)
  const missing = await missingOf(inRepository, gitFolder, header.prerequisites)
  if (!missing.ok) return missing
  if (missing.value.length > 0) return fail(needsFull(missing.value[0] ?? ''))
  const options = {
    ...(signal ? { signal } : {}),
    environment: {
      GIT_OBJECT_DIRECTORY: quarantine,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(gitFolder, 'objects'),
    },
  }
  const index = ['index-pack', '--stdin', '--fix-thin', `--strict=${TOLERATED}`]
  const input = await readFrom(path, header.packStart)
  const indexed = await inRepository.run(gitFolder, index, { ...options, input })
  if (!indexed.ok) return fail(await brokenOr(indexed.failure, gitFolder))
  // What is reachable from the refs is complete.
  const complete = ['rev-list', '--quiet', '--objects', `${bundle.commit}^{commit}`, '--not', '--all']
  const walked = await inRepository.run(gitFolder, complete, options)
  if (!walked.ok) return fail(await brokenOr(walked.failure, gitFolder))
  return checkSize(inRepository, { gitFolder, commit: bundle.commit, options, limits })
}

/** Flaws of old commits that git writes and checks out without any effect. Everything else is refused. */
const TOLERATED = [
  'zeroPaddedFilemode',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingNameBeforeEmail',
  'missingEmail',
  'badEmail',
  'badDate',
  'badTimezone',
  'multipleAuthors',
  'nulInCommit',
]
  .map((flaw) => `${flaw}=ignore`)
  .join(',')

async function missingOf(
  git: Git,
  folder: string,
  commits: readonly string[],
): Promise<BundleResult<readonly string[]>> {
  if (commits.length === 0) return ok([])
  const looked = await git.run(folder, ['cat-file', '--batch-check=%(objecttype)'], {
    input: commits.map((commit) => `${commit}\n`).join(''),
  })
  if (!looked.ok) return fail(await bundleFailure(looked.failure, CANNOT, [folder]))
  const types = looked.value.split('\n')
  return ok(commits.filter((_, index) => types[index] !== 'commit'))
}

async function readFrom(path: string, start: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const content = Buffer.alloc(size - start)
    for (let done = 0; done < content.length; ) {
      const { bytesRead } = await file.read(content, done, content.length - done, start + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return content
  } finally {
    await file.close()
  }
}

/** A small bundle can unpack to more files than fit on any disk. */
async function checkSize(
  git: Git,
  {
    gitFolder,
    commit,
    options,
    limits,
  }: {
    readonly gitFolder: string
    readonly commit: string
    readonly options: { readonly environment: Readonly<Record<string, string>> }
    readonly limits: ReceivingLimits
  },
): Promise<BundleResult<void>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--format=%(objectsize)', commit]
  const listed = await git.run(gitFolder, args, { ...options, maxOutput: LONGEST_LIST })
  if (!listed.ok)
    return fail(
      gitReason(listed.failure) === 'too-much-output'
        ? { type: 'too-large', message: 'The commit of a bundle has too many files to check out.' }
        : await brokenOr(listed.failure, gitFolder),
    )
  const total = listed.value.split('\0').reduce((sum, size) => sum + (Number(size) || 0), 0)
  if (total <= limits.maxCheckoutBytes) return ok(undefined)
  return fail({
    type: 'too-large',
    message: `The files of a bundle have ${megabytes(total)} together; the limit is ${megabytes(limits.maxCheckoutBytes)}.`,
  })
}

/** Bytes of a list of sizes: some millions of files. */
const LONGEST_LIST = 16 * 1024 * 1024

async function brokenOr(
  failure: Parameters<typeof bundleFailure>[0],
  folder: string,
): Promise<BundleFailure> {
  const explained = await bundleFailure(failure, CANNOT, [folder])
  // The failure is the cause where the folder can't be written.
  const byContent = gitReason(failure) === 'other' && explained.cause !== failure
  return byContent ? invalid(`git refuses its content: ${failure.message}`) : explained
}

const invalid = (why: string): BundleFailure => ({
  type: 'invalid',
  message: `A bundle was refused: ${sentence(why)} Nothing was changed.`,
})

const needsFull = (commit: string): BundleFailure => ({
  type: 'needs-full',
  message: `A bundle builds on the commit ${commit.slice(0, 12)}, which is missing here. The whole repository must be sent.`,
})

/** The packs first: git looks for a pack when it finds its index. */
async function moveObjects(quarantine: string, objects: string): Promise<void> {
  const to = join(objects, 'pack')
  await mkdir(to, { recursive: true })
  const names = await readdir(join(quarantine, 'pack'))
  const inOrder = [...names].sort((one, other) => rank(one) - rank(other))
  for (const name of inOrder) await rename(join(quarantine, 'pack', name), join(to, name))
  await syncFolder(to)
}

const rank = (name: string): number => (name.endsWith('.idx') ? 1 : 0)

/** Removes the folders of processes that have ended. */
async function sweepQuarantines(gitFolder: string): Promise<void> {
  const objects = join(gitFolder, 'objects')
  for (const name of await readdir(objects)) {
    const pid = name.startsWith(QUARANTINE) ? /^(\d+)-/.exec(name.slice(QUARANTINE.length))?.[1] : undefined
    if (pid === undefined || (await isRunning({ pid: Number(pid), start: 'unknown' }))) continue
    await rm(join(objects, name), { recursive: true, force: true })
  }
}
