/** Copies of an index, for work beside a checkout. */
import { constants } from 'node:fs'
import { copyFile, stat, utimes } from 'node:fs/promises'
import { codeOf } from '../system/error-code.ts'

/**
 * Copies an index with its time; does nothing if there is none. Git reads a file whose time is not older than the
 * index, because the file may have changed in the same second. With a later time of the copy, git would take such a
 * file for unchanged.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { atime, mtime } = await stat(from)
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    await utimes(to, atime, mtime)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
