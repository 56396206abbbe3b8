/** Failures of moving a repository's files between machines. */
import type { Failure, Result } from '../../../../shared/kernel/result.ts'
import type { WorktreeFailure } from '../../../runtime/ports/worktrees.ts'
import { explainWriteFailure } from '../failure-text.ts'

/**
 * `refused`: this kind of repository or content is not supported. `invalid`: a bundle is damaged or forged.
 * `needs-full`: a bundle builds on commits that are missing here. `io`: a disk, git or the object store failed; trying
 * again can help.
 */
export interface BundleFailure extends Failure {
  readonly type: 'refused' | 'invalid' | 'needs-full' | 'too-large' | 'io' | 'aborted'
}

export type BundleResult<T> = Result<T, BundleFailure>

/**
 * @param what what failed, as the start of a sentence: "The files could not be sent"
 * @param folders the folders that were written, to find out why that failed
 */
export async function bundleFailure(
  failure: WorktreeFailure,
  what: string,
  folders: readonly string[],
): Promise<BundleFailure> {
  if (failure.type === 'aborted') return { type: 'aborted', message: failure.message }
  const { message, cause } = await explainWriteFailure(failure, what, folders)
  return { type: 'io', message, cause }
}

/** `12 MB`, `0.4 MB`: for messages. */
export const megabytes = (bytes: number): string =>
  `${bytes >= 10_000_000 ? Math.round(bytes / 1_000_000) : Math.round(bytes / 100_000) / 10} MB`

export const largerThan = (bytes: number, limit: number): BundleFailure => ({
  type: 'too-large',
  message: `A bundle of ${megabytes(bytes)} is larger than the limit of ${megabytes(limit)} here. Raise the limit, or remove large files from the repository.`,
})
