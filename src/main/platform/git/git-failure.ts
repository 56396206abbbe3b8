/** Failures of git calls, with the reasons that callers act on. */
import type { Failure, Result } from '../../../shared/kernel/result.ts'

/**
 * `lock-held`: another process holds a lock file. `denied`: the user lacks a permission. `lfs`: the git-lfs filter
 * failed. `too-much-output`: it printed more than the call allows. `other`: everything that no caller distinguishes.
 */
export type GitReason =
  | 'lock-held'
  | 'disk-full'
  | 'read-only'
  | 'denied'
  | 'lfs'
  | 'too-much-output'
  | 'other'

/** Git ran and exited with a code that the caller does not accept. */
interface GitCommandFailure extends Failure {
  readonly type: 'git'
  readonly reason: GitReason
}

/** `not-found`: the folder of the call is missing. */
interface GitStartFailure extends Failure {
  readonly type: 'aborted' | 'no-git' | 'not-found'
}

export type GitFailure = GitCommandFailure | GitStartFailure

export type GitResult<T> = Result<T, GitFailure>

/** The reason of a failed git call; null: the failure does not come from a git command. */
export function gitReason(failure: Failure): GitReason | null {
  return isCommandFailure(failure) ? failure.reason : null
}

const isCommandFailure = (failure: Failure): failure is GitCommandFailure =>
  failure.type === 'git' && 'reason' in failure

/**
 * Reads the reason from standard error. For all of these, git exits with 128 and offers no machine-readable form,
 * and a lock file may be gone again before its existence could be checked. So this one function matches text. Every
 * call runs with `LC_ALL=C`, which fixes the text of git and of the system.
 */
export function reasonFrom(stderr: string): GitReason {
  return PATTERNS.find(([, pattern]) => pattern.test(stderr))?.[0] ?? 'other'
}

const PATTERNS: readonly (readonly [GitReason, RegExp])[] = [
  ['disk-full', /No space left on device|Disk quota exceeded/],
  ['read-only', /Read-only file system/],
  [
    'lock-held',
    /Unable to create '[^\n]*\.lock': File exists|could not lock config file [^\n]*: File exists|Unable to write new index file/i,
  ],
  ['lfs', /\blfs\b[\s\S]*(filter|not found)|filter[^\n]*\blfs\b/i],
  ['denied', /Permission denied/],
]
