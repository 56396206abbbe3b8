/** What git says when the disk is at fault, in words for a person: git itself often leaves out the reason. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import type { Failure } from '../../../shared/result.ts'
import { diskFailure } from '../transcripts/disk-failure.ts'

/** @param what what could not be done, as the start of a sentence */
export function inWords(failure: Failure, what: string): Failure {
  const { type, message, cause } = failure
  if (type === 'not-found') return { type: 'io', message: `${what}: ${message}`, cause }
  if (type !== 'git') return failure
  const todo = todoFor(message)
  return {
    type: todo === null ? 'git' : 'io',
    message: `${what}. ${shortened(message)}${todo === null ? '' : ` ${todo}`}`,
    cause,
  }
}

/** The same; where git could not write into one of the folders, with the disk's own reason. */
export async function inDiskWords(
  failure: Failure,
  what: string,
  folders: readonly string[],
): Promise<Failure> {
  if (failure.type === 'git' && /unable to|could not|cannot|can't/i.test(failure.message))
    for (const folder of folders) {
      const trouble = await troubleOf(folder, what)
      if (trouble) return { ...trouble, type: 'io', cause: failure }
    }
  return inWords(failure, what)
}

/** Git may name a thousand files, each on a line. */
function shortened(message: string): string {
  const lines = message.split('\n')
  return lines.length <= 8 ? message : [...lines.slice(0, 5), '…', ...lines.slice(-2)].join('\n')
}

/** Bytes: less than that is a disk that is full. */
const FULL = 64 * 1024

async function troubleOf(folder: string, what: string): Promise<Failure | null> {
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize < FULL ? diskFailure(FULL_DISK, what, folder) : null
  } catch (error) {
    return diskFailure(error, what, folder)
  }
}

const FULL_DISK = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })

function todoFor(message: string): string | null {
  if (/No space left on device|Disk quota exceeded/.test(message))
    return 'The disk is full: free some space, then try again.'
  if (/Read-only file system/.test(message))
    return 'The disk can only be read at the moment: make it writable, then try again.'
  if (/Permission denied/.test(message)) return 'Check who owns these files and their permissions.'
  if (/\.lock': File exists/.test(message))
    return 'Another program has held this lock for long. If no git runs there, remove the file that is named.'
  return null
}
