/** Git bundles as files: a header with the commits that it builds on, its ref, and a pack. */
import { open, stat } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { type BundleFailure, type BundleResult, bundleFailure, megabytes } from './bundle-failure.ts'

export interface BundleHeader {
  /** Commits that the receiver must have. */
  readonly prerequisites: readonly string[]
  readonly refs: readonly { readonly ref: string; readonly commit: string }[]
  /** Where the pack begins, in bytes. */
  readonly packStart: number
}

/** Bytes. This program writes far smaller headers. */
const LARGEST_HEADER = 64 * 1024

export async function readHeader(path: string): Promise<BundleResult<BundleHeader>> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LARGEST_HEADER), 0, LARGEST_HEADER, 0)
    return parseHeader(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

function parseHeader(start: Buffer): BundleResult<BundleHeader> {
  const end = start.indexOf('\n\n')
  if (end < 0) return fail(noBundle)
  const [signature, ...lines] = start.toString('utf8', 0, end).split('\n')
  if (signature !== '# v2 git bundle' && signature !== '# v3 git bundle') return fail(noBundle)
  const prerequisites: string[] = []
  const refs: { ref: string; commit: string }[] = []
  for (const line of lines) {
    if (/^@object-format=sha(1|256)$/.test(line)) continue
    const required = /^-([0-9a-f]{40,64})(?: |$)/.exec(line)?.[1]
    const [, commit, ref] = /^([0-9a-f]{40,64}) (refs\/[\x21-\x7e]+)$/.exec(line) ?? []
    if (required !== undefined) prerequisites.push(required)
    else if (commit !== undefined && ref !== undefined) refs.push({ commit, ref })
    else return fail(noBundle)
  }
  return ok({ prerequisites, refs, packStart: end + 2 })
}

const noBundle: BundleFailure = { type: 'invalid', message: 'It is not a git bundle that Troupe made.' }

interface NewBundle {
  /** Any folder of the repository. */
  readonly folder: string
  /** The ref that the bundle names. It points to a commit. */
  readonly ref: string
  /** Commits that the receiver has. */
  readonly known: readonly string[]
  /** A new file. */
  readonly path: string
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** Called about twice a second. */
  readonly onBytes?: (bytes: number) => void
}

/** ms between two checks of the size of a growing bundle. */
const LOOK_EVERY = 500

/** @returns bytes; null: the known commits hold everything, and nothing was written */
export async function writeBundle(git: Git, bundle: NewBundle): Promise<BundleResult<number | null>> {
  const { folder, ref, known, path, maxBytes, onBytes } = bundle
  const counted = await git.run(folder, ['rev-list', '--count', ref, '--not', ...known])
  if (!counted.ok) return fail(await bundleFailure(counted.failure, CANNOT, []))
  if (counted.value.trim() === '0') return ok(null)
  const tooLarge = new AbortController()
  const done = new AbortController()
  const signal = AbortSignal.any([tooLarge.signal, ...(bundle.signal ? [bundle.signal] : [])])
  const look = async () => {
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    if (size > maxBytes) tooLarge.abort()
    return size
  }
  const watch = async () => {
    for await (const _ of setInterval(LOOK_EVERY, undefined, { signal: done.signal, ref: false }))
      onBytes?.(await look())
  }
  const watching = watch().catch(() => undefined)
  const args = ['bundle', 'create', '--quiet', path, ref, '--not', ...known]
  const created = await git.run(folder, args, { signal })
  done.abort()
  await watching
  const size = await look()
  if (tooLarge.signal.aborted) return fail(tooMuch(maxBytes))
  if (!created.ok) return fail(await bundleFailure(created.failure, CANNOT, [path]))
  onBytes?.(size)
  return ok(size)
}

const CANNOT = 'The files could not be packed for another machine'

const tooMuch = (maxBytes: number): BundleFailure => ({
  type: 'too-large',
  message: `The repository’s files and history are larger than ${megabytes(maxBytes)}, the limit for work on other machines. Remove large files that are not needed from the commit, ignore them with .gitignore, or run the agent on this machine.`,
})
