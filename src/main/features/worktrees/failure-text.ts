/** Messages for the user about failures of git and of the disk, with the next step. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import type { Failure } from '../../../shared/kernel/result.ts'
import { type GitReason, gitReason } from '../../platform/git/git-failure.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import type { WorktreeFailure } from '../../runtime/ports/worktrees.ts'

/** @param what what failed, as the start of a sentence: "The worktree could not be created" */
export function explainFailure(failure: WorktreeFailure, what: string): WorktreeFailure {
  const { type, message, cause } = failure
  if (type === 'not-found') return { type: 'io', message: `${what}: ${message}`, cause }
  if (type !== 'git') return failure
  const nextStep = NEXT_STEPS[gitReason(failure) ?? 'other']
  return {
    type: nextStep === undefined ? 'git' : 'io',
    message: `${what}. ${shortened(message)}${nextStep === undefined ? '' : ` ${nextStep}`}`,
    cause,
  }
}

/** Like `explainFailure`, but asks the disk first: git often omits why it could not write into one of the folders. */
export async function explainWriteFailure(
  failure: WorktreeFailure,
  what: string,
  folders: readonly string[],
): Promise<WorktreeFailure> {
  if (failure.type === 'git')
    for (const folder of folders) {
      const problem = await folderProblem(folder, what)
      if (problem) return { ...problem, type: 'io', cause: failure }
    }
  return explainFailure(failure, what)
}

/** Git may list a thousand files, one on each line. */
function shortened(message: string): string {
  const lines = message.split('\n')
  return lines.length <= 8 ? message : [...lines.slice(0, 5), '…', ...lines.slice(-2)].join('\n')
}

/** Bytes: a disk with less free space counts as full. */
const FULL = 64 * 1024

async function folderProblem(folder: string, what: string): Promise<Failure | null> {
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize < FULL ? diskFailure(FULL_DISK, what, folder) : null
  } catch (error) {
    return diskFailure(error, what, folder)
  }
}

const FULL_DISK = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })

const NEXT_STEPS: Readonly<Partial<Record<GitReason, string>>> = {
  'disk-full': 'The disk is full: free some space, then try again.',
  'read-only': 'The disk is read-only: make it writable, then try again.',
  denied: 'Check the owner and the permissions of these files.',
  'lock-held':
    'Another program has held this lock for half a minute. If no git process runs there, remove the lock file.',
}
