/**
 * The file of a transcript, as its one writer sees it: bytes are put after those that are certain to be on
 * the disk, and only a sync makes more of them certain. After any error the file is opened anew, looked at,
 * and cut back to what is certain.
 */
import { statSync } from 'node:fs'
import { type FileHandle, open as openFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Failure } from '../../../shared/result.ts'
import { FILE_MODE, makeFolder, syncFolder } from './atomic-file.ts'
import { codeOf, diskFailure } from './disk-failure.ts'
import { readAt } from './read-lines.ts'
import { LINE_END_LENGTH } from './transcript-line.ts'

/** Opens a file; tests put in one that has a disk's moods. */
export type OpenFile = (path: string, flags: string, mode?: number) => Promise<FileHandle>

const COPY_CHUNK = 1024 * 1024

export class TranscriptFile {
  readonly path: string
  private readonly openFile: OpenFile
  private handle: FileHandle | null = null
  /** Whether what is on the disk has to be looked at before more is written. */
  private suspect = false
  private identity = { ino: 0, dev: 0 }
  /** Whether the file was ever open here: then bytes after the certain ones are ours. */
  private known = false
  private certain: number
  private end: number
  /** The end of the last line that is certain, newline included: the file is recognised by it. */
  private lastLineEnd: string
  private newLineEnd = ''

  constructor(options: {
    readonly path: string
    readonly bytes: number
    readonly lineEnd: string
    readonly open?: OpenFile | undefined
  }) {
    this.path = options.path
    this.openFile = options.open ?? openFile
    this.certain = options.bytes
    this.end = options.bytes
    this.lastLineEnd = options.lineEnd
  }

  /** Bytes that are certain to be on the disk. */
  get syncedBytes(): number {
    return this.certain
  }

  /** Bytes that were written and are not certain. */
  get unsyncedBytes(): number {
    return this.end - this.certain
  }

  get lineEnd(): string {
    return this.lastLineEnd
  }

  /** Adds whole lines. Throws what the disk says; then `giveUp` is due. */
  async write(lines: Buffer): Promise<void> {
    const handle = await this.ready()
    for (let done = 0; done < lines.length; ) {
      const { bytesWritten } = await handle.write(lines, done, lines.length - done, this.end + done)
      done += bytesWritten
    }
    this.end += lines.length
    this.newLineEnd = lines.toString('latin1', Math.max(0, lines.length - LINE_END_LENGTH))
  }

  /** Makes certain what was written. Throws what the disk says; then `giveUp` is due. */
  async sync(): Promise<void> {
    if (this.end === this.certain) return
    const handle = await this.ready()
    await handle.datasync()
    if (!this.isStillNamed()) throw new FileTrouble(goneFailure(this.path))
    this.certain = this.end
    this.lastLineEnd = this.newLineEnd
  }

  /** After an error: only what is certain counts. A failed sync may have lost anything written before it. */
  async giveUp(): Promise<void> {
    this.suspect = true
    this.end = this.certain
    // Readers need not see half a line meanwhile; the next attempt cuts it back again.
    await this.handle?.truncate(this.certain).catch(() => undefined)
  }

  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    await handle?.close().catch(() => undefined)
  }

  // ---- opening ----

  private async ready(): Promise<FileHandle> {
    if (this.handle && !this.suspect) return this.handle
    const handle = (await this.openNamed()) ?? (await this.create())
    const former = this.handle
    this.handle = handle
    await former?.close().catch(() => undefined)
    await handle.truncate(this.certain)
    this.identity = await handle.stat()
    this.suspect = false
    this.known = true
    return handle
  }

  /** The file by its name, if it begins with what is certain; null where there is none and one may be made. */
  private async openNamed(): Promise<FileHandle | null> {
    const handle = await this.openFile(this.path, 'r+').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    })
    if (!handle) {
      if (this.certain > 0 && !this.handle) throw new FileTrouble(goneFailure(this.path))
      return null
    }
    if (await this.isOurs(handle)) return handle
    await handle.close()
    throw new FileTrouble({
      type: 'replaced',
      message: `The transcript can’t be saved: another program changed its file (${this.path}). Put the former file back, then try again.`,
    })
  }

  private async isOurs(handle: FileHandle): Promise<boolean> {
    const { size } = await handle.stat()
    if (this.certain === 0) return size === 0 || this.known
    if (size < this.certain) return false
    const { length } = this.lastLineEnd
    return (await readAt(handle, this.certain - length, length)).toString('latin1') === this.lastLineEnd
  }

  /** A new file; in place of one that was deleted while it was open here, with what that one holds. */
  private async create(): Promise<FileHandle> {
    await makeFolder(dirname(this.path))
    const handle = await this.openFile(this.path, 'wx+', FILE_MODE)
    try {
      if (this.handle) await copyStart(this.handle, handle, this.certain)
      await syncFolder(dirname(this.path))
      return handle
    } catch (error) {
      await handle.close()
      await unlink(this.path).catch(() => undefined)
      throw error
    }
  }

  /** A file that was deleted takes writes without a complaint, so its name is looked at too. */
  private isStillNamed(): boolean {
    // Not worth a thread's wake-up: the entry is in memory, and this is asked at every boundary.
    const named = statSync(this.path, { throwIfNoEntry: false })
    return named !== undefined && named.ino === this.identity.ino && named.dev === this.identity.dev
  }
}

/** The words for what a method of the file threw. */
export function fileFailure(thrown: unknown, path: string): Failure {
  if (thrown instanceof FileTrouble) return thrown.failure
  return diskFailure(thrown, 'The transcript can’t be saved', path)
}

/** A failure that has its words already. */
class FileTrouble extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

function goneFailure(path: string): Failure {
  return {
    type: 'folder-gone',
    message: `The transcript can’t be saved: its file was moved or deleted (${path}). Put it back if you moved it, then try again.`,
  }
}

async function copyStart(from: FileHandle, to: FileHandle, length: number): Promise<void> {
  for (let at = 0; at < length; ) {
    const bytes = await readAt(from, at, Math.min(COPY_CHUNK, length - at))
    if (bytes.length === 0) throw new Error('what was deleted can’t be read any more')
    await to.write(bytes, 0, bytes.length, at)
    at += bytes.length
  }
  await to.datasync()
}
