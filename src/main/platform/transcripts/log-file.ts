/**
 * The file of a log, as its one writer sees it. New bytes follow the bytes that are certainly on disk, and only
 * a sync makes bytes certain. After an error the file is opened and checked again, and truncated to the
 * certain bytes.
 */
import { statSync } from 'node:fs'
import { type FileHandle, open as openFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Failure } from '../../../shared/kernel/result.ts'
import { FILE_MODE, makeFolder, syncFolder } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { LINE_END_LENGTH } from './log-line.ts'
import { readAt } from './read-lines.ts'

/** Opens a file; tests pass a function that simulates disk errors. */
export type OpenFile = (path: string, flags: string, mode?: number) => Promise<FileHandle>

const COPY_CHUNK = 1024 * 1024

export class LogFile {
  readonly path: string
  private readonly openFile: OpenFile
  private handle: FileHandle | null = null
  /** Whether the file must be checked before the next write. */
  private suspect = false
  private identity = { ino: 0, dev: 0 }
  /** Whether the file was ever open here: then bytes after the certain ones are from this writer. */
  private known = false
  private certain: number
  private end: number
  /** The end of the last certain line, newline included: it identifies the file. */
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

  /** Bytes that are certainly on disk. */
  get syncedBytes(): number {
    return this.certain
  }

  /** Bytes that were written without a sync. */
  get unsyncedBytes(): number {
    return this.end - this.certain
  }

  get lineEnd(): string {
    return this.lastLineEnd
  }

  /** Adds whole lines. Call `giveUp` after an error. */
  async write(lines: Buffer): Promise<void> {
    const handle = await this.ready()
    for (let done = 0; done < lines.length; ) {
      const { bytesWritten } = await handle.write(lines, done, lines.length - done, this.end + done)
      done += bytesWritten
    }
    this.end += lines.length
    this.newLineEnd = lines.toString('latin1', Math.max(0, lines.length - LINE_END_LENGTH))
  }

  /** Makes the written bytes certain. Call `giveUp` after an error. */
  async sync(): Promise<void> {
    if (this.end === this.certain) return
    const handle = await this.ready()
    await handle.datasync()
    if (!this.isStillNamed()) throw new FileError(goneFailure(this.path))
    this.certain = this.end
    this.lastLineEnd = this.newLineEnd
  }

  /** After an error: returns to the certain bytes. A failed sync may have lost any earlier write. */
  async giveUp(): Promise<void> {
    this.suspect = true
    this.end = this.certain
    // Best effort, so that readers see no half line; the next attempt truncates again.
    await this.handle?.truncate(this.certain).catch(() => undefined)
  }

  /** Opens the file. If it was deleted while open here, creates it again with its certain bytes. */
  async restore(): Promise<void> {
    if (this.handle && !this.isStillNamed()) this.suspect = true
    await this.ready()
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

  /** The file, if it begins with the certain bytes; null if it is missing and may be created. */
  private async openNamed(): Promise<FileHandle | null> {
    const handle = await this.openFile(this.path, 'r+').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    })
    if (!handle) {
      if (this.certain > 0 && !this.handle) throw new FileError(goneFailure(this.path))
      return null
    }
    if (await this.isOurs(handle)) return handle
    await handle.close()
    throw new FileError({
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

  /** A new file. It gets the content of the file that was deleted while open here. */
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

  /** Writes to a deleted file succeed, so its name is checked too. */
  private isStillNamed(): boolean {
    // Sync: the entry is cached by the system, and this runs at every flush.
    const named = statSync(this.path, { throwIfNoEntry: false })
    return named !== undefined && named.ino === this.identity.ino && named.dev === this.identity.dev
  }
}

/** The failure for an error that a method of the file threw. */
export function logFileFailure(thrown: unknown, path: string): Failure {
  if (thrown instanceof FileError) return thrown.failure
  return diskFailure(thrown, 'The transcript can’t be saved', path)
}

/** An error that carries its failure. */
class FileError extends Error {
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
    if (bytes.length === 0) throw new Error('the deleted file is no longer readable')
    await to.write(bytes, 0, bytes.length, at)
    at += bytes.length
  }
  await to.datasync()
}
