/** Replaces a file in one step: the new content is laid beside it and takes its name when it is complete. */
import { randomBytes } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileStat, FileWrite } from '../../runtime/ports.ts'
import { changedFailure, codeOf, fileFailure, movedFailure } from './file-failure.ts'
import { isSameFile, statOf } from './file-stat.ts'
import { type PinnedFolder, pinFolder } from './pinned-folder.ts'

/**
 * Writes to a real path (see realPathOf). An existing file keeps its mode and, where the system allows it,
 * its owner. Whatever fails leaves the old file and no remains.
 */
export async function writeAtomically(
  real: string,
  content: string | Uint8Array,
  options: Pick<FileWrite, 'expected'>,
): Promise<Result<FileStat>> {
  const folder = await pinFolder(dirname(real), options.expected === undefined || options.expected === null)
  if (!folder.ok) return folder
  try {
    return await replace(folder.value, real, content, options)
  } catch (thrown) {
    return fail(fileFailure(thrown, real))
  } finally {
    await folder.value.close()
  }
}

async function replace(
  folder: PinnedFolder,
  real: string,
  content: string | Uint8Array,
  { expected }: Pick<FileWrite, 'expected'>,
): Promise<Result<FileStat>> {
  const place = folder.at(basename(real))
  const before = await statIfThere(place)
  if (before?.isSymbolicLink()) return fail(movedFailure(real))
  if (before?.isDirectory()) return fail(fileFailure({ code: 'EISDIR' }, real))
  if (before && !before.isFile()) return fail({ type: 'io', message: `${real} is not a plain file.` })
  if (!isAsExpected(before, expected)) return fail(changedFailure(real))
  // Replacing needs no right to write to the file itself, but who took that right away meant it.
  if (before) await access(place, constants.W_OK)

  const temporary = folder.at(`.troupe-${randomBytes(9).toString('hex')}.tmp`)
  const handle = await open(temporary, 'wx', 0o666)
  try {
    await handle.writeFile(content)
    if (before) await keepOwnerAndMode(handle, before)
    await handle.datasync()
    const now = await statIfThere(place)
    if (!(await folder.holds()) || now?.isSymbolicLink()) return fail(movedFailure(real))
    if (!isAsExpected(now, expected)) return fail(changedFailure(real))
    if (expected === null) {
      if (!(await takeFreeName(temporary, place))) return fail(changedFailure(real))
    } else await rename(temporary, place)
    return ok(statOf(await handle.stat({ bigint: true })))
  } finally {
    await handle.close()
    // Nothing is left under this name where all went well.
    await unlink(temporary).catch(() => {})
  }
}

async function statIfThere(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  }
}

function isAsExpected(now: BigIntStats | null, expected: FileStat | null | undefined): boolean {
  if (expected === undefined) return true
  if (expected === null || now === null) return expected === now
  return isSameFile(statOf(now), expected)
}

async function keepOwnerAndMode(handle: FileHandle, before: BigIntStats): Promise<void> {
  const mine = await handle.stat({ bigint: true })
  if (mine.uid !== before.uid || mine.gid !== before.gid)
    // Only an administrator may give files away; without that the file becomes the writer's.
    await handle.chown(Number(before.uid), Number(before.gid)).catch(() => {})
  await handle.chmod(Number(before.mode) & 0o7777)
}

/** Gives the file its name if nothing has it; false where something does. */
async function takeFreeName(temporary: string, place: string): Promise<boolean> {
  try {
    await link(temporary, place)
    await unlink(temporary)
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    // A file system without hard links; the name was free a moment ago.
    await rename(temporary, place)
    return true
  }
}
