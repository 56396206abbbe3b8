/** The states of files on the disk. Their content is kept in the blob store as it is read. */
import { constants } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import type { FileChange, FileSide } from '../../../shared/changes/changes.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { statOf } from '../../platform/system/file-stat.ts'
import { settledTime } from '../../platform/system/file-times.ts'
import { readUpTo } from '../../platform/system/read-up-to.ts'
import type { BlobStore } from './blob-store.ts'

/** Bytes. The content of larger files is not kept. No tool writes a larger file; commands do. */
const LARGEST_KEPT = 32 * 1024 * 1024

export interface FileState {
  /** Null: there is no file. */
  readonly side: FileSide | null
  readonly kept: FileChange['kept']
}

/** A file whose former content is unknown: only that it existed. */
export const UNKNOWN = { digest: 'stat:unknown', size: 0, mode: 0o644, kind: 'file' } as const

export interface ChangedState {
  /** The absolute path. */
  readonly path: string
  readonly before: FileState
  readonly after: FileState
}

export const MISSING: FileState = { side: null, kept: 'yes' }

/** Two states are equal if nothing would have to be written to get from one to the other. */
export const keyOf = (side: FileSide | null): string =>
  side === null ? 'none' : `${side.kind} ${side.mode.toString(8)} ${side.digest}`

export class FileStates {
  private readonly blobs: BlobStore
  private readonly known = new Map<string, { readonly version: string; readonly state: FileState }>()

  private readonly isPlaceholder: (path: string) => boolean

  /**
   * @param isPlaceholder whether an empty file is a placeholder of the sandbox, which keeps a command from making one
   */
  constructor(blobs: BlobStore, isPlaceholder: (path: string) => boolean = () => false) {
    this.blobs = blobs
    this.isPlaceholder = isPlaceholder
  }

  /** The state of the file now. Throws if its content can't be kept. `durable`: see `BlobStore.put`. */
  async read(path: string, durable = false): Promise<FileState> {
    const stats = await lstat(path, { bigint: true }).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null
      throw error
    })
    if (stats === null || stats.isDirectory()) return MISSING
    if (stats.size === 0n && this.isPlaceholder(path)) return MISSING
    const { version } = statOf(stats)
    const known = this.known.get(path)
    if (known?.version === version && (await this.blobs.has(known.state.side?.digest ?? '')))
      return known.state
    const size = Number(stats.size)
    const side = { size, mode: Number(stats.mode) & 0o7777, kind: 'file' as const }
    const unread = { ...side, digest: `stat:${version}` }
    if (stats.isSymbolicLink()) {
      const target = Buffer.from(await readlink(path))
      const digest = await this.blobs.put(target, durable)
      return { side: { digest, size: target.length, mode: 0, kind: 'link' }, kept: 'yes' }
    }
    if (!stats.isFile()) return { side: unread, kept: 'unavailable' }
    if (size > LARGEST_KEPT) return { side: unread, kept: 'too-large' }
    const content = await contentOf(path)
    if (content === null) return { side: unread, kept: 'unavailable' }
    const digest = await this.blobs.put(content, durable)
    const state: FileState = { side: { ...side, size: content.length, digest }, kept: 'yes' }
    if (Number(stats.ctimeNs / 1_000_000n) < settledTime()) this.known.set(path, { version, state })
    return state
  }
}

/** Null: not readable, or larger than it was. */
async function contentOf(path: string): Promise<Uint8Array | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
    () => null,
  )
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    const read = await readUpTo(handle, LARGEST_KEPT, size)
    return read.cut ? null : read.bytes
  } finally {
    await handle.close()
  }
}
