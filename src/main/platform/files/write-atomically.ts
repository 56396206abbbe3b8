/** Replaces a file in one step, and detects a file or a folder that changed since the caller's check. */
import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, lstat, readFile, rename } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { FileStat, FileWrite } from '../../runtime/ports/files.ts'
import { claimName, publishFile } from '../system/atomic-file.ts'
import { newDraftName } from '../system/draft-name.ts'
import { codeOf } from '../system/error-code.ts'
import { changedFailure, fileFailure, movedFailure } from '../system/file-failure.ts'
import { isSameFile, statOf } from '../system/file-stat.ts'
import { type PinnedFolder, pinFolder } from './pinned-folder.ts'

/**
 * Writes to a real path (see realPathOf). An existing file keeps its mode and, where the system allows it,
 * its owner. A failure leaves the old file and no temporary file.
 */
export async function writeAtomically(
  real: string,
  content: string | Uint8Array,
  { expected, was }: Pick<FileWrite, 'expected' | 'was'>,
): Promise<Result<FileStat>> {
  const folder = await pinFolder(dirname(real), expected === undefined || expected === null)
  if (!folder.ok) return folder
  try {
    return await replace({ folder: folder.value, real, content, expected, was })
  } catch (thrown) {
    return fail(fileFailure(thrown, real))
  } finally {
    await folder.value.close()
  }
}

interface Replacement {
  readonly folder: PinnedFolder
  readonly real: string
  readonly content: string | Uint8Array
  readonly expected: FileWrite['expected'] | undefined
  readonly was: FileWrite['was'] | undefined
}

async function replace({ folder, real, content, expected, was }: Replacement): Promise<Result<FileStat>> {
  const path = folder.at(basename(real))
  const before = await statIfExists(path)
  if (before?.isSymbolicLink()) return fail(movedFailure(real))
  if (before?.isDirectory()) return fail(fileFailure({ code: 'EISDIR' }, real))
  if (before?.isSocket()) return fail(fileFailure({ code: 'ENXIO' }, real))
  if (before && !before.isFile()) return fail({ type: 'io', message: `${real} is not a regular file.` })
  const isExpected = (now: BigIntStats | null) => isAsExpected(path, now, { expected, was })
  if (!(await isExpected(before))) return fail(changedFailure(real))
  // A rename needs no write permission on the file itself: respect a read-only file anyway.
  if (before) await access(path, constants.W_OK)

  const draft = folder.at(newDraftName())
  return publishFile({
    draft,
    content,
    mode: 0o666,
    ...(before ? { prepare: (handle) => keepOwnerAndMode(handle, before) } : {}),
    async publish(handle) {
      const now = await statIfExists(path)
      if (!(await folder.holds()) || now?.isSymbolicLink()) return fail(movedFailure(real))
      if (!(await isExpected(now))) return fail(changedFailure(real))
      if (before && now && now.mode !== before.mode) await handle.chmod(Number(now.mode) & 0o7777)
      if (expected === null) {
        if (!(await claimName(draft, path))) return fail(changedFailure(real))
      } else await rename(draft, path)
      return ok(statOf(await handle.stat({ bigint: true })))
    },
  })
}

async function statIfExists(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  }
}

async function isAsExpected(
  path: string,
  now: BigIntStats | null,
  { expected, was }: Pick<Replacement, 'expected' | 'was'>,
): Promise<boolean> {
  if (expected === undefined) return true
  if (expected === null || now === null) return expected === now
  if (isSameFile(statOf(now), expected)) return true
  // A change of the mode, or a `touch`, is no change of the content.
  if (was === undefined || !now.isFile() || Number(now.size) !== was.length) return false
  return (await readFile(path)).equals(was)
}

async function keepOwnerAndMode(handle: FileHandle, before: BigIntStats): Promise<void> {
  const mine = await handle.stat({ bigint: true })
  if (mine.uid !== before.uid || mine.gid !== before.gid)
    // Only an administrator may give files away; without that right the file belongs to the writer.
    await handle.chown(Number(before.uid), Number(before.gid)).catch(() => {})
  await handle.chmod(Number(before.mode) & 0o7777)
}
