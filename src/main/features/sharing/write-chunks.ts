/** Writes what is shared: to a file, which appears whole or not at all, or to standard output. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { claimName } from '../../platform/system/atomic-file.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { newDraftName } from '../../platform/system/draft-name.ts'
import { exists } from '../../platform/system/exists.ts'

/** Parts of a file; a failure ends them. */
export type Chunks = AsyncIterable<Result<string | Uint8Array>>

/** How a long work is followed and canceled. */
export interface Watch {
  readonly signal: AbortSignal
  /** Called with the part of the conversation that was read, from 0 to 1. */
  readonly onRead?: (part: number) => void
}

/** Only counts: what a file would have. @returns its bytes */
export async function countChunks(chunks: Chunks, options: Watch): Promise<Result<number>> {
  return take(chunks, options, async () => {})
}

/** Fails with `exists` unless `force`, with `canceled`, or as the chunks or the disk do. @param path absolute @returns bytes */
export async function writeFileOf(
  chunks: Chunks,
  { path, force, ...options }: Watch & { readonly path: string; readonly force: boolean },
): Promise<Result<number>> {
  if (!force && (await exists(path))) return fail(taken(path))
  const draft = join(dirname(path), newDraftName())
  let file: FileHandle | null = null
  try {
    file = await open(draft, 'wx', FILE_MODE)
    const to = file
    const written = await take(chunks, options, async (bytes) => {
      await to.write(bytes)
    })
    if (!written.ok) return written
    await file.datasync()
    if (force) await rename(draft, path)
    else if (!(await claimName(draft, path))) return fail(taken(path))
    return written
  } catch (thrown) {
    return fail(diskFailure(thrown, 'The file can’t be written', path))
  } finally {
    await file?.close()
    await rm(draft, { force: true })
  }
}

/** Only the user may read it, until the user decides otherwise. */
const FILE_MODE = 0o600

/** Gives the pieces to `print` one after the other. @returns bytes */
export async function printChunks(
  chunks: Chunks,
  { print, ...options }: Watch & { readonly print: (bytes: Uint8Array) => Promise<void> },
): Promise<Result<number>> {
  return take(chunks, options, print)
}

/** Bytes for one write. */
const PIECE = 256 * 1024

async function take(
  chunks: Chunks,
  { signal }: Watch,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<Result<number>> {
  let pieces: Uint8Array[] = []
  let waiting = 0
  let bytes = 0
  const flush = async () => {
    await write(Buffer.concat(pieces))
    pieces = []
    waiting = 0
  }
  for await (const chunk of chunks) {
    if (signal.aborted) return fail(canceled)
    if (!chunk.ok) return chunk
    const piece = typeof chunk.value === 'string' ? Buffer.from(chunk.value) : chunk.value
    pieces.push(piece)
    waiting += piece.length
    bytes += piece.length
    if (waiting >= PIECE) await flush()
  }
  if (signal.aborted) return fail(canceled)
  await flush()
  return ok(bytes)
}

const canceled: Failure = { type: 'canceled', message: 'Canceled. Nothing was written.' }

const taken = (path: string): Failure => ({
  type: 'exists',
  message: `${basename(path)} exists already, so nothing was written. Choose another name, or add --force to replace it.`,
})
